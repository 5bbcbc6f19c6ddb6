import { startLoader } from "../loader/start_loader.ts";
import type { Bench } from "../measure.ts";
import type { RunningService, Site } from "../world/site.ts";

const CALM_A_SECOND = 200;
const FLOOD_A_SECOND = 3_000;
/** The rate limit of the flooding partner, which is far below what the service can carry out. */
const FLOODING_LIMIT = { perSecond: 500, burst: 500 };
/** The flood lasts longer by this, so that all orders of the other partner are sent during it. */
const LONGER_SECONDS = 2;

/** Runs of one partner's orders; each resolves with their p99 in milliseconds. */
export interface FloodRuns {
  alone(): Promise<number>;
  /** Like `alone`, while the site's last partner sends six times its rate limit. */
  beside(): Promise<number>;
  stop(): Promise<void>;
}

/** Sets the rate limit of the site's last partner, and starts a loader for its flood. */
export async function prepareFlood(
  { loader, progress, seconds: wantedSeconds }: Bench,
  site: Site,
  server: RunningService,
): Promise<FloodRuns> {
  const seconds = Math.max(3, wantedSeconds);
  const calm = site.partners[0]!;
  const flooding = site.partners.at(-1)!;
  const limits = JSON.stringify({ signed: FLOODING_LIMIT });
  await site.database.sql`update register_state set revision = revision + 1`;
  await site.database.sql`
    update partners set rate_limits = rate_limits || ${limits}::text::jsonb,
      revision = (select revision from register_state)
    where partner_id = ${flooding.partnerId}`;
  const floodLoader = startLoader();
  const job = { target: server.target, baseUrl: site.baseUrl };
  const alone = async () => {
    const lanes = await site.lanes([calm], CALM_A_SECOND * seconds);
    const run = { ...job, connections: 8, seconds, pace: CALM_A_SECOND, lanes };
    return (await loader.run(run)).p99Ms;
  };
  return {
    alone,
    async beside() {
      const floodSeconds = seconds + LONGER_SECONDS;
      let begun = () => {};
      const begins = new Promise<void>((resolve) => begun = resolve);
      const flooded = floodLoader.run({
        ...job,
        connections: 32,
        seconds: floodSeconds,
        pace: FLOOD_A_SECOND,
        lanes: await site.lanes([flooding], FLOOD_A_SECOND * floodSeconds),
        expected: [201, 429],
      }, begun);
      await Promise.race([begins, flooded]);
      const p99Ms = await alone();
      const { succeeded, answers } = await flooded;
      progress.say(`of ${answers} orders of the flood ${succeeded} were carried out`);
      return p99Ms;
    },
    stop: floodLoader.stop,
  };
}
