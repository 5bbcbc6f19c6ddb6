import { clearInterval, setInterval } from "node:timers";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";
import { readDatabaseUrl } from "./database_url.ts";

/** The standbys of a primary, for reads of what is past (Decision D121). */
export interface Standbys {
  /** Makes `past` of a database of this primary read on the freshest standby, and there when none will do. */
  behind(primary: Database): Database;
  /** How far the freshest standby is behind at most, in milliseconds; undefined while none is known. */
  lagMs(): number | undefined;
  /** Asks all servers now, as is done twice a second. */
  look(): Promise<void>;
  /** How many reads of the past went where, since the start. */
  readonly reads: Readonly<Record<"standby" | "primary", number>>;
  close(): Promise<void>;
}

/** The parameters of `openStandbys`. */
export interface StandbysParts {
  /** The URL of the primary and its standbys; of one server alone it has none. */
  readonly url: string;
  /** By which the primary is asked. */
  readonly primary: Pick<Database, "sql">;
  /** A standby that is further behind is not read; 0: none is. */
  readonly lagLimitMs: number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** Of the connections to each server. */
  readonly options: DatabaseOptions;
}

/** One of the servers, and up to when it has everything, by the monotonic clock. */
interface Server {
  readonly database: Database;
  hasUpToMs: number;
  isAsked: boolean;
}

/** What the primary had flushed when it was asked. */
interface Mark {
  readonly atMs: number;
  readonly position: Position;
}

interface Position {
  readonly isStandby: boolean;
  /** The cluster and its timeline, without which positions do not compare. */
  readonly history: string;
  readonly lsn: bigint;
}

const LOOK_EVERY_MS = 500;

/**
 * The timeline is read from what a standby has on its disk, which names a new one only after its next
 * restart point: until then it is not read, rather than one that went another way.
 */
const QUESTION = `select pg_is_in_recovery() as "isStandby",
  concat_ws(' ', (select system_identifier from pg_control_system()), case when pg_is_in_recovery()
    then greatest((select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery()))
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end) as history,
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
    else pg_current_wal_flush_lsn() end, '0/0')::bigint as lsn`;

/**
 * Opens the standbys of a primary. Twice a second the primary says how much of its log is flushed, and each
 * standby how much it has replayed: what is acknowledged is flushed, so a standby that has replayed as
 * much as the primary had at a moment has everything up to then. No clock but ours is believed.
 *
 * @throws what `readDatabaseUrl` throws when the URL cannot be read
 */
export function openStandbys(
  { url, primary, lagLimitMs, monotonic, options }: StandbysParts,
): Standbys {
  const places = readDatabaseUrl(url).servers;
  const servers: Server[] = places.length === 1 || lagLimitMs === 0 ? [] : places.map((only) => ({
    database: openDatabase(url, { ...options, only }),
    hasUpToMs: -Infinity,
    isAsked: false,
  }));
  const reads = { standby: 0, primary: 0 };
  let marks: readonly Mark[] = [];
  let asking: Promise<void> | undefined;

  async function askPrimary(): Promise<void> {
    const atMs = monotonic();
    const position = await ask(primary);
    if (position.isStandby) return;
    const isUseful = (known: Mark) =>
      known.position.history === position.history && known.atMs >= atMs - lagLimitMs;
    marks = [...marks.filter(isUseful), { atMs, position }];
  }

  async function look(): Promise<void> {
    // One question at a time, however long the answer takes.
    await (asking ??= askPrimary().finally(() => asking = undefined));
    if (marks.length === 0) return;
    await Promise.all(servers.filter(({ isAsked }) => !isAsked).map(compare));
  }

  async function compare(server: Server): Promise<void> {
    server.isAsked = true;
    try {
      const { isStandby, history, lsn } = await ask(server.database);
      const isOurs = isStandby && history === marks.at(-1)!.position.history;
      const had = marks.findLast(({ position }) => position.lsn <= lsn);
      if (!isOurs) server.hasUpToMs = -Infinity;
      else if (had !== undefined) server.hasUpToMs = had.atMs;
    } catch {
      // What it had is soon too long ago.
    } finally {
      server.isAsked = false;
    }
  }

  /** The freshest server that is fresh enough; the primary itself never is one. */
  function freshest(): Server | undefined {
    const [first] = servers.toSorted((a, b) => b.hasUpToMs - a.hasUpToMs);
    return first !== undefined && monotonic() - first.hasUpToMs <= lagLimitMs ? first : undefined;
  }

  const timer = servers.length === 0
    ? undefined
    : setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref();
  return {
    behind: (here) => ({
      ...here,
      async past(read, isThere) {
        const standby = freshest();
        try {
          if (standby !== undefined && await (isThere?.(standby.database) ?? true)) {
            const found = await read(standby.database);
            reads.standby++;
            return found;
          }
        } catch {
          // Cancelled by what is replayed, away, or wrong: the primary answers, and says so if it is.
          standby!.hasUpToMs = -Infinity;
        }
        reads.primary++;
        return await read(here);
      },
    }),
    look,
    lagMs() {
      const upToMs = Math.max(...servers.map(({ hasUpToMs }) => hasUpToMs));
      return upToMs === -Infinity ? undefined : monotonic() - upToMs;
    },
    reads,
    async close() {
      clearInterval(timer);
      await Promise.all(servers.map(({ database }) => database.close()));
    },
  };
}

async function ask({ sql }: Pick<Database, "sql">): Promise<Position> {
  const [row] = await sql.unsafe<Position[]>(QUESTION);
  return row!;
}
