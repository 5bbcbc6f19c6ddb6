import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import { startLoader } from "../loader/start_loader.ts";
import { figuresTake, type Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { columns } from "../table.ts";
import { ratiosOf, spread } from "../statistics.ts";
import { openStackSite } from "../world/stack_site.ts";
import { CALM_A_SECOND, FLOOD_A_SECOND, FLOODING_LIMIT } from "./fairness.ts";

const CALM = 0;
const FLOODING = 1;

/** A figure of one round. */
interface Times {
  p50Ms: number;
  p99Ms: number;
}

/** As `fairness`, through Envoy: what it changes to refuse a flood there, before the server. */
export const neighbours: Measure = {
  name: "neighbours",
  asks: "Through Envoy: what is a flood to its neighbour, refused by the server or by Envoy?",
  long: true,
  takes: (size) => 15 + 1.5 * figuresTake(size, 3, 1),
  async run({ rounds, seconds: asked, progress, loader, note }) {
    const seconds = Math.max(3, asked);
    const site = await openStackSite(2);
    const second = startLoader();
    try {
      const limits = JSON.stringify({ signed: FLOODING_LIMIT });
      await site.database.sql`update register_state set revision = revision + 1`;
      await site.database.sql`
        update partners set rate_limits = ${limits}::text::jsonb,
          revision = (select revision from register_state)
        where partner_id = ${site.partnerIds[FLOODING]!}`;
      const refusing = await site.startOtherEnvoy("one worker", {
        requestsPerSecond: FLOODING_LIMIT.perSecond,
        burst: FLOODING_LIMIT.burst,
      });
      const times = { alone: [] as Times[], beside: [] as Times[], atEnvoy: [] as Times[] };
      const calm = (name: keyof typeof times, port?: number) => async () => {
        const result = await site.run(loader, site.targetOf(CALM, port), {
          ...{ seconds, connections: 8, partner: CALM, pace: CALM_A_SECOND },
        });
        times[name].push(result);
        return result.p99Ms;
      };
      const beside = (name: keyof typeof times, port?: number) => async () => {
        let begun = () => {};
        const begins = new Promise<void>((resolve) => begun = resolve);
        const flood = site.run(second, site.targetOf(FLOODING, port), {
          ...{ seconds: seconds + 2, connections: 32, partner: FLOODING, pace: FLOOD_A_SECOND },
          ...{ expected: [201, 429], onGo: begun },
        });
        await Promise.race([begins, flood]);
        const p99Ms = await calm(name, port)();
        const { succeeded, answers } = await flood;
        progress.say(`neighbours: of ${answers} of the flood ${succeeded} were carried out`);
        return p99Ms;
      };
      const measures = {
        alone: calm("alone"),
        beside: beside("beside"),
        atEnvoy: beside("atEnvoy", refusing.port),
      };
      await measures.alone();
      times.alone.length = 0;
      const found = await interleave(rounds, measures, (round, name, figure) => {
        progress.say(`neighbours, round ${round + 1}: p99 ${name} ${figure.toFixed(2)} ms`);
      });
      const row = (title: string, name: keyof typeof times, of: keyof Times) => {
        const list = (which: keyof typeof times) => times[which].map((one) => one[of]);
        const { median, min, max } = spread(ratiosOf(list(name), list("alone")));
        return [title, ...[median, min, max].map((figure) => figure.toFixed(2))];
      };
      note(columns([
        ["time of a calm partner's order ÷ alone", "median", "min", "max"],
        row("p50, the server refuses the flood", "beside", "p50Ms"),
        row("p99", "beside", "p99Ms"),
        row("p50, Envoy refuses it", "atEnvoy", "p50Ms"),
        row("p99", "atEnvoy", "p99Ms"),
      ]));
      return [judge(GOALS.fairnessThroughEnvoy, found.beside, found.alone)];
    } finally {
      await second.stop();
      await site.close();
    }
  },
};
