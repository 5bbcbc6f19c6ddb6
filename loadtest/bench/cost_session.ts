/**
 * A process of `cost` that keeps a checkout's stack up and measures windows of orders, one for each message
 * `{ orders }`: processor time by process and kind of thread, flushes and bytes; or, with `ordersACommit`,
 * the floor. It ends when its parent disconnects.
 */
import process from "node:process";
import { endChildrenAtSignals } from "../../tools/programs/end_children_at_signals.ts";
import { startLoader } from "./loader/start_loader.ts";
import { BUSY_CONNECTIONS } from "./run_orders.ts";
import { childrenOf, type CpuTimes, LOADER, processTime, threadTimes } from "./world/cpu_time.ts";
import { measureFloor } from "./world/floor.ts";
import { openStackSite, type StackSite } from "./world/stack_site.ts";

/** What some orders of one partner through Envoy took. */
export interface OrderWindow {
  readonly answers: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of processor time an order, by process and kind of thread. */
  readonly times: CpuTimes;
  readonly flushes: number;
  readonly flushMs: number;
  /** Bytes an order. */
  readonly bytes: Readonly<Record<string, number>>;
}

/** What a session is asked to measure. */
export interface ToSession {
  readonly orders: number;
  /** Asks for the floor of orders that share a commit with as many. */
  readonly ordersACommit?: number;
}

/** The messages of a session: first `ready`, then one for each that it is sent. */
export type FromSession =
  | { kind: "ready" }
  | { kind: "floor"; times: CpuTimes }
  | { kind: "window"; window: OrderWindow }
  | { kind: "failed"; message: string };

/** One gigabyte: more than a comparison writes. */
const LOG_FILES = 64;

interface Readings {
  readonly times: CpuTimes;
  readonly flushes: number;
  readonly flushMs: number;
  readonly bytes: Readonly<Record<string, number>>;
}

endChildrenAtSignals();
const report = (message: FromSession) => void process.send?.(message);
const failed = (error: unknown) => report({ kind: "failed", message: String(error) });
const loader = startLoader();
const site = await openStackSite();
process.once("disconnect", () => {
  void loader.stop().then(() => site.close()).finally(() => process.exit());
});
// No checkpoint falls into only some of the windows.
const settings = [
  "track_wal_io_timing = on",
  "checkpoint_timeout = '1h'",
  "max_wal_size = '16GB'",
  "min_wal_size = '2GB'",
];
for (const setting of settings) await site.database.sql.unsafe(`alter system set ${setting}`);
await site.database.sql`select pg_reload_conf()`;
await makeLogFiles(site);
process.on("message", ({ orders, ordersACommit }: ToSession) => {
  const answer = ordersACommit === undefined
    ? measure(orders).then((window) => ({ kind: "window", window }) as const)
    : measureFloor(site, loader, { orders, connections: BUSY_CONNECTIONS, ordersACommit })
      .then((times) => ({ kind: "floor", times }) as const);
  answer.then(report, failed);
});
report({ kind: "ready" });

async function measure(orders: number): Promise<OrderWindow> {
  let before: Readings;
  const { answers, seconds, p50Ms, p99Ms } = await site.run(loader, {
    orders,
    connections: BUSY_CONNECTIONS,
    onGo: async () => {
      before = { ...await readDatabase(site), times: readTimes(site) };
    },
  });
  const times = readTimes(site);
  const after: Readings = { ...await readDatabase(site), times };
  const perOrder = (kind: "times" | "bytes") =>
    Object.fromEntries(
      Object.entries(after[kind]).map((
        [name, sum],
      ) => [name, (sum - before[kind][name]!) / answers]),
    );
  return {
    answers,
    seconds,
    p50Ms,
    p99Ms,
    times: perOrder("times"),
    flushes: after.flushes - before!.flushes,
    flushMs: after.flushMs - before!.flushMs,
    bytes: perOrder("bytes"),
  };
}

/** Makes ready the log's next files, as checkpoints of a database do that has run for a while. */
async function makeLogFiles({ database: { sql } }: StackSite): Promise<void> {
  for (let n = 0; n < LOG_FILES; n++) {
    await sql`select pg_logical_emit_message(false, '', '')`;
    await sql`select pg_switch_wal()`;
  }
  await sql`checkpoint`;
}

/** Reads the database's own counts. The bench itself writes the quotes. */
async function readDatabase({ database }: StackSite): Promise<Omit<Readings, "times">> {
  const [row] = await database.sql<
    { flushes: number; flushMs: number; log: number; tables: number; indexes: number }[]
  >`
    select wal_sync::float8 as flushes, wal_sync_time as "flushMs", (pg_current_wal_lsn() - '0/0')::float8 as log, tables, indexes
    from pg_stat_wal, (
      select sum(pg_table_size(oid))::float8 as tables, sum(pg_indexes_size(oid))::float8 as indexes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'quotes'
    ) sizes`;
  const { flushes, flushMs, log, tables, indexes } = row!;
  return { flushes, flushMs, bytes: { log, tables, indexes } };
}

function readTimes({ stack }: StackSite): CpuTimes {
  const server = threadTimes(stack.instances()[0]!.pid);
  const database = childrenOf(stack.postgresql!.pid);
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
    [LOADER]: processTime(loader.pid),
  };
}
