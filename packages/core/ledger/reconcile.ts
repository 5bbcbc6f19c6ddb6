import type { Database } from "../store/database.ts";
import { sqlFile } from "../store/sql_file.ts";

const readStatement = sqlFile("ledger_differences.sql", import.meta.url);

/** Something that does not agree with something else; there should never be one. */
export interface Difference {
  /** What was compared. */
  check:
    | "balance"
    | "numbers"
    | "closings"
    | "events"
    | "orders"
    | "terms"
    | "answers"
    | "times"
    | "keys"
    | "nonces"
    | "fundings"
    | "withdrawals"
    | "sum"
    | "vault";
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
 * vault, as `ledger_differences.sql` lists them.
 *
 * @param of one partner only; left out = all, and the vault
 * @returns what differs; empty when all is well
 */
export async function reconcile(
  { sql }: Database,
  of: { partnerId?: number } = {},
): Promise<Difference[]> {
  const statement = await readStatement();
  const found = await sql.begin(
    "isolation level repeatable read read only",
    async (tx) => {
      // Compiling so long a statement takes longer than carrying it out.
      await tx`set local jit = off`;
      return await tx.unsafe<Difference[]>(statement, [of.partnerId ?? null]);
    },
  );
  return [...found];
}
