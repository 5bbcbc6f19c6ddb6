import { type Database, warnExpiringCredentials } from "@sabika/core";
import { measureClockOffset } from "./clock_offset.ts";
import type { Job } from "./jobs.ts";

export interface HousekeepingParts {
  readonly database: Database;
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly nonceRetentionSeconds: number;
  /** Told of each measurement of the clock. */
  readonly onClockOffset: (offsetMs: number) => void;
}

const MINUTE_MS = 60_000;

/** What every instance does beside its requests; that several do it at once is safe. */
export function housekeepingJobs(parts: HousekeepingParts): Job[] {
  const { database, now, random } = parts;
  return [
    {
      name: "clock_offset",
      everyMs: 5_000,
      run: async () => parts.onClockOffset(await measureClockOffset(database, now)),
    },
    {
      // Partitions are made a day ahead; dropping waits until no timestamp in one can come back.
      name: "nonce_partitions",
      everyMs: 10 * MINUTE_MS,
      run: async () => {
        const nowSeconds = Math.floor(now() / 1000);
        await database.sql`select make_nonce_partitions(${nowSeconds}::bigint)`;
        await database.sql`
          select drop_nonce_partitions(${nowSeconds - parts.nonceRetentionSeconds}::bigint)`;
      },
    },
    {
      name: "credential_warnings",
      everyMs: 10 * MINUTE_MS,
      run: () => warnExpiringCredentials({ database, nowMs: now(), random }),
    },
  ];
}
