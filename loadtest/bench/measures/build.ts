import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { figuresTake, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { CONNECTIONS, runOrders } from "../run_orders.ts";
import type { RunningService } from "../world/site.ts";

/** What production runs against the source that development runs. */
export const build: Measure = {
  name: "build",
  asks: "Does what npm run build makes start sooner, and answer no later, than the source?",
  long: true,
  takes: (size) => 15 + 8 * size.rounds + figuresTake(size, 2),
  async run(bench) {
    const { rounds, progress } = bench;
    const { site } = await bench.world();
    const folder = await mkdtemp(join(tmpdir(), "sabika-built-"));
    try {
      progress.say((await mustRun("node", ["tools/build.mjs", "--out", folder])).trim());
      const program = join(folder, "packages", "server", "main.js");
      const starts = await interleave(rounds, {
        built: () => startSeconds(() => site.startServer([], {}, program)),
        source: () => startSeconds(() => site.startServer()),
      }, (round, name, seconds) => {
        progress.say(`start, round ${round + 1}: ${name} ${seconds.toFixed(2)} s`);
      });
      const built = await site.startServer([], {}, program);
      const source = await site.startServer();
      const p99 = (service: RunningService) => async () =>
        (await runOrders(bench, site, service, 1, CONNECTIONS)).p99Ms;
      for (const service of [built, source]) await p99(service)();
      const found = await interleave(rounds, { built: p99(built), source: p99(source) }, (
        round,
        name,
        figure,
      ) => progress.say(`p99, round ${round + 1}: ${name} ${figure.toFixed(1)} ms`));
      await built.stop();
      await source.stop();
      return [
        judge(GOALS.builtStart, starts.built, starts.source),
        judge(GOALS.builtTail, found.built, found.source),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function startSeconds(start: () => Promise<RunningService>): Promise<number> {
  const before = performance.now();
  const service = await start();
  const seconds = (performance.now() - before) / 1000;
  await service.stop();
  return seconds;
}
