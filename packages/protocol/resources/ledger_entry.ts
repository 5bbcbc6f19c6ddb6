import { formatHalalas, formatMicrograms, parseHalalas, parseMicrograms } from "../amounts.ts";
import { jsonString } from "../json_text.ts";
import { formatTime } from "../times.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";

export const ASSETS = ["SAR", "XAU"] as const;
export type Asset = (typeof ASSETS)[number];

/** The accounts of one partner (Decision D38). */
export const ACCOUNTS = [
  "cash",
  "house_cash",
  "withdrawals",
  "bank",
  "gold",
  "allocation",
  "vault",
] as const;
export type Account = (typeof ACCOUNTS)[number];

/** A transfer of the ledger, as the partner sees it (Decisions D19, D37). */
export interface LedgerEntry {
  /** Rises by one a partner, without gaps. */
  readonly number: number;
  readonly asset: Asset;
  readonly debitAccount: Account;
  readonly creditAccount: Account;
  /** Halalas or micrograms, as the asset is. */
  readonly amount: bigint;
  readonly sourceKind: LedgerSource;
  /** The prefixed id of the order, funding or withdrawal; else the operator's reference. */
  readonly sourceId: string;
  readonly postedAtMs: number;
}

export const LEDGER_SOURCES = ["order", "funding", "withdrawal", "allocation"] as const;
export type LedgerSource = (typeof LEDGER_SOURCES)[number];

/** The entry's wire form: `amount` is in SAR for SAR and in grams for XAU, as `unit` says. */
export function ledgerEntryToJson(entry: LedgerEntry): string {
  const amount = entry.asset === "SAR"
    ? `${formatHalalas(entry.amount)},"unit":"SAR"`
    : `${formatMicrograms(entry.amount)},"unit":"gram"`;
  return `{"number":${entry.number},"asset":"${entry.asset}",` +
    `"debit_account":"${entry.debitAccount}","credit_account":"${entry.creditAccount}",` +
    `"amount":${amount},` +
    `"source":{"type":"${entry.sourceKind}","id":${jsonString(entry.sourceId)}},` +
    `"posted_at":"${formatTime(entry.postedAtMs)}"}`;
}

/** Reads what `ledgerEntryToJson` writes. Throws `WireFormatError`. */
export function ledgerEntryFromJson(value: JsonValue): LedgerEntry {
  const reader = new ResourceReader(value, "ledger entry");
  const asset = reader.oneOf("asset", ASSETS);
  const source = reader.object("source");
  return {
    number: reader.integer("number"),
    asset,
    debitAccount: reader.oneOf("debit_account", ACCOUNTS),
    creditAccount: reader.oneOf("credit_account", ACCOUNTS),
    amount: reader.amount("amount", asset === "SAR" ? parseHalalas : parseMicrograms),
    sourceKind: source.oneOf("type", LEDGER_SOURCES),
    sourceId: source.string("id"),
    postedAtMs: reader.timeMs("posted_at"),
  };
}
