import type { Database } from "@sabika/database";
import { each } from "../support/each.ts";

/** What happens right after a write to a table, within the transaction. */
export type FaultAction =
  /** The session is ended, as an operator or a crash would. */
  | "terminate"
  /** The transaction waits until `release`. */
  | "pause"
  /** The statement fails with this SQLSTATE: a serialization failure, a deadlock. */
  | "40001"
  | "40P01";

/** Faults within transactions, caused by triggers in the test's database. */
export interface FaultPoints {
  /** The next `times` transactions that write this table meet the fault. */
  arm(table: string, action: FaultAction, times?: number): Promise<void>;
  disarm(): Promise<void>;
  /** Returns how many times the fault has struck since it was armed. */
  met(): Promise<number>;
  /** Lets a transaction continue that `pause` holds. */
  release(): Promise<void>;
}

const TABLES = each(`accounts quotes nonces orders withdrawals fundings transfers events
  idempotency_keys trade_keys`);
const LOCK = 7_777_777;

/**
 * Installs the triggers.
 *
 * @param database has at least two connections, because `pause` holds a lock on one of them
 */
export async function installFaultPoints(database: Database): Promise<FaultPoints> {
  const { sql } = database;
  await sql.unsafe(`
    create table fault_points (table_name text, action text, times bigint);
    create sequence fault_count;
    create function fault_point() returns trigger language plpgsql as $$
    declare v record;
    begin
      select * into v from fault_points f where f.table_name = TG_TABLE_NAME;
      -- Unlike a table, a sequence keeps its value when the transaction is rolled back.
      if not found or nextval('fault_count') > v.times then return null; end if;
      if v.action = 'terminate' then
        perform pg_terminate_backend(pg_backend_pid());
        perform pg_sleep(1);
      elsif v.action = 'pause' then
        perform pg_advisory_xact_lock_shared(${LOCK});
      else
        raise exception 'injected' using errcode = v.action;
      end if;
      return null;
    end $$;
    ${
    TABLES.map((table) => `
    create trigger fault_point after insert or update on ${table}
      for each statement execute function fault_point();`).join("")
  }`).simple();
  let release = () => Promise.resolve();

  async function disarm(): Promise<void> {
    await sql`delete from fault_points`;
    await release();
  }
  return {
    async arm(table, action, times = 1) {
      await disarm();
      if (action === "pause") {
        const connection = await sql.reserve();
        await connection`select pg_advisory_lock(${LOCK})`;
        release = async () => {
          release = () => Promise.resolve();
          await connection`select pg_advisory_unlock(${LOCK})`;
          connection.release();
        };
      }
      await sql`alter sequence fault_count restart`;
      await sql`insert into fault_points values (${table}, ${action}, ${times})`;
    },
    disarm,
    async met() {
      const [row] = await sql<{ n: number }[]>`
        select least(last_value - (not is_called)::int, times)::int as n
        from fault_count, fault_points`;
      return row?.n ?? 0;
    },
    release: () => release(),
  };
}
