import process from "node:process";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { type Bench, figuresTake, type Measure } from "../measure.ts";
import { judge, type Ratio } from "../ratio.ts";
import { median } from "../statistics.ts";
import { columns } from "../table.ts";
import { type BenchCells, type CellsRun, startBenchCells } from "../world/bench_cells.ts";
import { holdProcessor } from "../world/hold_processor.ts";

const CELLS = 4;
const SHARE_OF_A_CORE = 0.1;
/** What a tenth of a core does at most, so that no time goes into quotes that nobody orders by. */
const HELD_ORDERS_A_SECOND = 3_000;

export const cells: Measure = {
  name: "cells",
  asks: "Does an order cost as much in one of four cells, and do four carry four times as many?",
  long: true,
  takes: (size) => 30 + figuresTake(size, 6),
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
        ...await measureHeld(bench, started, keep),
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

/** The cells with a tenth of a core each; without a ratio where no process can be held. */
async function measureHeld(
  { rounds, seconds, progress, note }: Bench,
  started: BenchCells,
  keep: (name: string, run: () => Promise<CellsRun>) => () => Promise<number>,
): Promise<Ratio[]> {
  const releases: (() => void)[] = [];
  try {
    started.processes().forEach((pids, index) => {
      const name = `sabika-bench-${process.pid}-${index + 1}`;
      releases.push(holdProcessor(name, pids, SHARE_OF_A_CORE));
    });
    const rate = (count: number) => async () => {
      let perSecond = 0;
      await keep(`${count} × a tenth of a core`, async () => {
        const run = await started.run(count, seconds, HELD_ORDERS_A_SECOND);
        perSecond = run.perSecond;
        return run;
      })();
      return perSecond;
    };
    const found = await interleave(
      rounds,
      { one: rate(1), four: rate(CELLS) },
      (round, name, figure) => {
        progress.say(`cells, round ${round + 1}: ${name} held, ${figure.toFixed(0)} a second`);
      },
    );
    return [judge(GOALS.cappedCells, found.four, found.one)];
  } catch (error) {
    if (releases.length === CELLS) throw error;
    note(`no cell could be held to a tenth of a core here: ${(error as Error).message}`);
    return [];
  } finally {
    for (const release of releases) release();
  }
}
