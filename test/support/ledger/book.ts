import type { Account, Asset } from "@sabika/protocol";

/** A row of a table. */
export type Row = Record<string, unknown>;

/** The tables that have a partner's rows. */
const TABLES = [
  "accounts",
  "day_closings",
  "events",
  "fundings",
  "idempotency_keys",
  "nonces",
  "orders",
  "quotes",
  "recounts",
  "trade_keys",
  "transfers",
  "withdrawals",
] as const;
type Table = (typeof TABLES)[number];

const GOLD: readonly Account[] = ["gold", "allocation", "vault"];

/** The rows of one partner, as they are written. */
export type Book = ReturnType<typeof openBook>;

export const at = (ms: number): string => new Date(ms).toISOString();

/** Makes an id of a moment, as the service makes them, with a small number after it. */
export const idAt = (ms: number, n = 0): string => {
  const hex = ms.toString(16).padStart(12, "0") + n.toString(16).padStart(20, "0");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
};

/** Opens an empty book. It numbers transfers, events and keys, and knows the balances. */
export function openBook(partnerId: number) {
  const rows = Object.fromEntries(TABLES.map((table) => [table, [] as Row[]])) as Record<
    Table,
    Row[]
  >;
  const balances: Record<Account, bigint> = {
    ...{ cash: 0n, house_cash: 0n, withdrawals: 0n, bank: 0n, vat: 0n },
    ...{ gold: 0n, allocation: 0n, vault: 0n },
  };
  let keys = 0;
  const add = (table: Table, row: Row) => void rows[table].push({ partner_id: partnerId, ...row });
  const next = (table: Table) => rows[table].length + 1;
  /** The balances by the names of their columns. */
  const columns = () =>
    Object.fromEntries(
      Object.entries(balances).map(([account, balance]) => [
        `${account}_${GOLD.includes(account as Account) ? "micrograms" : "halalas"}`,
        String(balance),
      ]),
    );
  return {
    partnerId,
    rows,
    balances,
    add,
    next,
    columns,
    /** Posts a transfer from an account to another. */
    post(ms: number, kind: string, id: string, accounts: [Account, Account], amount: bigint) {
      const [debit, credit] = accounts;
      balances[debit] -= amount;
      balances[credit] += amount;
      const asset: Asset = GOLD.includes(debit) ? "XAU" : "SAR";
      const names = { debit_account: debit, credit_account: credit, source_kind: kind };
      const posted = { number: next("transfers"), amount: String(amount), posted_at: at(ms) };
      add("transfers", { ...posted, asset, ...names, source_id: id });
    },
    /** Closes a day after the last transfer. */
    closeDay() {
      const { cash_halalas, gold_micrograms } = columns();
      add("day_closings", { next_number: next("transfers"), cash_halalas, gold_micrograms });
    },
    /** Adds the Idempotency-Key of what a partner made; those of trades have a generation. */
    addKey(kind: string, id: string, ms: number, generation?: number) {
      const hash = `\\x${(++keys).toString(16).padStart(32, "0")}`;
      add(generation === undefined ? "idempotency_keys" : "trade_keys", {
        ...{ key_hash: hash, fingerprint: hash, resource_id: id, resource_kind: kind },
        ...{ created_at: at(ms), generation },
      });
    },
    addEvent(type: string, id: string, ms: number) {
      const sequence = next("events");
      const event = { sequence, event_id: idAt(ms, sequence), created_at: at(ms) };
      add("events", { ...event, type, resource_id: id });
    },
    addNonce(ms: number) {
      const seconds = ms / 1_000;
      const nonce_hash = `\\x${seconds.toString(16).padStart(32, "0")}`;
      add("nonces", { timestamp_seconds: seconds, nonce_hash });
    },
  };
}
