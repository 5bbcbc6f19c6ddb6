import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type Belief, believe, believedPrice, disbelieve, NO_BELIEF } from "./believe_price.ts";

const settings = { maxJumpPpm: 30_000n, agreeing: 3, maxAgeMs: 15_000, maxStillMs: 60_000 };

/** Polls two seconds apart; a null is an answer that was nonsense. */
function after(readings: (bigint | null)[], from: Belief = NO_BELIEF, startMs = 0) {
  let [belief, nowMs] = [from, startMs];
  for (const mid of readings) {
    nowMs += 2_000;
    belief = mid === null
      ? disbelieve(belief)
      : believe(belief, settings, { midTenThousandths: mid, asOfMs: null }, nowMs);
  }
  const latest = believedPrice(belief, settings, nowMs);
  return { belief, nowMs, quoted: latest.ok ? latest.midTenThousandths : null };
}

test("at the start a price is quoted when as many answers in a row agree", () => {
  assertEquals(after([]).quoted, null);
  assertEquals(after([4_850_000n, 4_851_000n]).quoted, null);
  assertEquals(after([4_850_000n, 4_851_000n, 4_852_000n]).quoted, 4_852_000n);
  assertEquals(after([4_850_000n, 1n, 4_851_000n, 4_852_000n]).quoted, null);
  assertEquals(after([4_850_000n, 4_851_000n, null, 4_852_000n]).quoted, null);
});

test("a jump of 30 % stops quoting at once, and the new level is quoted when it is confirmed", () => {
  const calm = after([4_850_000n, 4_851_000n, 4_852_000n]);
  const after2 = (readings: (bigint | null)[]) => after(readings, calm.belief, calm.nowMs).quoted;
  assertEquals(after2([6_300_000n]), null);
  assertEquals(after2([6_300_000n, 6_301_000n]), null);
  assertEquals(after2([6_300_000n, 6_301_000n, 6_302_000n]), 6_302_000n);
  assertEquals(after2([6_300_000n, 3_000_000n, 6_301_000n, 9_000_000n, 3_000_000n]), null);
  assertEquals(after2([6_300_000n, 6_301_000n, null, 6_302_000n]), null);
});

test("back at the old level the doubt ends at once, and a change within the limit makes none", () => {
  const calm = after([4_850_000n, 4_851_000n, 4_852_000n]);
  assertEquals(after([6_300_000n, 4_853_000n], calm.belief, calm.nowMs).quoted, 4_853_000n);
  assertEquals(after([4_990_000n], calm.belief, calm.nowMs).quoted, 4_990_000n);
});

test("one bad answer leaves the last price until it is too old", () => {
  const calm = after([4_850_000n, 4_851_000n, 4_852_000n]);
  const bad = after([null, null], calm.belief, calm.nowMs);
  assertEquals(bad.quoted, 4_852_000n);
  assertEquals(believedPrice(bad.belief, settings, calm.nowMs + 15_000).ok, true);
  assertEquals(believedPrice(bad.belief, settings, calm.nowMs + 15_001).ok, false);
});

test("a feed that says the same for too long is frozen, and moves again by itself", () => {
  const frozen = after(Array(40).fill(4_850_000n));
  assertEquals(frozen.quoted, null);
  assertEquals(after([4_850_100n], frozen.belief, frozen.nowMs).quoted, 4_850_100n);
});

test("a feed with its own time is as old as it says, and never goes back", () => {
  const timed = { ...settings, timePath: "$.t", agreeing: 1 };
  const at = (asOfMs: number, mid: bigint, belief = NO_BELIEF) =>
    believe(belief, timed, { midTenThousandths: mid, asOfMs }, 100_000);
  assertEquals(believedPrice(at(90_000, 5n), timed, 100_000).ok, true);
  assertEquals(believedPrice(at(80_000, 5n), timed, 100_000).ok, false);
  const back = at(89_000, 6n, at(90_000, 5n));
  assertEquals(believedPrice(back, timed, 100_000), {
    ok: true,
    midTenThousandths: 5n,
    asOfMs: 90_000,
  });
  // A time ahead of ours makes no price younger.
  assertEquals(at(999_000, 5n).price?.asOfMs, 100_000);
});
