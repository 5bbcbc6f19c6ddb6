import { type BalanceAlarm, guardBalances, warnExpiringCredentials } from "@sabika/core/partners";
import type { Database } from "@sabika/core/store";
import { TIMESTAMP_WINDOW_SECONDS } from "@sabika/protocol";
import { type DatabaseState, readDatabaseState } from "./clock_offset.ts";
import type { Job } from "./jobs.ts";

export interface HousekeepingParts {
  readonly database: Database;
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly nonceRetentionSeconds: number;
  /** Told of each look at the database. */
  readonly onDatabaseState: (state: DatabaseState) => void;
  /** Where balances are checked: this holds up no trade. */
  readonly checkingDatabase: Database;
  /** Told of each partner whose balances were found wrong, and of each that was stopped for it. */
  readonly onWrongBalances: (alarm: BalanceAlarm) => void;
}

const MINUTE_MS = 60_000;
const BALANCES_EVERY_SECONDS = 20;

/** What every instance does beside its requests; that several do it at once is safe. */
export function housekeepingJobs(parts: HousekeepingParts): Job[] {
  const { database, now, random } = parts;
  return [
    {
      name: "database_state",
      everyMs: 5_000,
      run: async () => parts.onDatabaseState(await readDatabaseState(database, now)),
    },
    {
      // Partitions are made a day ahead; dropping waits until no timestamp in one can come back (it
      // may lie a window before the moment when its nonce was spent). By the database's clock: one
      // instance whose own is ahead must not set everybody's nonces free.
      name: "nonce_partitions",
      everyMs: 10 * MINUTE_MS,
      run: async () => {
        await database.sql`
          select make_nonce_partitions(extract(epoch from clock_timestamp())::bigint)`;
        await database.sql`
          select drop_nonce_partitions(extract(epoch from clock_timestamp())::bigint
            - ${parts.nonceRetentionSeconds + TIMESTAMP_WINDOW_SECONDS}::bigint)`;
      },
    },
    {
      name: "credential_warnings",
      everyMs: 10 * MINUTE_MS,
      run: () => warnExpiringCredentials({ database, nowMs: now(), random }),
    },
    {
      name: "balances",
      everyMs: BALANCES_EVERY_SECONDS * 1_000,
      run: async () => {
        const alarms = await guardBalances({
          database: parts.checkingDatabase,
          now,
          // One round for all instances, with some room for their timers.
          everySeconds: BALANCES_EVERY_SECONDS * 0.75,
        });
        for (const alarm of alarms) {
          if (alarm.isNew || alarm.isStopped) parts.onWrongBalances(alarm);
        }
      },
    },
  ];
}
