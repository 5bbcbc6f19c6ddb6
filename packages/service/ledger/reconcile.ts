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
  "answers",
  "times",
  "keys",
  "nonces",
  "fundings",
  "withdrawals",
  "sum",
  "vault",
  "acts",
] as const;
export type RecountCheck = (typeof RECOUNT_CHECKS)[number];

/** Something that does not agree with something else; there should never be one. */
export interface Difference {
  /** What was compared. */
  check: RecountCheck;
  /** Null when it concerns no single partner. */
  partnerId: number | null;
  /** Of what: an account, an asset, a table, an id. */
  subject: string;
  expected: bigint;
  actual: bigint;
}

/**
 * Recounts the whole ledger in one snapshot (invariants I1 to I5, I7, I14; fault F26): balances, numbers,
 * orders with what they showed, when they came, their keys and nonces, fundings, withdrawals and the
 * vault, as `ledger_differences.sql` and `vault_differences.sql` list them.
 *
 * @param query one partner only; left out = all, and the vault
 * @returns what differs; empty when all is well
 */
export async function reconcile(
  { sql }: Database,
  query: { partnerId?: number } = {},
): Promise<Difference[]> {
  return await sql.begin(`${SNAPSHOT} read only`, (tx) => recount(tx, query));
}

/**
 * Recounts all partners, and keeps how far it has come when it finds nothing. From there on it counts what came
 * since: the kept balances and what moved after them, later orders, keys, fundings and withdrawals, and the
 * vault. Only a whole recount says that nobody has changed what is older by force, and that older withdrawals
 * went on as they should.
 *
 * @param options.whole from the first transfer, as when nothing is kept yet
 * @returns what differs, and since when was counted, epoch milliseconds; null: from the first transfer
 */
export async function reconcileSince(
  { sql }: Database,
  options: { whole: boolean },
): Promise<{ differences: Difference[]; sinceMs: number | null }> {
  return await sql.begin(SNAPSHOT, async (tx) => {
    const [kept] = options.whole
      ? []
      : await drizzle(tx).select({ since: recounts.since }).from(recounts).limit(1);
    const differences = await recount(tx, { isSince: kept !== undefined });
    if (kept === undefined && differences.length === 0) await tx`select keep_recount()`;
    return { differences, sinceMs: kept?.since ?? null };
  });
}

async function recount(
  tx: Transaction,
  query: { partnerId?: number; isSince?: boolean },
): Promise<Difference[]> {
  const [ofLedger, ofVault] = await Promise.all([readOfLedger(), readOfVault()]);
  const { partnerId = null, isSince = false } = query;
  // Compiling so long a statement takes longer than carrying it out.
  await tx`set local jit = off`;
  return [
    ...await tx.unsafe<Difference[]>(ofLedger, [partnerId, isSince]),
    ...await tx.unsafe<Difference[]>(ofVault, [partnerId]),
  ];
}
