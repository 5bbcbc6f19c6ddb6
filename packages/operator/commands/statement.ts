import { open } from "node:fs/promises";
import { buildRouteMap } from "@stricli/core";
import { LEDGER, PARTNERS_DAYS } from "@sabika/office/reads";
import { MOST_DAYS } from "@sabika/office/without-database";
import {
  type Balances,
  formatHalalas,
  formatMicrograms,
  type LedgerEntry,
  statementToCsv,
} from "@sabika/protocol";
import { riyadhDay } from "@sabika/terms";
import { columnsOf, listed } from "../command/columns.ts";
import { command, readFlag, type Shown, switchFlag, textFlag } from "../command/command.ts";
import { amount } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { PARTNER_FLAG } from "../command/page.ts";
import { date, whole } from "../command/parsers.ts";
import { list as lines } from "../command/table.ts";
import { RefusedError, UsageError } from "../outcome.ts";
import { type DaysStatement, openStatement } from "../reads/open_statement.ts";
import { readItems } from "../reads/read.ts";
import { ID } from "./arguments.ts";

const sar = ({ sarHalalas }: Balances) => amount(formatHalalas(sarHalalas));
const grams = ({ goldMicrograms }: Balances) => amount(formatMicrograms(goldMicrograms));

const list = command<{ partner: string; until?: string; limit?: number }, []>({
  brief: "List a partner's days with the balances that they began and ended with, newest first",
  examples: ["statement list --partner bank-one", "statement list --partner bank-one --limit 31"],
  flags: {
    partner: PARTNER_FLAG,
    until: readFlag(date, "The last day (today, in Riyadh)", "DAY"),
    limit: readFlag(days, `How many days, 1 to ${MOST_DAYS} (7)`, "NUMBER"),
  },
  async run(session, { partner, until = riyadhDay(session.nowMs), limit = 7 }) {
    const asking = { path: { partner }, query: { until, days: limit } };
    const { data } = await readItems(session, PARTNERS_DAYS, asking);
    return listing(data, columnsOf(PARTNERS_DAYS));
  },
});

const show = command<{ csv: boolean; out?: string }, [string, string | undefined]>({
  brief: "Show a partner's day in Riyadh: every transfer, with the balances before and after",
  more: "It is provisional until ten minutes after the day's end: more may follow.",
  examples: [
    "statement show bank-one 2026-11-20",
    "statement show bank-one 2026-11-20 --csv --out bank-one.csv",
  ],
  flags: {
    csv: switchFlag("The transfers as CSV, for spreadsheets"),
    out: textFlag("Where the CSV goes (shown when left out)", "FILE"),
  },
  args: [ID, ["DAY?", "Such as 2026-11-20 (today)", date]],
  async run(session, { csv, out, json }, partner, day = riyadhDay(session.nowMs)) {
    if (csv && json) throw new UsageError("--csv and --json exclude each other");
    if (out !== undefined && !csv) throw new UsageError("--out is where the --csv goes");
    const statement = await openStatement(session, partner, day);
    if (statement === undefined) throw new RefusedError("not_found", `${day} has not begun`);
    if (!csv) return await statementShown(statement);
    const { stdout } = session.surroundings;
    return out === undefined
      ? await written(statement, (text) => void stdout.write(text))
      : await toFile(statement, out);
  },
});

/** `sabika statement …` */
export const statement = buildRouteMap({
  docs: { brief: "A partner's days: what moved, and the balances before and after" },
  routes: { list, show },
});

async function statementShown(statement: DaysStatement): Promise<Shown> {
  const { date, provisional, opening, closing } = statement;
  const entries: LedgerEntry[] = [];
  for await (const page of statement.pages()) entries.push(...page);
  const shown = listed(LEDGER, entries);
  const row = (balances: Balances) =>
    `${formatHalalas(balances.sarHalalas)} SAR, ${formatMicrograms(balances.goldMicrograms)} g`;
  return {
    json: {
      date,
      time_zone: "Asia/Riyadh",
      provisional,
      opening: { sar: sar(opening), gold_grams: grams(opening) },
      closing: { sar: sar(closing), gold_grams: grams(closing) },
      entries: shown.json,
    },
    text: lines([
      ["day", provisional ? `${date}, provisional` : date],
      ["opening", row(opening)],
      ["closing", row(closing)],
    ]) + `\n${shown.text}`,
  };
}

/** Writes page by page: a busy day has millions of entries. */
async function written(
  statement: DaysStatement,
  write: (text: string) => void | Promise<unknown>,
): Promise<Shown & { entries: number }> {
  const columns = statementToCsv({ ...statement, entries: [] });
  await write(columns);
  let entries = 0;
  for await (const page of statement.pages()) {
    await write(statementToCsv({ ...statement, entries: page }).slice(columns.length));
    entries += page.length;
  }
  return { json: null, text: "", entries };
}

async function toFile(statement: DaysStatement, out: string): Promise<Shown> {
  const file = await open(out, "w", 0o600);
  try {
    const { entries } = await written(statement, (text) => file.write(text));
    return { json: { file: out, entries }, text: `${entries} entries are in ${out}\n` };
  } finally {
    await file.close();
  }
}

function days(input: string): number {
  const count = whole(input);
  if (count >= 1 && count <= MOST_DAYS) return count;
  throw new SyntaxError(`not a number from 1 to ${MOST_DAYS}`);
}
