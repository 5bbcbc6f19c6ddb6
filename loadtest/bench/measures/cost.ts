import { join, resolve } from "node:path";
import process from "node:process";
import { mustRun } from "../../../tools/programs/run_program.ts";
import type { Measure } from "../measure.ts";
import { median, ratiosOf, spread } from "../statistics.ts";
import { columns } from "../table.ts";

const ALL = "all of these";

/** Processor time per order by process and thread, measured by `budget.ts` of each checkout. */
export const cost: Measure = {
  name: "cost",
  asks: "How much processor time does an order take, by process and thread, here and there?",
  onlyNamed: true,
  async run({ rounds, seconds, against, progress, note }) {
    const checkouts = [process.cwd(), ...against === undefined ? [] : [resolve(against)]];
    const found = new Map(checkouts.map((checkout) => [checkout, [] as Map<string, number>[]]));
    for (let round = 0; round < rounds; round++) {
      // The rounds begin with the checkouts in turn, so that none always comes first.
      for (let turn = 0; turn < checkouts.length; turn++) {
        const checkout = checkouts[(round + turn) % checkouts.length]!;
        const costs = await runBudget(checkout, seconds);
        found.get(checkout)!.push(costs);
        progress.say(
          `cost, round ${round + 1}: ${costs.get(ALL)!.toFixed(0)} µs an order in ${checkout}`,
        );
      }
    }
    const [current, other] = checkouts.map((checkout) => found.get(checkout)!);
    const all = [...current!, ...other ?? []];
    const isEverywhere = (name: string) => all.every((costs) => costs.has(name));
    const rows = [...current![0]!.keys()].filter(isEverywhere).map((name) => {
      const figures = (runs: readonly Map<string, number>[]) =>
        runs.map((costs) => costs.get(name)!);
      const currentFigures = figures(current!);
      if (other === undefined) return [name, median(currentFigures).toFixed(1)];
      const ratio = spread(ratiosOf(currentFigures, figures(other)));
      return [
        name,
        median(currentFigures).toFixed(1),
        median(figures(other)).toFixed(1),
        ...[ratio.median, ratio.min, ratio.max].map((figure) => figure.toFixed(2)),
      ];
    });
    const heads = ["µs of processor an order", "here"];
    if (other !== undefined) heads.push("there", "here ÷ there", "min", "max");
    note(columns([heads, ...rows]));
    return [];
  },
};

/** Runs a checkout's budget; returns the microseconds per order of each process and thread, and their sum. */
async function runBudget(checkout: string, seconds: number): Promise<Map<string, number>> {
  const runtime = "Deno" in globalThis ? ["run", "-A"] : ["--import", "tsx"];
  const program = join("loadtest", "bench", "budget.ts");
  const output = await mustRun(process.execPath, [...runtime, program, String(seconds)], {
    cwd: checkout,
  });
  const rows = [...output.matchAll(/^(\S.*?) {2,}([\d.]+) +[\d.]+ %$/gm)]
    .map(([, name, microseconds]) => [name!, Number(microseconds)] as const);
  const used = rows.filter(([name]) => !/idle|^together/.test(name));
  const all = used.reduce((sum, [, microseconds]) => sum + microseconds, 0);
  return new Map([...used, [ALL, all]]);
}
