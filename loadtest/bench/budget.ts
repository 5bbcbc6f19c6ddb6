/**
 * Measures where the time of an order goes: processor time by process and kind of thread, and the wait for
 * the commit, for orders of one partner through Envoy. It has no goal, but explains the other measures.
 *
 *   node --import tsx loadtest/bench/budget.ts [seconds] [connections]
 */
import { availableParallelism } from "node:os";
import process from "node:process";
import { columns } from "./table.ts";
import { BUSY_CONNECTIONS } from "./run_orders.ts";
import { startLoader } from "./loader/start_loader.ts";
import { childrenOf, type CpuTimes, processTime, threadTimes } from "./world/cpu_time.ts";
import { openStackSite, type StackSite } from "./world/stack_site.ts";

const seconds = Number(process.argv[2] ?? 8);
const connections = Number(process.argv[3] ?? BUSY_CONNECTIONS);
const loader = startLoader();
const site = await openStackSite();
try {
  await site.database.sql.unsafe("alter system set track_wal_io_timing = on");
  await site.database.sql`select pg_reload_conf()`;
  await site.run(loader, { seconds: 3, connections });
  let before: { times: CpuTimes; wal: Wal } | undefined;
  let reading: Promise<void> | undefined;
  const result = await site.run(loader, {
    seconds,
    connections,
    onGo() {
      reading = (async () => {
        before = { wal: await readWal(site), times: readTimes(site) };
      })();
    },
  });
  await reading;
  const times = readTimes(site);
  const wal = await readWal(site);
  const started = before!;
  const cores = availableParallelism();
  const available = cores * result.seconds * 1e6;
  const rows = Object.keys(times).map((name): [string, number] => [
    name,
    times[name]! - (started.times[name] ?? 0),
  ]);
  const used = rows.reduce((sum, [, time]) => sum + time, 0);
  rows.push(["everything else, and idle", available - used]);
  const perOrder = (time: number) => (time / result.answers).toFixed(1);
  console.log(
    `${
      result.perSecond.toFixed(0)
    } orders a second through Envoy, one partner, ${connections} connections; ` +
      `p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms\n`,
  );
  console.log(columns([
    [`of ${cores} cores`, "µs an order", "share"],
    ...rows.map(([name, time]) => [name, perOrder(time), share(time / available)]),
    ["together", perOrder(available), share(1)],
  ]));
  const syncs = Number(wal.syncs - started.wal.syncs);
  console.log(
    `${(result.answers / syncs).toFixed(1)} orders a flush to the disk, ` +
      `${((wal.syncMs - started.wal.syncMs) / syncs).toFixed(2)} ms a flush, ` +
      `${
        (Number(wal.bytes - started.wal.bytes) / result.answers).toFixed(0)
      } bytes of WAL an order`,
  );
} finally {
  await loader.stop();
  await site.close();
}

interface Wal {
  readonly syncs: bigint;
  readonly syncMs: number;
  readonly bytes: bigint;
}

async function readWal({ database }: StackSite): Promise<Wal> {
  const [row] = await database.sql<{ syncs: bigint; sync_ms: number; bytes: bigint }[]>`
    select wal_sync as syncs, wal_sync_time as sync_ms, wal_bytes::bigint as bytes
    from pg_stat_wal`;
  return { syncs: row!.syncs, syncMs: row!.sync_ms, bytes: row!.bytes };
}

function readTimes({ stack }: StackSite): CpuTimes {
  const server = threadTimes(stack.instances()[0]!.pid);
  const database = childrenOf(stack.postgresql.pid);
  const backends = database.filter(({ title }) => /\[local\]/.test(title));
  const rest = database.filter((child) => !backends.includes(child));
  const sum = (children: { pid: number }[]) =>
    children.reduce((total, { pid }) => total + processTime(pid), 0);
  return {
    "Envoy: TLS, HTTP, its checks": processTime(stack.sidecar().pid),
    "server, main thread: HTTP, checks, JSON, batches": server.main,
    "server, other threads: verifying signatures": server.others,
    "PostgreSQL, sessions: SQL": sum(backends),
    "PostgreSQL, writers: WAL, background": sum(rest),
    "the loader itself": processTime(loader.pid),
  };
}

function share(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
