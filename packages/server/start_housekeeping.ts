import { appendFile } from "node:fs/promises";
import type { Cells } from "@sabika/service/cells";
import type { PriceSource } from "@sabika/service/prices";
import type { ReceiptSigner } from "@sabika/service/receipts";
import { formatTime, NONCE_RETENTION_SECONDS } from "@sabika/protocol";
import { housekeepingJobs } from "./housekeeping.ts";
import type { InstanceState } from "./instance_state.ts";
import { startJobs } from "./jobs.ts";
import type { Log } from "./logging/log.ts";
import type { ServiceDatabases } from "./open_databases.ts";
import type { Opened } from "./opened.ts";
import type { ServiceSettings } from "./settings.ts";
import type { ServiceClock } from "./simulation/service_clock.ts";

/** What housekeeping needs of its instance. */
interface HousekeepingContext {
  readonly settings: ServiceSettings;
  /** Control's. */
  readonly databases: ServiceDatabases;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly clock: ServiceClock;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  readonly opened: Opened;
  readonly signer: ReceiptSigner;
  readonly onError: (name: string, error: unknown) => void;
}

/** Starts the periodic jobs of an instance; closing `opened` stops them. */
export function startHousekeeping(
  { settings, databases, now, clock, random, log, opened, signer, onError }: HousekeepingContext,
  { cells, prices, state, isBusy }: {
    cells: Cells<ServiceDatabases>;
    prices: PriceSource;
    state: InstanceState;
    isBusy: () => boolean;
  },
): void {
  const jobs = housekeepingJobs({
    database: databases.trading,
    checkingDatabase: databases.checking,
    cells,
    prices,
    now,
    realNow: clock.realNow,
    databaseNow: state.databaseNow,
    monotonic: () => performance.now(),
    random,
    // Where events are delivered, since that is no instance that orders wait for.
    receiptSigner: settings.deliverWebhooks ?? true ? signer : undefined,
    isBusy,
    evidenceDays: settings.evidenceDays ?? 3653,
    priceDays: settings.priceDays ?? 3653,
    webhookAttemptsDays: settings.webhookAttemptsDays ?? 90,
    nonceRetentionSeconds: settings.nonceRetentionSeconds ?? NONCE_RETENTION_SECONDS,
    onDatabaseState: state.update,
    onWrongBalances: ({ clientId, differences, isStopped }) => {
      const all = Object.entries(differences).map(([account, what]) => `${account} ${what}`);
      log("error", "balances_wrong", { partner: clientId, reason: all.join("; ") });
      if (isStopped) log("error", "partner_stopped", { partner: clientId });
    },
    onBreakGlass: (count) => log("error", "break_glass", { count }),
    onAuditHead: async ({ auditId, hash }) => {
      const head = { sequence: Number(auditId), hash };
      log("info", "audit_head", head);
      const { auditHeadsFile } = settings;
      if (auditHeadsFile === undefined) return;
      const line = JSON.stringify({ time: formatTime(now()), ...head });
      await appendFile(auditHeadsFile, `${line}\n`, { mode: 0o600 });
    },
  });
  opened.add(startJobs(jobs, onError));
  clock.onMove(async () => {
    for (const { name, run } of jobs) await run().catch((error) => onError(name, error));
  });
}
