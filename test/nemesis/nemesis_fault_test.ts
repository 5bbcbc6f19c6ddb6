/**
 * The short form of a run against the stack; `npm run faults -- --operations N` makes long ones. The whole
 * size of this file is that of F27: the links alone, cut, silent, slow and swizzled.
 */
import { test } from "node:test";
import process from "node:process";
import { assertEquals } from "@std/assert";
import { sized } from "../support/sized.ts";
import { describeViolation } from "./checker.ts";
import { resultLines } from "./report.ts";
import { runNemesis } from "./run.ts";

/** The gate repeats one run; long ones draw a seed of their own. */
const SEED = Number(process.env["SABIKA_FAULT_SEED"] ?? 17);

test("no invariant breaks while faults strike the stack under load, all its links swizzled (F27)", async (t) => {
  const [operations, faults, minutes] = [sized(3_000, 30_000), sized(10, 100), sized(3, 100)];
  const size = { operations, faults, minutes, cells: 0, instances: 2, deliverySeconds: 240 };
  const only = sized(0, 1) === 1 ? { only: /link/ } : {};
  const options = { ...size, ...only, seed: SEED, built: undefined, isSparing: false };
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  const signal = new AbortController().signal;
  const result = await runNemesis(options, { now: Date.now, signal, tell });
  for (const line of resultLines(result)) t.diagnostic(line);
  assertEquals(result.violations.map(describeViolation), []);
});
