import type { Place } from "../places.ts";
import type { Fault } from "./fault.ts";
import { inPlaces } from "./in_places.ts";

function full(which: readonly ("data" | "logs")[]): Fault {
  return async ({ disks }) => {
    await Promise.all(which.map((one) => disks?.[one].fill()));
    return () => Promise.all(which.map((one) => disks?.[one].empty()));
  };
}

/** Every flush of PostgreSQL's log, which commits wait for, begins so much later. */
const SLOW_MICROSECONDS = 100_000;

async function setCommitDelay({ database: { sql } }: Place, isSlow: boolean) {
  const [siblings, delay] = isSlow
    ? ["to 0", `to ${SLOW_MICROSECONDS}`]
    : ["to default", "to default"];
  await sql.unsafe(`alter system set commit_siblings ${siblings}`).simple();
  await sql.unsafe(`alter system set commit_delay ${delay}`).simple();
  await sql`select pg_reload_conf()`;
}

/** Disks that are full, and one that is slow. */
export const DISK_FAULTS: Readonly<Record<string, Fault>> = {
  "full disk of data": full(["data"]),
  "full disk of logs": full(["logs"]),
  "full disks": full(["data", "logs"]),
  ...inPlaces({
    async "slow disk"(place) {
      await setCommitDelay(place, true);
      return () => setCommitDelay(place, false);
    },
  }),
};
