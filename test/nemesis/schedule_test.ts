import { test } from "node:test";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { readNemesisOptions, TABLE_OF_RUNS } from "./options.ts";
import type { Place } from "./places.ts";
import { planStrikes } from "./schedule.ts";
import { kindsIn, PAIRABLE } from "./strikes.ts";

const KINDS = ["a", "b", "c", "d", "e"];
const plan = (seed: number, faults = 50) =>
  planStrikes({ seed, operations: 1_000, faults, kinds: KINDS, pairable: new Set(["a", "b"]) });

test("a seed gives the same faults again, and another seed gives others", () => {
  assertEquals(plan(1), plan(1));
  assertNotEquals(plan(1), plan(2));
});

test("every kind of fault comes once before one comes again, evenly over the calls", () => {
  const strikes = plan(3);
  for (let round = 0; round < 10; round++) {
    const first = strikes.slice(5 * round, 5 * round + 5).map(({ names }) => names[0]!);
    assertEquals(first.sort(), KINDS);
  }
  assertEquals(strikes.map(({ atOperation }) => atOperation).slice(0, 3), [10, 30, 50]);
});

test("two at once are two kinds that may come together", () => {
  const pairs = plan(4, 300).map(({ names }) => names).filter(({ length }) => length > 1);
  assert(pairs.length > 5);
  for (const pair of pairs) assertEquals(pair.toSorted(), ["a", "b"]);
});

test("standbys are promoted where there are cells, together with a move alone", () => {
  const means = { disks: undefined, clocks: undefined, spared: undefined };
  const promotionsIn = (cells: readonly Place[]) =>
    kindsIn({ ...means, cells }).filter((kind) => kind.startsWith("promotion"));
  assertEquals(promotionsIn([]), []);
  const promotions = promotionsIn([{} as Place]);
  assertEquals(promotions, [
    "promotion",
    "promotion of a cell",
    "promotion during the move of a partner",
  ]);
  assertEquals(promotions.filter((kind) => PAIRABLE.has(kind)), []);
});

test("readNemesisOptions() reads cells and where to report to, refuses what it cannot read", () => {
  const read = (...args: string[]) => readNemesisOptions(args, () => 9);
  assertEquals(read("--operations", "10").run.seed, 9);
  assertEquals(read("--operations", "10", "--seed", "7").run.seed, 7);
  assertEquals(read("--operations", "10", "--cells", "4").run.cells, 4);
  assertEquals(read("--report", "--operations", "10").report, TABLE_OF_RUNS);
  assertEquals(read("--operations", "10", "--report", "night.md").report, "night.md");
  for (
    const wrong of [
      ["--operations", "10", "--cells", "17"],
      ["--seed", "1"],
      ["--operations", "0"],
      ["--operations", "10", "--slices", "0"],
      ["--operations", "10", "--minutes", "x"],
    ]
  ) assertThrows(() => read(...wrong), TypeError);
});
