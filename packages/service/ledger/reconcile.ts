import { type Database, drizzle, sqlFile, type Transaction } from "@sabika/database";
import { recounts } from "./tables.ts";

const SNAPSHOT = "isolation level repeatable read";
const readOfLedger = sqlFile("statements/ledger_differences.sql", import.meta.url);
const readOfVault = sqlFile("statements/vault_differences.sql", import.meta.url);

/** All that a recount compares. */
export const RECOUNT_CHECKS = [
  "balance",
  "numbers",
  "closings",
  "events",
  "orders",
  "terms",
  "prices",
  "answers",
  "times",
  "keys",
  "nonces",
  "fundings",
  "withdrawals",
  "sum",
  "vault",
  "pools",
  "titles",
  "acts",
  "evidence",
  "receipts",
  "reserves",
] as const;
/** One of the things that a recount compares. */
export type RecountCheck = (typeof RECOUNT_CHECKS)[number];

/** Two things that do not agree; there should never be one. */
export interface Difference {
  /** What was compared. */
  check: RecountCheck;
  /** Null when it concerns no single partner. */
  partnerId: number | null;
  /** What was found wrong: an account, an asset, a table or an id. */
  subject: string;
  expected: bigint;
  actual: bigint;
}

/**
 * Recounts the whole ledger in one snapshot (invariants I1 to I5, I7, I14; fault F26): balances, numbers,
 * orders with their terms, titles, prices, answers, times, keys and nonces, fundings, withdrawals, the vault; see
 * `ledger_differences.sql` and `vault_differences.sql`.
 *
 * @param query.partnerId the only partner to recount; left out: all of them, and the vault
 * @returns what differs; empty when all is well
 */
export async function reconcile(
  { sql }: Database,
  query: { partnerId?: number } = {},
): Promise<Difference[]> {
  const { differences } = await sql.begin(`${SNAPSHOT} read only`, (tx) => recount(tx, query));
  return differences;
}

/** What a recount found. */
export interface Reconciled {
  readonly differences: Difference[];
  /** How many orders were not recounted against a price: their quotes are from before prices were recorded or kept. */
  readonly unpricedOrders: bigint;
  /** The start of the recount, epoch milliseconds; null: the first transfer. */
  readonly sinceMs: number | null;
}

/**
 * Recounts all partners, or one. A whole recount of all that finds nothing is kept, and later ones start there: they
 * count its balances and everything since, and the vault. Only a whole recount shows that older rows
 * were not changed by force, and that older withdrawals ended correctly.
 *
 * @param options.whole starts at the first transfer, as when no recount is kept yet
 */
export async function reconcileSince(
  { sql }: Database,
  options: { whole: boolean; partnerId?: number },
): Promise<Reconciled> {
  return await sql.begin(SNAPSHOT, async (tx) => {
    const [kept] = options.whole
      ? []
      : await drizzle(tx).select({ since: recounts.since }).from(recounts).limit(1);
    const { partnerId } = options;
    const found = await recount(tx, { partnerId, isSince: kept !== undefined });
    const isWell = kept === undefined && found.differences.length === 0;
    if (isWell && partnerId === undefined) await tx`select keep_recount()`;
    return { ...found, sinceMs: kept?.since ?? null };
  });
}

async function recount(
  tx: Transaction,
  query: { partnerId?: number | undefined; isSince?: boolean },
): Promise<Omit<Reconciled, "sinceMs">> {
  const [ofLedger, ofVault] = await Promise.all([readOfLedger(), readOfVault()]);
  const { partnerId = null, isSince = false } = query;
  // Compiling this long statement takes longer than running it.
  await tx`set local jit = off`;
  const rows = await tx.unsafe<
    (Omit<Difference, "check"> & { check: RecountCheck | "unpriced" })[]
  >(
    ofLedger,
    [partnerId, isSince],
  );
  const unpriced = rows.filter(({ check }) => check === "unpriced");
  return {
    differences: [
      ...rows.filter((row): row is Difference => row.check !== "unpriced"),
      ...await tx.unsafe<Difference[]>(ofVault, [partnerId]),
    ],
    unpricedOrders: unpriced.reduce((sum, { actual }) => sum + actual, 0n),
  };
}
