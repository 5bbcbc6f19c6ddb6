import { formatHalalas, formatMicrograms, formatPrice, formatRate } from "../amounts.ts";
import { BOOLEAN, type Form, list, STRING } from "../form.ts";
import { constant, member, record } from "../record_form.ts";
import { formatTime } from "../times.ts";
import { BALANCES, type Balances } from "./balances.ts";
import { LEDGER_ENTRY, type LedgerEntry } from "./ledger_entry.ts";
import type { Order } from "./order.ts";

/** The entries and balances of a day in Riyadh: GET /v1/statements/{date} (Decisions D7, D19). */
export interface Statement {
  /** `2026-11-20`. */
  readonly date: string;
  /** Whether more entries may follow: until ten minutes after the end of the day. */
  readonly provisional: boolean;
  /** At the beginning of the day. */
  readonly opening: Balances;
  /** At its end. */
  readonly closing: Balances;
  /** Oldest first. */
  readonly entries: readonly LedgerEntry[];
}

/** The form of a statement. */
export const STATEMENT: Form<Statement> = record<Statement>("statement", {
  date: member("date", STRING, "The day, in Riyadh."),
  $time_zone: constant('"Asia/Riyadh"'),
  provisional: member(
    "provisional",
    BOOLEAN,
    "Whether more entries may follow: until ten minutes after the end of the day.",
  ),
  $currency: constant('"SAR"'),
  opening: member("opening", BALANCES, "The balances when the day began."),
  closing: member("closing", BALANCES, "The balances when it ended, or now."),
  entries: member("entries", list(LEDGER_ENTRY), "Oldest first."),
});

const COLUMNS =
  "number,posted_at,asset,debit_account,credit_account,amount,unit,source_type,source_id," +
  "client_reference,side,gold_grams,price_per_gram_sar,value_sar,fee_sar,gold_vat_rate,gold_vat_sar," +
  "fee_vat_rate,fee_vat_sar,vat_sar,total_sar,price_source,price_as_of";

/** The columns of an order, empty for other entries. */
const NO_ORDER = Array<string>(COLUMNS.split(",").length - 9).fill("");

/**
 * Writes the statement's entries as CSV (RFC 4180), after a line of column names. The columns from `client_reference`
 * on are those of an order, on the entry of its money.
 */
export function statementToCsv(statement: Statement): string {
  return [COLUMNS, ...statement.entries.map(csvLine)].map((line) => `${line}\r\n`).join("");
}

function csvLine(entry: LedgerEntry): string {
  const isMoney = entry.asset === "SAR";
  return [
    String(entry.number),
    formatTime(entry.postedAtMs),
    entry.asset,
    entry.debitAccount,
    entry.creditAccount,
    isMoney ? formatHalalas(entry.amount) : formatMicrograms(entry.amount),
    isMoney ? "SAR" : "gram",
    entry.sourceKind,
    csvField(entry.sourceId),
    ...entry.order === undefined ? NO_ORDER : orderFields(entry.order),
  ].join(",");
}

function orderFields(order: Order): string[] {
  const charged = order.feeHalalas + order.vatHalalas;
  const known = <T>(value: T | undefined, write: (value: T) => string) =>
    value === undefined ? "not known" : write(value);
  return [
    csvField(order.clientReference ?? ""),
    order.side,
    formatMicrograms(order.goldMicrograms),
    formatPrice(order.pricePerGramTenThousandths),
    formatHalalas(order.totalHalalas + (order.side === "buy" ? -charged : charged)),
    formatHalalas(order.feeHalalas),
    known(order.goldVatRatePpm, formatRate),
    known(order.goldVatHalalas, formatHalalas),
    known(order.feeVatRatePpm, formatRate),
    known(order.feeVatHalalas, formatHalalas),
    formatHalalas(order.vatHalalas),
    formatHalalas(order.totalHalalas),
    known(order.priceSource, String),
    known(order.priceAsOfMs, formatTime),
  ];
}

/** Quotes a field where needed; marks as text what a spreadsheet would take for a formula. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
