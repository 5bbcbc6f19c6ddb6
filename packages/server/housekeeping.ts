import {
  type Database,
  type DatabaseState,
  mapConcurrently,
  readDatabaseState,
} from "@sabika/database";
import { type AuditHead, readAuditHead } from "@sabika/service/audit";
import { bookOpenActs } from "@sabika/service/booking";
import type { Cells } from "@sabika/service/cells";
import { maintainAttemptPartitions } from "@sabika/service/delivery";
import { closeEvidenceDays, dropEvidence, makeEvidencePartitions } from "@sabika/service/evidence";
import { digestKeys } from "@sabika/service/idempotency";
import { type BalanceAlarm, closeDays, guardBalances } from "@sabika/service/ledger";
import { maintainNoncePartitions } from "@sabika/service/nonces";
import { sumMargins } from "@sabika/service/orders";
import { warnExpiringCredentials } from "@sabika/service/partners";
import { maintainPricePartitions, type PriceSource, recordPrice } from "@sabika/service/prices";
import { makeReceipts, type ReceiptSigner } from "@sabika/service/receipts";
import { createReserveKeeper, signReserves } from "@sabika/service/reserves";
import type { Job } from "./jobs.ts";
import type { ServiceDatabases } from "./open_databases.ts";

/** What the jobs work on. Times are epoch milliseconds. */
export interface HousekeepingParts {
  readonly database: Database;
  /** For checking balances, which does not hold up trading. */
  readonly checkingDatabase: Database;
  /** Each cell has its own partitions and days. */
  readonly cells: Pick<Cells<Pick<ServiceDatabases, "trading" | "checking">>, "all" | "of">;
  /** Their latest price is recorded for the price history. */
  readonly prices: Pick<PriceSource, "latest">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** What the database's clock is compared with; `now` if left out. */
  readonly realNow?: () => number;
  /** Epoch milliseconds by the database's clock, which dates what is booked and announced here. */
  readonly databaseNow: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly random: (length: number) => Uint8Array;
  /** Undefined where another instance makes receipts. */
  readonly receiptSigner: ReceiptSigner | undefined;
  /** Whether orders need the processor now. */
  readonly isBusy: () => boolean;
  readonly nonceRetentionSeconds: number;
  readonly webhookAttemptsDays: number;
  readonly evidenceDays: number;
  readonly priceDays: number;
  readonly onDatabaseState: (state: DatabaseState) => void;
  /** Called for each partner whose balances are wrong, and for each that is suspended because of it. */
  readonly onWrongBalances: (alarm: BalanceAlarm) => void;
  /** Publishes the audit log's head: called for the first one and for each new one. */
  readonly onAuditHead: (head: AuditHead) => Promise<void>;
  /** Called when the glass was broken since the last check, with the total number of times. */
  readonly onBreakGlass: (count: number) => void;
}

const MINUTE_MS = 60_000;
const BALANCES_EVERY_SECONDS = 20;
const PRICE_NOTED_MS = 10_000;
const PRICE_RECORDED_MS = 2_000;
const RECEIPTS_EVERY_MS = 2_000;
/** A minute, however busy it is. */
const RECEIPTS_SKIPPED = 30;
/** Where there was nothing to do it is looked less often, every ten seconds in the end. */
const IDLE_SKIPPED = 4;

/** The periodic jobs of every instance; several instances may run them at once. */
export function housekeepingJobs(parts: HousekeepingParts): Job[] {
  const { database, cells, realNow: now = parts.now, monotonic } = parts;
  const inEachCell = eachOf(cells);
  /** Databases whose balances another instance compared last; it digests their keys too. */
  const comparedElsewhere = new Set<Database>();
  return [
    auditHeadJob(parts),
    {
      name: "database_state",
      everyMs: 5_000,
      run: async () => parts.onDatabaseState(await readDatabaseState(database, { now, monotonic })),
    },
    ...partitionJobs(parts),
    {
      name: "evidence_days",
      everyMs: 10 * MINUTE_MS,
      run: () =>
        closeEvidenceDays({
          control: parts.checkingDatabase,
          cells: Array.from(cells.all().values(), ({ checking }) => checking),
        }, parts.databaseNow()),
    },
    {
      name: "day_closings",
      everyMs: 10 * MINUTE_MS,
      run: inEachCell(({ checking }) => closeDays(checking)),
    },
    reservesJob(parts),
    {
      name: "margin_hours",
      everyMs: 10 * MINUTE_MS,
      run: inEachCell(({ checking }) => sumMargins(checking)),
    },
    {
      // Acts of interrupted commands; only needed with other cells.
      name: "cell_acts",
      everyMs: 2_000,
      run: () =>
        bookOpenActs({
          control: database,
          cells: new Map(Array.from(cells.all(), ([cellId, { trading }]) => [cellId, trading])),
          nowMs: parts.databaseNow(),
          random: parts.random,
        }),
    },
    ...priceJobs(parts),
    ...receiptJobs(parts),
    {
      name: "credential_warnings",
      everyMs: 10 * MINUTE_MS,
      run: () =>
        warnExpiringCredentials({
          database,
          databaseOf: (partnerId) => cells.of(partnerId).trading,
          nowMs: parts.databaseNow(),
        }),
    },
    {
      name: "balances",
      everyMs: BALANCES_EVERY_SECONDS * 1_000,
      run: inEachCell(async ({ checking }) => {
        const found = await guardBalances({
          database: checking,
          control: parts.checkingDatabase,
          // One round for all instances, with some tolerance for their timers.
          everySeconds: BALANCES_EVERY_SECONDS * 0.75,
        });
        if (found === undefined) comparedElsewhere.add(checking);
        else comparedElsewhere.delete(checking);
        for (const alarm of found ?? []) {
          if (alarm.isNew || alarm.isStopped) parts.onWrongBalances(alarm);
        }
      }),
    },
    {
      name: "key_digests",
      everyMs: BALANCES_EVERY_SECONDS * 1_000,
      run: inEachCell(async ({ checking }) => {
        if (!comparedElsewhere.has(checking)) await digestKeys(checking);
      }),
    },
  ];
}

