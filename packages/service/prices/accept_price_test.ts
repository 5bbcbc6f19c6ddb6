import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  acceptedPrice,
  acceptReading,
  type FeedState,
  NO_ANSWER_YET,
  withoutReading,
} from "./accept_price.ts";

const settings = { maxJumpPpm: 30_000n, agreeing: 3, maxAgeMs: 15_000, maxStillMs: 60_000 };

/** Polls two seconds apart; null is an answer without a reading. */
function after(readings: (bigint | null)[], from: FeedState = NO_ANSWER_YET, startMs = 0) {
  let [state, nowMs] = [from, startMs];
  for (const mid of readings) {
    nowMs += 2_000;
    state = mid === null
      ? withoutReading(state)
      : acceptReading(state, settings, { midTenThousandths: mid, asOfMs: null }, nowMs);
  }
  const latest = acceptedPrice(state, settings, nowMs);
  return { state, nowMs, quoted: latest.ok ? latest.midTenThousandths : null };
}

test("at the start a price is quoted once enough answers in a row agree", () => {
  assertEquals(after([]).quoted, null);
  assertEquals(after([4_850_000n, 4_851_000n]).quoted, null);
  assertEquals(after([4_850_000n, 4_851_000n, 4_852_000n]).quoted, 4_852_000n);
  assertEquals(after([4_850_000n, 1n, 4_851_000n, 4_852_000n]).quoted, null);
  // Each is near the one before it; the last is 5.8 % above the first.
  assertEquals(after([4_850_000n, 4_990_000n, 5_130_000n]).quoted, 5_130_000n);
  assertEquals(after([4_850_000n, 4_851_000n, null, 4_852_000n]).quoted, null);
});

test("a jump of 30 % stops quoting until the new level is confirmed", () => {
  const calm = after([4_850_000n, 4_851_000n, 4_852_000n]);
  const after2 = (readings: (bigint | null)[]) => after(readings, calm.state, calm.nowMs).quoted;
  assertEquals(after2([6_300_000n]), null);
  assertEquals(after2([6_300_000n, 6_301_000n]), null);
  assertEquals(after2([6_300_000n, 6_301_000n, 6_302_000n]), 6_302_000n);
  assertEquals(after2([6_300_000n, 3_000_000n, 6_301_000n, 9_000_000n, 3_000_000n]), null);
  assertEquals(after2([6_300_000n, 6_301_000n, null, 6_302_000n]), null);
});

test("a reading back at the old level, or within the jump limit, is accepted at once", () => {
  const calm = after([4_850_000n, 4_851_000n, 4_852_000n]);
  assertEquals(after([6_300_000n, 4_853_000n], calm.state, calm.nowMs).quoted, 4_853_000n);
  assertEquals(after([4_990_000n], calm.state, calm.nowMs).quoted, 4_990_000n);
});

test("one bad answer leaves the last price until it is too old", () => {
  const calm = after([4_850_000n, 4_851_000n, 4_852_000n]);
  const bad = after([null, null], calm.state, calm.nowMs);
  assertEquals(bad.quoted, 4_852_000n);
  assertEquals(acceptedPrice(bad.state, settings, calm.nowMs + 15_000).ok, true);
  assertEquals(acceptedPrice(bad.state, settings, calm.nowMs + 15_001).ok, false);
});

test("a feed that repeats one number for too long is frozen until the number changes", () => {
  const frozen = after(Array(40).fill(4_850_000n));
  assertEquals(frozen.quoted, null);
  assertEquals(after([4_850_100n], frozen.state, frozen.nowMs).quoted, 4_850_100n);
});

test("after a clock is set back the next reading is quoted, and a frozen feed is found out", () => {
  const HOUR_MS = 3_600_000;
  const ahead = after([4_850_000n, 4_851_000n, 4_852_000n], NO_ANSWER_YET, 10 * HOUR_MS);
  const back = after([4_853_000n], ahead.state, 9 * HOUR_MS);
  assertEquals(back.quoted, 4_853_000n);
  assertEquals(after([6_300_000n], ahead.state, 9 * HOUR_MS).quoted, null);
  assertEquals(after([4_852_000n], ahead.state, 9 * HOUR_MS).quoted, 4_852_000n);
  assertEquals(after(Array(40).fill(4_852_000n), ahead.state, 9 * HOUR_MS).quoted, null);
});

test("a price is as old as the feed's own time says, and never goes back in time", () => {
  const timed = { ...settings, timePath: "$.t", agreeing: 1 };
  const at = (asOfMs: number, mid: bigint, state = NO_ANSWER_YET) =>
    acceptReading(state, timed, { midTenThousandths: mid, asOfMs }, 100_000);
  assertEquals(acceptedPrice(at(90_000, 5n), timed, 100_000).ok, true);
  assertEquals(acceptedPrice(at(80_000, 5n), timed, 100_000).ok, false);
  const back = at(89_000, 6n, at(90_000, 5n));
  assertEquals(acceptedPrice(back, timed, 100_000), {
    ok: true,
    source: "feed",
    midTenThousandths: 5n,
    asOfMs: 90_000,
  });
  // A time ahead of ours makes no price younger.
  assertEquals(at(999_000, 5n).price?.asOfMs, 100_000);
});
