import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { sampleRefusals } from "./sample_refusals.ts";

test("a flood's refusals cost a line a second, which says how many were left out", () => {
  const sample = sampleRefusals();
  assertEquals(sample("bank", 1_000), 0, "the first is written");
  for (let ms = 1_001; ms < 2_000; ms++) assertEquals(sample("bank", ms), undefined);
  assertEquals(sample("fintech", 1_500), 0, "each caller has lines of its own");
  assertEquals(sample("bank", 2_000), 999);
  assertEquals(sample("bank", 60_000), 0, "nothing was left out since");
  assertEquals(sample("bank", 30_000), 0, "the clock was set back");
});

test("callers without end do not fill the memory", () => {
  const sample = sampleRefusals();
  for (let n = 0; n <= 10_000; n++) assertEquals(sample(`caller ${n}`, 0), 0);
  assertEquals(sample("caller 1", 1), 0, "forgotten, and so written once more");
});
