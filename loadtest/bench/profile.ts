/**
 * What the server's main thread does while it carries out orders: microseconds an order by part, from
 * `node --cpu-prof`. Not a goal, but what the goals are explained by. On Node alone.
 *
 *   node --import tsx loadtest/bench/profile.ts [seconds] [connections]
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startLoader } from "./loader/start_loader.ts";
import { startProgress } from "./progress.ts";
import { BUSY_CONNECTIONS, runOrders } from "./run_orders.ts";
import { columns } from "./table.ts";
import { type CpuProfile, groupTimes } from "./world/cpu_profile.ts";
import { createWorld, PARTNERS } from "./world/world.ts";

const seconds = Number(process.argv[2] ?? 8);
const connections = Number(process.argv[3] ?? BUSY_CONNECTIONS);
const progress = startProgress();
const loader = startLoader();
const folder = await mkdtemp(join(tmpdir(), "sabika-profile-"));
try {
  const world = await createWorld(progress);
  try {
    for (const partners of [1, PARTNERS]) {
      const into = join(folder, String(partners));
      const server = await world.site.startServer(["--cpu-prof", `--cpu-prof-dir=${into}`]);
      const orders = async (onGo?: () => void) =>
        await runOrders({ loader, seconds }, world.site, server, partners, connections, onGo);
      await orders();
      let fromUs = 0;
      const result = await orders(() => void (fromUs = monotonicUs()));
      const toUs = fromUs + result.seconds * 1e6;
      // It writes its profile as it ends.
      await server.stop();
      const times = groupTimes(await readProfile(into), fromUs, toUs);
      const all = times.reduce((sum, [, time]) => sum + time, 0);
      console.log(
        `\n${result.perSecond.toFixed(0)} orders a second, partners: ${partners}, ` +
          `${connections} connections, Node ${process.versions.node}, profiled\n`,
      );
      console.log(columns([
        ["the server's main thread", "µs an order", "share"],
        ...times.map(([group, time]) => [
          group,
          (time / result.answers).toFixed(1),
          `${(time / all * 100).toFixed(1)} %`,
        ]),
        ["together", (all / result.answers).toFixed(1), "100.0 %"],
      ]));
    }
  } finally {
    await world.close();
  }
} finally {
  await loader.stop();
  await rm(folder, { recursive: true });
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

async function readProfile(folder: string): Promise<CpuProfile> {
  // The thread that loads TypeScript has one of its own.
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")),
  );
  const [longest] = texts.sort((first, second) => second.length - first.length);
  if (longest === undefined) throw new Error("the server left no profile");
  return JSON.parse(longest);
}
