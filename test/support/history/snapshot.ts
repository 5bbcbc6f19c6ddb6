import type { Sql } from "@sabika/database";

/** A row with its partner, as the database returns it; amounts are bigint. */
type Row<Columns extends string, Values = string | bigint | null> =
  & { partner: number }
  & Record<Columns, Values>;

type Amount<Columns extends string> = Record<Columns, bigint>;

/** Some partners' rows of all tables with balances, resources, keys, nonces and events. */
export interface Snapshot {
  readonly accounts:
    (Row<never> & Amount<typeof ACCOUNTS[number] | "last_transfer" | "last_event">)[];
  readonly transfers: (
    & Row<"source_id" | "asset" | "debit_account" | "credit_account" | "source_kind", string>
    & Amount<"number" | "amount">
  )[];
  readonly quotes: (Row<"id" | "side", string> & Amount<Terms | "created_ms" | "expires_ms">)[];
  readonly orders: (
    & Row<"id" | "side" | "quote_id", string>
    & Amount<Terms | "cash_after_halalas" | "gold_after_micrograms" | "executed_ms">
  )[];
  readonly withdrawals: (Row<"id" | "status", string> & Amount<"amount_halalas">)[];
  readonly fundings: (
    & Row<"id", string>
    & Row<"reference", string | null>
    & Amount<"amount_halalas" | "cash_after_halalas">
  )[];
  readonly keys: Row<"key_hash" | "kind" | "resource_id", string>[];
  readonly nonces: Row<"nonce_hash", string>[];
  readonly events: (Row<"event_id" | "resource_id" | "type", string> & Amount<"sequence">)[];
}

type Terms =
  | "gold_micrograms"
  | "price_ten_thousandths"
  | "fee_halalas"
  | "vat_halalas"
  | "total_halalas";

const TERMS = "gold_micrograms, price_ten_thousandths, fee_halalas, vat_halalas, total_halalas";

/** The columns of accounts, money first. */
export const ACCOUNTS = [
  "cash_halalas",
  "house_cash_halalas",
  "withdrawals_halalas",
  "bank_halalas",
  "vat_halalas",
  "gold_micrograms",
  "allocation_micrograms",
  "vault_micrograms",
] as const;

const ms = (column: string, as: string) =>
  `(extract(epoch from ${column}) * 1000)::bigint as ${as}`;

const QUERIES: Readonly<Record<keyof Snapshot, string>> = {
  accounts: `${ACCOUNTS.join()}, last_transfer, last_event from accounts`,
  transfers: `number, amount, source_id, asset, debit_account, credit_account, source_kind
    from transfers`,
  quotes: `quote_id as id, side, ${TERMS}, ${ms("created_at", "created_ms")},
    ${ms("expires_at", "expires_ms")} from quotes`,
  orders: `order_id as id, quote_id, side, ${TERMS}, cash_after_halalas, gold_after_micrograms,
    ${ms("executed_at", "executed_ms")} from orders`,
  withdrawals: `withdrawal_id as id, status, amount_halalas from withdrawals`,
  fundings: `funding_id as id, reference, amount_halalas, cash_after_halalas from fundings`,
  keys: `encode(key_hash, 'hex') as key_hash, resource_kind as kind, resource_id
    from idempotency_keys`,
  nonces: `encode(nonce_hash, 'hex') as nonce_hash from nonces`,
  events: `event_id, resource_id, type, sequence from events`,
};

/** Reads the tables of some partners in one REPEATABLE READ transaction. */
export async function readSnapshot(sql: Sql, partners: readonly number[]): Promise<Snapshot> {
  return await sql.begin("isolation level repeatable read read only", async (tx) => {
    const tables: Record<string, unknown[]> = {};
    for (const [table, query] of Object.entries(QUERIES)) {
      const rows = await tx.unsafe(
        `select partner_id as partner, ${query} where partner_id = any ($1::integer[])`,
        [`{${partners.join()}}`],
      );
      tables[table] = [...rows];
    }
    return tables as unknown as Snapshot;
  });
}
