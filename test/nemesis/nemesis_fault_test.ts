/** The short form of a run against the stack; `npm run faults -- --operations N` makes long ones. */
import { test } from "node:test";
import process from "node:process";
import { assertEquals } from "@std/assert";
import { describeViolation } from "./checker.ts";
import { resultLines } from "./report.ts";
import { runNemesis } from "./run.ts";

/** The gate repeats one run; long ones draw a seed of their own. */
const SEED = Number(process.env["SABIKA_FAULT_SEED"] ?? 17);

test("no invariant breaks while ten faults strike the stack under load", async (t) => {
  const size = { operations: 3_000, faults: 10, minutes: 3, instances: 2, deliverySeconds: 240 };
  const options = { ...size, seed: SEED, built: undefined, isSparing: false };
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  const signal = new AbortController().signal;
  const result = await runNemesis(options, { now: Date.now, signal, tell });
  for (const line of resultLines(result)) t.diagnostic(line);
  assertEquals(result.violations.map(describeViolation), []);
});
