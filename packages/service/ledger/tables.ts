import type { Account, Asset } from "@sabika/protocol";
import { sql } from "drizzle-orm";
import { bigint, integer, jsonb, pgTable, smallint, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "@sabika/database";

const amount = (name: string) => bigint(name, { mode: "bigint" });

/**
 * All accounts of one partner in one row: one lock per partner (Decisions D37, D38).
 *
 * A column is an account; its balance is credits − debits, so the columns of an asset sum to zero.
 * `last_transfer` and `last_event` number the partner's transfers and events without gaps; `last_key` counts
 * what it has in `trade_keys`, `digested_parts` the sixteenths of generations that `key_digests` knows;
 * `open_quotes` is an upper bound of the open quotes, counted exactly only at the limit.
 */
export const accounts = pgTable("accounts", {
  partnerId: integer("partner_id").notNull(),
  cashHalalas: amount("cash_halalas").notNull().default(sql`0`),
  houseCashHalalas: amount("house_cash_halalas").notNull().default(sql`0`),
  withdrawalsHalalas: amount("withdrawals_halalas").notNull().default(sql`0`),
  bankHalalas: amount("bank_halalas").notNull().default(sql`0`),
  /** VAT in the totals of orders, which the house owes. */
  vatHalalas: amount("vat_halalas").notNull().default(sql`0`),
  goldMicrograms: amount("gold_micrograms").notNull().default(sql`0`),
  allocationMicrograms: amount("allocation_micrograms").notNull().default(sql`0`),
  vaultMicrograms: amount("vault_micrograms").notNull().default(sql`0`),
  lastTransfer: amount("last_transfer").notNull().default(sql`0`),
  lastEvent: amount("last_event").notNull().default(sql`0`),
  openQuotes: integer("open_quotes").notNull().default(0),
  lastKey: amount("last_key").notNull().default(sql`0`),
  digestedParts: integer("digested_parts").notNull().default(0),
  /** The pool that the partner draws on (Decision D102), as its row in control says. */
  poolNumber: smallint("pool_number").notNull().default(1),
});

/** The ledger: immutable transfers, numbered without gaps for each partner (Decision D37). */
export const transfers = pgTable("transfers", {
  partnerId: integer("partner_id").notNull(),
  number: bigint("number", { mode: "bigint" }).notNull(),
  /** Halalas for SAR, micrograms for XAU. */
  amount: amount("amount").notNull(),
  postedAt: moment("posted_at").notNull(),
  sourceId: uuid("source_id").notNull(),
  asset: text("asset").$type<Asset>().notNull(),
  debitAccount: text("debit_account").$type<Account>().notNull(),
  creditAccount: text("credit_account").$type<Account>().notNull(),
  sourceKind: text("source_kind").$type<
    | "order"
    | "funding"
    | "withdrawal"
    | "withdrawal_payout"
    | "withdrawal_return"
    | "allocation"
    | "release"
  >().notNull(),
});

/**
 * The last whole recount that found nothing: for each partner the first numbers from `since` on, and the
 * balances before them. Written by `keep_recount`; later recounts start here.
 */
export const recounts = pgTable("recounts", {
  partnerId: integer("partner_id").notNull(),
  since: moment("since").notNull(),
  firstTransfer: bigint("first_transfer", { mode: "bigint" }).notNull(),
  firstEvent: bigint("first_event", { mode: "bigint" }).notNull(),
  firstGeneration: smallint("first_generation").notNull(),
  cashHalalas: amount("cash_halalas").notNull(),
  houseCashHalalas: amount("house_cash_halalas").notNull(),
  withdrawalsHalalas: amount("withdrawals_halalas").notNull(),
  bankHalalas: amount("bank_halalas").notNull(),
  vatHalalas: amount("vat_halalas").notNull().default(sql`0`),
  goldMicrograms: amount("gold_micrograms").notNull(),
  allocationMicrograms: amount("allocation_micrograms").notNull(),
  vaultMicrograms: amount("vault_micrograms").notNull(),
});

/** The results of the last recounts; written by `keep_recount_result`. */
export const recountResults = pgTable("recount_results", {
  recountId: uuid("recount_id").notNull().default(sql`gen_random_uuid()`),
  finishedAt: moment("finished_at").notNull().default(sql`clock_timestamp()`),
  /** Who asked for it. */
  who: text("who").notNull(),
  /** The one partner that was recounted; null for all. */
  clientId: text("client_id"),
  /** Since when was counted; null for the first transfer. */
  since: moment("since"),
  durationMs: integer("duration_ms").notNull(),
  partners: integer("partners").notNull(),
  differenceCount: integer("difference_count").notNull(),
  /** The first of them. */
  differences: jsonb("differences").$type<
    readonly {
      clientId: string | null;
      check: string;
      subject: string;
      expected: string;
      actual: string;
    }[]
  >().notNull(),
});

/**
 * Balances at the end of a partner's days in Riyadh, so that statements need no sums: a row for each past day with
 * transfers, and for parts of busy ones, written by `close_days` and never changed.
 */
export const dayClosings = pgTable("day_closings", {
  partnerId: integer("partner_id").notNull(),
  /** The number after the last transfer of the day, or of its part. */
  nextNumber: bigint("next_number", { mode: "bigint" }).notNull(),
  cashHalalas: amount("cash_halalas").notNull(),
  goldMicrograms: amount("gold_micrograms").notNull(),
});
