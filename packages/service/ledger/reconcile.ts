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
 * @param of one partner only; left out = all, and the vault
 * @returns what differs; empty when all is well
 */
export async function reconcile(
  { sql }: Database,
  of: { partnerId?: number } = {},
): Promise<Difference[]> {
  return await sql.begin(`${SNAPSHOT} read only`, (tx) => recount(tx, of));
}

/**
 * The same of all partners, and keeps where it has come to when it found nothing; or, from there on, of
 * what came since: the balances that were kept and what moved after them, the orders, keys, fundings and
 * withdrawals that were made after them, the vault. What is older is then taken as it was found: that
 * nobody has changed it by force, and that older withdrawals went on as they should, a whole recount
 * says alone.
 *
 * @param options.whole from the first transfer, as when nothing is kept yet
 * @returns what differs, and since when was counted; undefined = from the first transfer
 */
export async function reconcileSince(
  { sql }: Database,
  options: { whole: boolean },
): Promise<{ differences: Difference[]; sinceMs: number | undefined }> {
  return await sql.begin(SNAPSHOT, async (tx) => {
    const [kept] = options.whole
      ? []
      : await drizzle(tx).select({ since: recounts.since }).from(recounts).limit(1);
    const differences = await recount(tx, { isSince: kept !== undefined });
    if (kept === undefined && differences.length === 0) await tx`select keep_recount()`;
    return { differences, sinceMs: kept?.since };
  });
}

async function recount(
  tx: Transaction,
  of: { partnerId?: number; isSince?: boolean },
): Promise<Difference[]> {
  const [ofLedger, ofVault] = await Promise.all([readOfLedger(), readOfVault()]);
  const { partnerId = null, isSince = false } = of;
  // Compiling so long a statement takes longer than carrying it out.
  await tx`set local jit = off`;
  return [
    ...await tx.unsafe<Difference[]>(ofLedger, [partnerId, isSince]),
    ...await tx.unsafe<Difference[]>(ofVault, [partnerId]),
  ];
}
