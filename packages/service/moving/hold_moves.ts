import { clearInterval, setInterval } from "node:timers";
import type { AnySql, Database, ReservedSql, TransactingSql } from "@sabika/database";

/** Where partners are moved. */
export interface MovingPlace {
  readonly control: Database;
  /**
   * The database of a cell, control's for `main`.
   *
   * @throws Error when it cannot be used now
   */
  databaseOf(cellId: string): Promise<Database>;
}

/**
 * A partner's moves, held by one session in control and one in each cell that is needed (Decision D114). They
 * never reconnect: whoever loses one changes nothing more by it.
 */
export interface HeldMoves {
  readonly control: TransactingSql;
  /**
   * The session in a cell; control's own for `main`.
   *
   * @throws {HeldElsewhere} when somebody else still holds them there
   */
  cell(cellId: string): Promise<TransactingSql>;
  /** Ends the sessions, and with them the locks. */
  end(): void;
}

/** Somebody else holds the moves of a partner. */
export class HeldElsewhere extends Error {
  override name = "HeldElsewhere";
  constructor(partnerId: number) {
    super(`somebody else moves partner ${partnerId}`);
  }
}

/** The first key of the advisory lock; the second is the partner's number. */
const LOCK = 7323;
const BEAT_MS = 1_000;

/**
 * Holds a partner's moves, so that nobody else carries one out, until `end` or the end of this process: the
 * databases notice within five seconds that it has died, hangs or cannot be reached.
 *
 * @throws {HeldElsewhere} when somebody else holds them
 */
export async function holdMoves(
  { control, databaseOf }: MovingPlace,
  partnerId: number,
): Promise<HeldMoves> {
  const sessions = new Map<Database, Promise<ReservedSql>>();
  const held: ReservedSql[] = [];
  const open = (database: Database) => {
    const session = sessions.get(database) ?? database.sql.reserve().then(async (sql) => {
      held.push(sql);
      await endWithProcess(sql);
      const [row] = await sql<{ isOurs: boolean }[]>`
        select pg_try_advisory_lock(${LOCK}::integer, ${partnerId}::integer) as "isOurs"`;
      if (!row!.isOurs) throw new HeldElsewhere(partnerId);
      return sql;
    });
    sessions.set(database, session);
    return session;
  };
  // A hanging process does not beat. A failure shows at the next statement.
  const beat = () => held.forEach((sql) => sql`select`.catch(() => {}));
  const timer = setInterval(beat, BEAT_MS);
  const end = () => {
    clearInterval(timer);
    for (const sql of held) sql.end();
  };
  try {
    return { control: await open(control), cell: async (id) => open(await databaseOf(id)), end };
  } catch (error) {
    end();
    throw error;
  }
}

/** Has the server end the session within five seconds after this process died, hangs or cannot be reached. */
export async function endWithProcess(sql: ReservedSql): Promise<void> {
  await sql`select set_config(name, value, false) from (values
    ('idle_session_timeout', '5s'), ('client_connection_check_interval', '1s'),
    ('tcp_keepalives_idle', '2'), ('tcp_keepalives_interval', '1'), ('tcp_keepalives_count', '3'),
    ('tcp_user_timeout', '5s'), ('statement_timeout', '0')) as settings (name, value)`;
}

/** Which partners' moves somebody holds. Read in control. */
export function readHeldMoves(sql: AnySql): Promise<ReadonlySet<number>> {
  return sql<{ partnerId: number }[]>`
    select objid::integer as "partnerId" from pg_locks where locktype = 'advisory' and granted
      and classid = ${LOCK}::integer and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`
    .then((rows) => new Set(rows.map(({ partnerId }) => partnerId)));
}
