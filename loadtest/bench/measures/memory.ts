import { GOALS } from "../goals.ts";
import type { Bench, Measure } from "../measure.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS } from "../run_orders.ts";
import { createSite, type RunningService, type Site } from "../world/site.ts";
import { PARTNERS } from "../world/world.ts";

const FEW = 10_000;
const MANY = 1_000_000;
/** Signed and sent in portions: the loader keeps them in its memory. */
const PORTION = 100_000;
/** Samples of the memory at each point: it breathes with the collector. */
const SAMPLES = 20;

export const memory: Measure = {
  name: "memory",
  asks: "Does the server need as much memory after a million orders as after ten thousand?",
  long: true,
  takes: () => MANY / 2_500,
  async run(bench) {
    const { postgresql } = await bench.world();
    const site = await createSite(postgresql, "memory", PARTNERS);
    try {
      const server = await site.startServer();
      await send(bench, site, server, FEW);
      const few = await resident(server);
      bench.progress.say(`memory after ${FEW} orders: ${megabytes(few)}`);
      for (let sent = FEW; sent < MANY; sent += PORTION) {
        await send(bench, site, server, Math.min(PORTION, MANY - sent));
        const done = Math.min(MANY, sent + PORTION);
        bench.progress.say(`memory after ${done} orders: ${megabytes(await resident(server))}`);
      }
      return [judge(GOALS.memory, [await resident(server)], [few])];
    } finally {
      await site.close();
    }
  },
};

async function send(bench: Bench, site: Site, server: RunningService, orders: number) {
  const lanes = await site.lanes(site.partners, orders);
  const job = {
    target: server.target,
    baseUrl: site.baseUrl,
    connections: BUSY_CONNECTIONS,
    lanes,
  };
  await bench.loader.run({ ...job, seconds: 600 });
}

/** The median of some samples over two seconds, at rest. */
async function resident(server: RunningService): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < SAMPLES; count++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    samples.push(server.process.residentBytes());
  }
  return samples.sort((a, b) => a - b)[SAMPLES / 2]!;
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
