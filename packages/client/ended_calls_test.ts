import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import {
  answer,
  type ScriptedService,
  scriptedService,
} from "../../test/support/scripted_service.ts";
import { createClient, SabikaError } from "./mod.ts";

const service = await scriptedService();
const play: ScriptedService["play"] = (...parts) => service.play(...parts);

test("a signal ends a call at once: before it, in flight, and during a pause", async () => {
  const reason = new Error("the user left");
  const started = new AbortController();
  const inFlight = play((sent) => {
    started.abort(reason);
    return new Promise((_, reject) =>
      sent.signal.addEventListener("abort", () => reject(new Error("aborted")))
    );
  });
  assertEquals(
    await assertRejects(() => inFlight.client.prices({ signal: started.signal })),
    reason,
  );
  assertEquals(inFlight.calls.length, 1);
  const before = play(() => answer(200, "{}"));
  assertEquals(
    await assertRejects(() => before.client.prices({ signal: AbortSignal.abort(reason) })),
    reason,
  );
  assertEquals(before.calls.length, 0);
  const pausing = new AbortController();
  const paused = createClient(service.kit, {
    fetch: () => {
      setTimeout(() => pausing.abort(reason));
      return Promise.reject(new TypeError("fetch failed"));
    },
    retry: { firstDelayMs: 60_000, longestDelayMs: 60_000 },
  });
  assertEquals(await assertRejects(() => paused.health({ signal: pausing.signal })), reason);
});

test("close() ends calls in flight, and later calls fail", async () => {
  const { client } = play((sent) =>
    new Promise((_, reject) =>
      sent.signal.addEventListener("abort", () => reject(new Error("aborted")))
    )
  );
  const waiting = assertRejects(() => client.health(), SabikaError);
  await client.close();
  assertEquals((await waiting).code, "client_closed");
  assertEquals((await assertRejects(() => client.health(), SabikaError)).code, "client_closed");
});
