import { startLoader } from "./bench/loader/start_loader.ts";
import { createWorld } from "./bench/world/world.ts";
import { runOrders } from "./bench/run_orders.ts";
import { runPgbench } from "./bench/world/pgbench.ts";
const progress = { say: (t: string) => console.log(t), done() {}, stop() {} } as any;
const loader = startLoader();
const world = await createWorld(progress);
const { site, pgbench } = world as any;
const opts = [...(process.env.UV ? ["--require", `/tmp/uv${process.env.UV}.cjs`] : []), ...(process.env.PROF ? ["--cpu-prof", "--cpu-prof-dir=/tmp/prof"] : [])];
const server = await site.startServer(opts);
const bench = {
  quick: true,
  rounds: 1,
  seconds: Number(process.env.SECONDS ?? 5),
  progress,
  loader,
  world: async () => world,
} as any;
try {
  await runOrders({ ...bench, seconds: 2 }, site, server, 1);
  const rounds = Number(process.env.ROUNDS ?? 1);
  for (let r = 0; r < rounds; r++) {
    console.log("hot", JSON.stringify(await runOrders(bench, site, server, 1)));
    if (!process.env.HOTONLY) {
      console.log("hundred", JSON.stringify(await runOrders(bench, site, server, 100)));
    }
    if (!process.env.HOTONLY) {
      console.log("pgbench", await runPgbench(pgbench, { clients: 8, seconds: bench.seconds }));
    }
  }
} finally {
  await server.stop();
  await loader.stop();
  await world.close();
}
