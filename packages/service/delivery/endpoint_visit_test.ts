import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  ATTEMPT_MS,
  laneInMemory,
  type LaneStory,
  START_MS,
} from "../../../test/support/lane_in_memory.ts";
import { deliverLane } from "./deliver_lane.ts";

/** Delivers in a lane whose store and endpoint are in memory. */
async function deliver(story: LaneStory) {
  const { lane, parts, ...told } = laneInMemory(story);
  const hasMore = await deliverLane(parts, lane).catch((error: unknown) => error);
  return { ...told, hasMore };
}

test("a visit keeps an attempt with its times, and logs one that failed", async () => {
  const { attempts, logged, seconds, kept } = await deliver({ answers: { 2: 0 } });
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
  assertEquals(kept.answered, 1, "one of them was answered");
  const gone = await deliver({ count: 1, answers: { 1: 410 } });
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
    const { sent, written } = await deliver(story);
    assertEquals([sent, written], [[], [
      `hold: 1 failed 1 (null ${reason}) after 0 ms, in 526 ms`,
      "release at 0 ms, settled to undefined",
    ]]);
  });
}

test("a visit gives its connection back for the next one", async () => {
  assertEquals((await deliver({})).given, [7]);
});