/** Makes the reserve of each day, and signs it where this instance makes receipts. */
function reservesJob(
  { cells, checkingDatabase: control, databaseNow, random, receiptSigner: signer }:
    HousekeepingParts,
): Job {
  const keep = createReserveKeeper({
    cells: () => ({
      control,
      cells: Array.from(cells.all().values(), ({ checking }) => checking),
      random,
    }),
    sign: signer && (() => signReserves(control, signer)),
  });
  return { name: "reserves", everyMs: 10 * MINUTE_MS, run: () => keep(databaseNow()) };
}

/** Returns how to run a job in each cell that there is at the time. */
function eachOf(cells: HousekeepingParts["cells"]) {
  return (run: (cell: { trading: Database; checking: Database }) => Promise<unknown>) => () =>
    mapConcurrently(cells.all().values(), run);
}

/** Makes partitions ahead, and drops those that are older than the settings say. */
function partitionJobs(parts: HousekeepingParts): Job[] {
  const inEachCell = eachOf(parts.cells);
  return [
    {
      name: "nonce_partitions",
      everyMs: 10 * MINUTE_MS,
      run: inEachCell(({ trading }) =>
        maintainNoncePartitions(trading.sql, parts.nonceRetentionSeconds)
      ),
    },
    {
      name: "evidence_partitions",
      everyMs: 60 * MINUTE_MS,
      run: inEachCell(async ({ trading: { sql } }) => {
        await makeEvidencePartitions(sql);
        await dropEvidence(sql, parts.evidenceDays);
      }),
    },
    {
      name: "attempt_partitions",
      everyMs: 10 * MINUTE_MS,
      run: inEachCell(({ trading }) =>
        maintainAttemptPartitions(trading.sql, parts.webhookAttemptsDays)
      ),
    },
    {
      name: "price_partitions",
      everyMs: 60 * MINUTE_MS,
      run: inEachCell(({ trading }) => maintainPricePartitions(trading.sql, parts.priceDays)),
    },
  ];
}

/** Records the latest price, in each cell and for the price history. */
function priceJobs({ database, cells, prices, now }: HousekeepingParts): Job[] {
  return [
    {
      // Also while nobody asks for a quote: a price that a stolen role records must be near these.
      name: "prices",
      everyMs: PRICE_RECORDED_MS,
      run: async () => {
        const latest = prices.latest(now());
        if (!latest.ok || latest.source !== "feed") return;
        const numbers = await mapConcurrently(
          cells.all().values(),
          ({ trading }) => recordPrice(trading, latest),
        );
        if (numbers.includes(null)) {
          throw new Error("the database does not accept the feed's price");
        }
      },
    },
    {
      name: "price_minutes",
      everyMs: PRICE_NOTED_MS,
      run: async () => {
        const latest = prices.latest(now());
        if (latest.ok) await recordPrice(database, latest);
      },
    },
  ];
}

/**
 * Makes receipts behind the orders: while these come thick only now and then, and seldom where none come. A partner
 * that asks does not wait for it.
 */
function receiptJobs({ cells, receiptSigner, isBusy }: HousekeepingParts): Job[] {
  if (receiptSigner === undefined) return [];
  let skipped = 0;
  let idle = 0;
  const isAside = () => isBusy() && skipped < RECEIPTS_SKIPPED;
  return [{
    name: "receipts",
    everyMs: RECEIPTS_EVERY_MS,
    run: async (isEnded = () => false) => {
      if (isAside() || skipped < Math.min(idle, IDLE_SKIPPED)) {
        skipped += 1;
      } else {
        idle += 1;
        await mapConcurrently(cells.all().values(), async ({ checking }) => {
          // Orders may come for as long as the receipts of earlier ones are made.
          while (
            !isEnded() && !isAside() && await makeReceipts(checking, receiptSigner) > 0
          ) idle = 0;
        });
        skipped = 0;
      }
    },
  }];
}

/** Each new head of the audit log is published once by each instance. */
function auditHeadJob({ database, onAuditHead, onBreakGlass }: HousekeepingParts): Job {
  let published: AuditHead | undefined;
  let told: number | undefined;
  return {
    name: "audit_head",
    everyMs: 2_000,
    run: async () => {
      const head = await readAuditHead(database.sql);
      if (head.hash === published?.hash) return;
      // The alarm waits for no file that cannot be written.
      if (head.breakGlasses > (told ?? Infinity)) onBreakGlass(head.breakGlasses);
      told = head.breakGlasses;
      await onAuditHead(head);
      published = head;
    },
  };
}
