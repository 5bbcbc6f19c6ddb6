import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Job } from "../loader/job.ts";
import { startLoader } from "../loader/start_loader.ts";
import { figuresTake, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { createSite } from "../world/site.ts";

export const CALM_A_SECOND = 200;
export const FLOOD_A_SECOND = 3_000;
/** What the flooding partner may. */
export const FLOODING_LIMIT = { perSecond: 500, burst: 500 };

export const fairness: Measure = {
  name: "fairness",
  asks: "Does one partner's flood leave another partner's p99 where it was?",
  long: true,
  takes: (size) => 8 + 2 * figuresTake(size, 2, 1),
  async run(bench) {
    const { rounds, progress, loader } = bench;
    const seconds = Math.max(3, bench.seconds);
    const { postgresql } = await bench.world();
    const site = await createSite(postgresql, "fairness", 2);
    const second = startLoader();
    try {
      const limits = JSON.stringify({ signed: FLOODING_LIMIT });
      const [calm, flooding] = site.partners;
      await site.database.sql`update register_state set revision = revision + 1`;
      await site.database.sql`
        update partners set rate_limits = ${limits}::text::jsonb,
          revision = (select revision from register_state)
        where partner_id = ${flooding!.partnerId}`;
      const server = await site.startServer();
      const job = (pace: number, connections: number): Omit<Job, "lanes"> => ({
        target: server.target,
        baseUrl: site.baseUrl,
        connections,
        seconds,
        pace,
      });
      const calmRun = async () => {
        const lanes = await site.lanes([calm!], CALM_A_SECOND * seconds);
        return await loader.run({ ...job(CALM_A_SECOND, 8), lanes });
      };
      const alone = async () => (await calmRun()).p99Ms;
      const beside = async () => {
        const lanes = await site.lanes([flooding!], FLOOD_A_SECOND * (seconds + 2));
        const flood = { ...job(FLOOD_A_SECOND, 32), seconds: seconds + 2, lanes };
        let begun = () => {};
        const begins = new Promise<void>((resolve) => begun = resolve);
        const flooded = second.run({ ...flood, expected: [201, 429] }, begun);
        await Promise.race([begins, flooded]);
        const { p99Ms } = await calmRun();
        const { succeeded, answers } = await flooded;
        progress.say(`fairness: of ${answers} of the flood ${succeeded} were carried out`);
        return p99Ms;
      };
      await alone();
      const found = await interleave(rounds, { alone, beside }, (round, name, figure) => {
        progress.say(`fairness, round ${round + 1}: p99 ${name} ${figure.toFixed(2)} ms`);
      });
      return [judge(GOALS.fairness, found.beside, found.alone)];
    } finally {
      await second.stop();
      await site.close();
    }
  },
};
