import { formatHalalas, formatMicrograms } from "../amounts.ts";
import type { JsonValue } from "../json.ts";
import { ResourceReader } from "../resource_reader.ts";
import { formatTime } from "../times.ts";
import { type Balances, balancesFromJson, balancesToJson } from "./balances.ts";
import { type LedgerEntry, ledgerEntryFromJson, ledgerEntryToJson } from "./ledger_entry.ts";

/** What happened in one day of Riyadh: GET /v1/statements/{date} (Decisions D7, D19). */
export interface Statement {
  /** `2026-11-20`. */
  readonly date: string;
  /** Today's: more may follow. */
  readonly provisional: boolean;
  readonly opening: Balances;
  readonly closing: Balances;
  /** Oldest first. */
  readonly entries: readonly LedgerEntry[];
}

/** The statement's wire form. */
export function statementToJson(statement: Statement): string {
  return `{"date":"${statement.date}","time_zone":"Asia/Riyadh",` +
    `"provisional":${statement.provisional},"currency":"SAR",` +
    `"opening":${balancesToJson(statement.opening)},` +
    `"closing":${balancesToJson(statement.closing)},` +
    `"entries":[${statement.entries.map(ledgerEntryToJson).join(",")}]}`;
}

/** Reads what `statementToJson` writes. Throws `WireFormatError`. */
export function statementFromJson(value: JsonValue): Statement {
  const reader = new ResourceReader(value, "statement");
  return {
    date: reader.string("date"),
    provisional: reader.boolean("provisional"),
    opening: balancesFromJson(reader.value("opening")),
    closing: balancesFromJson(reader.value("closing")),
    entries: reader.list("entries", ledgerEntryFromJson),
  };
}

const COLUMNS =
  "number,posted_at,asset,debit_account,credit_account,amount,unit,source_type,source_id";

/** The statement's entries as CSV (RFC 4180), with a line of column names. */
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
  ].join(",");
}

/** Quoted where it must be; what a spreadsheet would take for a formula is marked as text. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
