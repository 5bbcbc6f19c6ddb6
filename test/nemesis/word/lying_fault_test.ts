/** I15: an instance that says of itself, by all ways, that all is well, is found while its writes fail. */
import { test } from "node:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { assertEquals } from "@std/assert";
import { buildService } from "../../../tools/build/build_service.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { resultLines } from "../report.ts";
import { runNemesis } from "../run.ts";
import { planStrikes } from "../schedule.ts";
import { BOUNDS } from "./judge_word.ts";

/** What health, `/ready` and metrics are made from, and what a liar says instead. */
const LIES: readonly (readonly [string, string])[] = [
  ["isReady: async () => !isDraining", "isReady: async () => true || !isDraining"],
  ["failingWrites: writes.failing", "failingWrites: () => []"],
  ["failedShares: writes.shares", "failedShares: () => []"],
  ["isHealthy: async (cellId = MAIN_CELL) =>", "isHealthy: async (cellId = MAIN_CELL) => true ||"],
];
const WANTED = {
  operations: 1_000,
  faults: 1,
  kinds: ["read-only database"],
  pairable: new Set(""),
};

test("a service whose /ready, /health and metrics lie is found by what its callers meet", async (t) => {
  const built = join(temporaryFolder(), "built");
  await buildService(built);
  const server = join(built, "packages/server/main.js");
  let source = await readFile(server, "utf8");
  for (const [truth, lie] of LIES) {
    assertEquals(source.split(truth).length, 2, truth);
    source = source.replace(truth, lie);
  }
  await writeFile(server, source);
  let seed = 1;
  while (planStrikes({ ...WANTED, seed })[0]!.holdMs < 20_000) seed++;
  const options = { ...WANTED, seed, cells: 0, minutes: 4, built, only: /^read-only database$/ };
  const result = await runNemesis(options, {
    signal: new AbortController().signal,
    tell: (line) => process.stderr.write(`${line}\n`),
  });
  for (const line of resultLines(result)) t.diagnostic(line);
  const found = result.violations.map(({ invariant, what }) =>
    `${invariant} ${what.split(" ")[0]}`
  );
  assertEquals([...new Set(found)].sort(), Object.keys(BOUNDS).map((name) => `I15 ${name}`).sort());
});
