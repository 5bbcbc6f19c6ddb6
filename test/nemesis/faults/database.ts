import { setTimeout as pause } from "node:timers/promises";
import { openDatabase } from "@sabika/database";
import { signal } from "../../../tools/programs/marked_processes.ts";
import { holdLock } from "../../support/hold_lock.ts";
import { asSuperuser } from "../../support/as_superuser.ts";
import { processesOf, signalAll } from "../../faults/postgresql_processes.ts";
import type { Place } from "../places.ts";
import { again } from "./fault.ts";
import { inPlaces, type PlaceFault } from "./in_places.ts";

/** Locks all accounts in this order and releases them after `ms`. */
async function lockAccounts({ database }: Place, order: "asc" | "desc", ms: number) {
  const { sql } = database;
  await sql.begin(async (tx) => {
    const rows = await tx<{ partner_id: number }[]>`select partner_id from accounts`;
    const sign = order === "asc" ? 1 : -1;
    for (const { partner_id } of rows.toSorted((a, b) => sign * (a.partner_id - b.partner_id))) {
      await tx`select 1 from accounts where partner_id = ${partner_id} for update`;
      await pause(5);
    }
    await pause(ms);
  });
}

async function setReadOnly({ postgresql }: Place, value: "on" | "off") {
  // Clients that follow the primary would reject a server that takes no writes. A standby takes the setting, too.
  await asSuperuser(postgresql, async (sql) => {
    await sql`set default_transaction_read_only = off`;
    await sql.unsafe(`alter system set default_transaction_read_only = ${value}`).simple();
    await sql`select pg_reload_conf()`;
  });
}

const SESSIONS = 220;
/** Faults of PostgreSQL, its sessions and its processes. */
export const DATABASE_FAULTS = inPlaces({
  async "terminate sessions"({ database }) {
    return again(100, async () =>
      void await database.sql`
        select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity where application_name = 'sabika-server'
          order by random() limit 2) victims`);
  },
  async "cancel statements"({ database }) {
    return again(30, async () =>
      void await database.sql`
        select pg_cancel_backend(pid) from pg_stat_activity
        where application_name = 'sabika-server' and state = 'active'`);
  },
  async "lock accounts"({ database }) {
    const release = await holdLock(
      database,
      (tx) => tx`select 1 from accounts order by partner_id for update`,
    );
    // Another fault may have ended the session.
    return () => release().catch(() => {});
  },
  async "deadlocks"(place) {
    return again(5, () => lockAccounts(place, "desc", 10));
  },
  async "read-only database"(place) {
    await setReadOnly(place, "on");
    return () => setReadOnly(place, "off");
  },
  async "connections exhausted"({ serverUrl, database }) {
    const greedy = openDatabase(serverUrl, { maxConnections: SESSIONS, applicationName: "greedy" });
    let isOver = false;
    const taken: { release(): void }[] = [];
    await Promise.race([
      Promise.all(Array.from({ length: SESSIONS }, async () => {
        const session = await greedy.sql.reserve();
        if (isOver) return session.release();
        taken.push(session);
        await session`select 1`;
      })).catch(() => {}),
      pause(3_000),
    ]);
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'sabika-server'`.catch(() => {});
    return async () => {
      isOver = true;
      for (const session of taken) session.release();
      await greedy.close();
    };
  },
  async "kill a backend"({ database: { sql } }, { pick }) {
    const backends = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'sabika-server'`;
    if (backends.length > 0) signal(pick(backends).pid, "SIGKILL");
  },
  async "kill the postmaster"({ postgresql }) {
    signal(postgresql.pid, "SIGKILL");
  },
  async "kill all of PostgreSQL"({ postgresql }) {
    signalAll(postgresql, "SIGKILL");
  },
  async "stop PostgreSQL"({ postgresql }) {
    signalAll(postgresql, "SIGSTOP");
    const pids = processesOf(postgresql);
    return async () => pids.forEach((pid) => signal(pid, "SIGCONT"));
  },
});

/** What a disk does to whoever writes to it: every flush takes long, or fails, whereupon PostgreSQL crashes. */
const HARMS_OF_DISKS: Readonly<Record<string, string>> = {
  "slow disk": "fdatasync,fsync:delay_enter=100ms",
  "failing disk": "fdatasync,fsync:error=EIO",
};

/** Faults of the disk below a database, as PostgreSQL meets them. */
export const DISK_FAULTS = inPlaces(
  Object.fromEntries(
    Object.entries(HARMS_OF_DISKS).map(([name, harm]): [string, PlaceFault] => [
      name,
      ({ postgresql }, _chance, { systemCalls }) =>
        Promise.resolve(systemCalls?.disturb(processesOf(postgresql), harm)),
    ]),
  ),
);
