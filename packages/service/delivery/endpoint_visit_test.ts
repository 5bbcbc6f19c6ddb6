import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  ATTEMPT_MS,
  deliverInMemory,
  type LaneStory,
  START_MS,
} from "../../../test/support/lane_in_memory.ts";
import { trustAuthorities } from "./post_webhook.ts";

test("a visit keeps an attempt with its times, and logs one that failed", async () => {
  const { attempts, logged, seconds, kept } = await deliverInMemory({ answers: { 2: 0 } });
  const accepted = { partnerId: 7, durationMs: ATTEMPT_MS, status: 204, failure: null };
  const address = "127.0.0.1:9000";
  assertEquals(attempts, [
    { ...accepted, sequence: 1n, atMs: START_MS, address },
    {
      ...accepted,
      sequence: 2n,
      atMs: START_MS + ATTEMPT_MS,
      status: null,
      failure: "ECONNRESET",
      address: null,
    },
  ]);
  const fields = { partnerId: 7, sequence: "2", attempts: 1, reason: "ECONNRESET" };
  assertEquals(logged, [["warn", "webhook hold", fields]]);
  assertEquals(seconds, [["delivered", 0.01], ["hold", 0.01]]);
  const { answered } = kept.take(7, {
    url: new URL("https://127.0.0.1:9000/"),
    hostname: "127.0.0.1",
    addresses: [{ address: "127.0.0.1", family: 4 }],
    trust: trustAuthorities(undefined),
    timeoutMs: 1_000,
    maxSockets: 1,
  });
  assertEquals(answered, 1, "one of them was answered");
  const gone = await deliverInMemory({ count: 1, answers: { 1: 410 } });
  assertEquals(gone.logged.at(-1), [
    "error",
    "webhook endpoint disabled",
    { partnerId: 7, sequence: "1", reason: "HTTP 410" },
  ]);
});

const unsendable: Record<string, [LaneStory, string]> = {
  "an address that is not public": [{ lane: { url: "https://10.0.0.1/" } }, "address_not_public"],
  "a partner without a secret": [
    { parts: { readSecrets: () => Promise.resolve([]) } },
    "no_valid_secret",
  ],
  "a secret that cannot be read": [
    { parts: { readSecrets: () => Promise.reject(new Error("away")) } },
    "secret_unreadable",
  ],
};
for (const [name, [story, reason]] of Object.entries(unsendable)) {
  test(`a visit sends nothing for ${name}, and holds the lane`, async () => {
    const { sent, written } = await deliverInMemory(story);
    assertEquals([sent, written], [[], [
      `hold: 1 failed 1 (null ${reason}) after 0 ms, in 526 ms`,
      "release at 0 ms, settled to undefined",
    ]]);
  });
}

test("a visit keeps the connection for the next visit, which counts its answers", async () => {
  const { kept, clock, closed } = await deliverInMemory({ answers: { 3: 0 } });
  assertEquals([kept.sweep(), closed()], [undefined, 0]);
  clock.ms += 10_000;
  assertEquals([kept.sweep(), closed()], [undefined, 1]);
});
