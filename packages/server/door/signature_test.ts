import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { activeKeys, timestampWindow } from "./signature.ts";

test("a signature is verified with those of a partner's keys that are valid at the moment", () => {
  const key = (keyId: string, validFromMs: number, validUntilMs: number | null) => ({
    keyId,
    validFromMs,
    validUntilMs,
  });
  const old = key("old", 0, 2_000);
  const next = key("next", 1_000, null);
  const namesAt = (keys: object[], nowMs: number) => {
    const partner = { signingKeys: keys } as unknown as Parameters<typeof activeKeys>[0];
    return activeKeys(partner, nowMs).map(({ keyId }) => keyId);
  };
  for (const [nowMs, names] of [[999, "old"], [1_000, "old next"], [2_000, "next"]] as const) {
    assertEquals(namesAt([old, next], nowMs).join(" "), names);
  }
  assertEquals(namesAt([old], 1_999), ["old"]);
  assertEquals(namesAt([old], 2_000), []);
  assertEquals(namesAt([next], 999), []);
});

test("where a sandbox's clock was set forward, timestamps are still compared with the real time", () => {
  const check = timestampWindow(() => 1_000_000);
  const codeAt = (timestampSeconds: number) => {
    const call = { ok: true, signed: { timestampSeconds }, receivedAtMs: 3_000_000 };
    const result = check(call as unknown as Parameters<typeof check>[0]);
    return result.ok ? result.skewSeconds : result.code;
  };
  assertEquals([1_700, 2_000, 2_300].map(codeAt), [-300, 0, 300]);
  assertEquals([1_699, 2_301].map(codeAt), ["timestamp_out_of_window", "timestamp_out_of_window"]);
});
