import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { median } from "../statistics.ts";
import { columns } from "../table.ts";
import { type CellsRun, startBenchCells } from "../world/bench_cells.ts";

const CELLS = 4;

/** The cost of an order in one, two and four cells, compared with one database without cells. */
export const cells: Measure = {
  name: "cells",
  asks: "Does an order cost as much in one of two or four cells as in one database?",
  long: true,
  async run(bench) {
    const { rounds, seconds, progress } = bench;
    const started = await startBenchCells(CELLS, progress);
    const runs = new Map<string, CellsRun[]>();
    const keep = (name: string, run: () => Promise<CellsRun>) => async () => {
      const found = await run();
      runs.set(name, [...runs.get(name) ?? [], found]);
      return found.microseconds;
    };
    try {
      progress.say("warming up");
      await started.run(CELLS, seconds);
      const cost = await interleave(rounds, {
        one: keep("1 cell", () => started.run(1, seconds)),
        two: keep("2 cells", () => started.run(2, seconds)),
        four: keep("4 cells", () => started.run(CELLS, seconds)),
        without: keep("one database, without cells", () => started.runWithoutCells(seconds)),
      }, (round, name, figure) => {
        progress.say(`cells, round ${round + 1}: ${name} ${figure.toFixed(0)} µs an order`);
      });
      const rates = (name: string) => runs.get(name)!.map(({ perSecond }) => perSecond);
      const ratios = [
        judge(GOALS.twoCellsCpu, cost.two, cost.one),
        judge(GOALS.fourCellsCpu, cost.four, cost.one),
        judge(GOALS.oneCell, rates("1 cell"), rates("one database, without cells")),
      ];
      bench.note(columns([
        ["64 orders under way in each", "orders a second", "µs of the databases an order"],
        ...Array.from(runs, ([name, found]) => [
          name,
          median(found.map(({ perSecond }) => perSecond)).toFixed(0),
          median(found.map(({ microseconds }) => microseconds)).toFixed(0),
        ]),
      ]));
      return ratios;
    } finally {
      await started.close();
    }
  },
};
