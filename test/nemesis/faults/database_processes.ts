import { signalAll } from "../../faults/postgresql_processes.ts";
import { inPlaces } from "./in_places.ts";
import { signal } from "./signals.ts";

/** SIGKILL and SIGSTOP of a PostgreSQL and its processes. */
export const DATABASE_PROCESS_FAULTS = inPlaces({
  async "kill a backend"({ database: { sql } }, { pick }) {
    const backends = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'sabika-server'`;
    if (backends.length > 0) signal(pick(backends).pid, "SIGKILL");
  },
  async "kill the postmaster"({ postgresql }) {
    signal(postgresql.pid, "SIGKILL");
  },
  async "power off PostgreSQL"({ postgresql }) {
    signalAll(postgresql, "SIGKILL");
  },
  async "stop PostgreSQL"({ postgresql }) {
    const { pid } = postgresql;
    signalAll(postgresql, "SIGSTOP");
    return () => Promise.resolve(postgresql.pid === pid && signalAll(postgresql, "SIGCONT"));
  },
});
