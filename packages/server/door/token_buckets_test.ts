import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { TokenBuckets } from "./token_buckets.ts";

const LIMIT = { perSecond: 2, burst: 4 };

test("TokenBuckets lets a burst through and then the rate", () => {
  const buckets = new TokenBuckets();
  const allowed = (nowMs: number) => buckets.take("write", 1, LIMIT, nowMs).allowed;
  assertEquals([0, 0, 0, 0, 0].map(allowed), [true, true, true, true, false]);
  assertEquals([499, 500, 500, 999, 1000].map(allowed), [false, true, false, false, true]);
});

test("TokenBuckets reports what is left and when to try again", () => {
  const buckets = new TokenBuckets();
  const first = buckets.take("write", 1, LIMIT, 0);
  assertEquals([first.remaining, first.resetSeconds, first.retryAfterSeconds], [3, 1, 0]);
  for (let i = 0; i < 3; i++) buckets.take("write", 1, LIMIT, 0);
  const refused = buckets.take("write", 1, { perSecond: 0.1, burst: 4 }, 0);
  assertEquals([refused.allowed, refused.remaining, refused.retryAfterSeconds], [false, 0, 10]);
  const sooner = buckets.take("write", 1, { perSecond: 0.1, burst: 4 }, 5_000);
  assertEquals([sooner.allowed, sooner.remaining, sooner.retryAfterSeconds], [false, 0, 5]);
});

test("TokenBuckets keeps partners and classes apart", () => {
  const buckets = new TokenBuckets();
  for (let i = 0; i < 5; i++) buckets.take("write", 1, LIMIT, 0);
  assertEquals(buckets.take("write", 1, LIMIT, 0).allowed, false);
  assertEquals(buckets.take("write", 2, LIMIT, 0).allowed, true);
  assertEquals(buckets.take("read", 1, LIMIT, 0).allowed, true);
});

test("TokenBuckets refills nothing when the clock is set back, and goes on from there", () => {
  const buckets = new TokenBuckets();
  for (let i = 0; i < 4; i++) buckets.take("write", 1, LIMIT, 10_000);
  assertEquals(buckets.take("write", 1, LIMIT, 0).allowed, false);
  assertEquals(buckets.take("write", 1, LIMIT, 0).allowed, false);
  assertEquals(buckets.take("write", 1, LIMIT, 500).allowed, true);
});

test("TokenBuckets takes back a token that is not to count, but keeps no more than the burst", () => {
  const buckets = new TokenBuckets();
  const remaining = () => buckets.take("write", 1, LIMIT, 0).remaining;
  buckets.giveBack("write", 1);
  assertEquals([remaining(), remaining()], [3, 2]);
  buckets.giveBack("write", 2);
  for (let i = 0; i < 3; i++) buckets.giveBack("write", 1);
  assertEquals([remaining(), remaining()], [3, 2]);
});
