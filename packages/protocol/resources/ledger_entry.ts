import { type Form, HALALAS, INTEGER, MICROGRAMS, oneOf, STRING, TIME } from "../form.ts";
import type { JsonValue } from "../json.ts";
import { mapped, member, optional, record } from "../record_form.ts";
import { decimalShape } from "../shape.ts";
import { ORDER, type Order } from "./order.ts";

/** The assets that are booked: money and gold. */
export const ASSETS = ["SAR", "XAU"] as const;
/** One of {@link ASSETS}. */
export type Asset = (typeof ASSETS)[number];

/** The accounts of one partner (Decision D38). */
export const ACCOUNTS = [
  "cash",
  "house_cash",
  "withdrawals",
  "bank",
  "vat",
  "gold",
  "allocation",
  "vault",
] as const;
/** One of {@link ACCOUNTS}. */
export type Account = (typeof ACCOUNTS)[number];

/** A transfer of the ledger, as the partner sees it (Decisions D19, D37). */
export interface LedgerEntry {
  /** Rises by one for each entry of the partner, without gaps. */
  readonly number: number;
  /** Money or gold. */
  readonly asset: Asset;
  /** The account from which the amount comes. */
  readonly debitAccount: Account;
  /** The account to which the amount goes. */
  readonly creditAccount: Account;
  /** Halalas for SAR, micrograms for XAU. */
  readonly amount: bigint;
  /** The kind of its cause. */
  readonly sourceKind: LedgerSource;
  /** The prefixed id of the order, funding or withdrawal; else the operator's reference. */
  readonly sourceId: string;
  /** When it was booked. */
  readonly postedAtMs: number;
  /** The order with its parts; only on the entry of its money, in a statement. */
  readonly order?: Order;
}

/** The causes of entries. */
export const LEDGER_SOURCES = ["order", "funding", "withdrawal", "allocation"] as const;
/** One of {@link LEDGER_SOURCES}. */
export type LedgerSource = (typeof LEDGER_SOURCES)[number];

/** An amount on the wire, whose unit depends on another member. */
const AMOUNT: Form<JsonValue | string> = {
  shape: decimalShape(4, "SAR or grams, as unit says"),
  write: String,
  read: (value) => value,
};

interface WireEntry {
  readonly number: number;
  readonly asset: Asset;
  readonly debitAccount: Account;
  readonly creditAccount: Account;
  readonly amount: JsonValue | string;
  readonly unit: "SAR" | "gram";
  readonly source: { readonly type: LedgerSource; readonly id: string };
  readonly postedAtMs: number;
  readonly order?: Order;
}

/** The form of an entry: `amount` is in SAR for SAR and in grams for XAU, as `unit` says. */
export const LEDGER_ENTRY: Form<LedgerEntry> = mapped(
  record<WireEntry>("ledger entry", {
    number: member("number", INTEGER, "Rises by one for each of your entries, without gaps."),
    asset: member("asset", oneOf(ASSETS), "What moved: riyals or gold."),
    debitAccount: member("debit_account", oneOf(ACCOUNTS), "Where it came from."),
    creditAccount: member("credit_account", oneOf(ACCOUNTS), "Where it went."),
    amount: member("amount", AMOUNT),
    unit: member("unit", oneOf<WireEntry["unit"]>(["SAR", "gram"]), "The unit of the amount."),
    source: member(
      "source",
      record<WireEntry["source"]>("ledger source", {
        type: member("type", oneOf(LEDGER_SOURCES), "What caused it."),
        id: member("id", STRING, "Its id; for an allocation the operator's reference."),
      }),
    ),
    postedAtMs: member("posted_at", TIME, "When it was posted."),
    order: optional("order", ORDER, "The order; only on the entry of its money, in a statement."),
  }),
  {
    toWire: ({ sourceKind, sourceId, ...entry }) => ({
      ...entry,
      amount: amountOf(entry.asset).write(entry.amount),
      unit: entry.asset === "SAR" ? "SAR" as const : "gram" as const,
      source: { type: sourceKind, id: sourceId },
    }),
    fromWire: ({ unit: _unit, source, ...entry }) => ({
      ...entry,
      amount: amountOf(entry.asset).read(entry.amount, "ledger entry: amount"),
      sourceKind: source.type,
      sourceId: source.id,
    }),
  },
);

function amountOf(asset: Asset): Form<bigint> {
  return asset === "SAR" ? HALALAS : MICROGRAMS;
}
