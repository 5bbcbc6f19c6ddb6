import {
  formatId,
  type IdempotentOutcome,
  type Quote,
  QUOTE_VALIDITY_SECONDS,
  type Refusal,
  refuse,
  uuidV7,
} from "@sabika/protocol";
import { type Database, plainArray } from "@sabika/database";
import type { QuoteTerms } from "@sabika/terms/pricing";
import { commandArrays, type CommandRow, commandWork } from "../batches/command_batch.ts";
import type { QuoteCommand } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";

/** A priced quote with the id that it will have. */
export interface QuoteItem {
  readonly command: QuoteCommand;
  readonly quoteId: string;
  readonly goldMicrograms: bigint;
  readonly terms: QuoteTerms;
  readonly priceAsOfMs: number;
}

/** A row of `make_quotes`; it has terms only when they were read from an earlier quote. */
interface QuoteRow extends CommandRow {
  side_of: "buy" | "sell" | null;
  gold: bigint;
  price: bigint;
  fee: bigint;
  vat_rate: bigint;
  vat: bigint;
  total: bigint;
  requested: bigint | null;
  price_as_of_ms: bigint;
  created_ms: bigint;
  open_now: number;
  retry_after_seconds: number;
}

/** Assigns an id to a quote. */
export function quoteItem(
  command: QuoteCommand,
  priced: Pick<QuoteItem, "goldMicrograms" | "terms" | "priceAsOfMs">,
  random: (n: number) => Uint8Array,
): QuoteItem {
  return { command, quoteId: uuidV7(command.receivedAtMs, random), ...priced };
}

/** Makes quotes in batches, each by one call of `make_quotes`. */
export function quoteWork(database: Database): BatchWork<QuoteItem, IdempotentOutcome<Quote>> {
  return commandWork((items) => createQuotes(database, items), readQuote, { refusalOf });
}

function createQuotes({ sql }: Database, items: readonly QuoteItem[]): PromiseLike<QuoteRow[]> {
  const { commands, partnerIds, keys, parameters } = commandArrays(items);
  const terms = items.map((item) => item.terms);
  return sql<QuoteRow[]>`select * from make_quotes(
    ${partnerIds}::integer[],
    ${plainArray(items.map((item) => item.quoteId))}::uuid[],
    ${keys}::text[],
    ${parameters}::text[],
    ${plainArray(commands.map((c) => c.request.side))}::text[],
    ${plainArray(items.map((item) => item.goldMicrograms))}::bigint[],
    ${plainArray(terms.map((t) => t.pricePerGramTenThousandths))}::bigint[],
    ${plainArray(terms.map((t) => t.feeHalalas))}::bigint[],
    ${plainArray(terms.map((t) => t.vatRatePpm))}::bigint[],
    ${plainArray(terms.map((t) => t.vatHalalas))}::bigint[],
    ${plainArray(terms.map((t) => t.totalHalalas))}::bigint[],
    ${plainArray(commands.map((c) => c.request.amountHalalas ?? "NULL"))}::bigint[],
    ${plainArray(items.map((item) => item.priceAsOfMs))}::bigint[],
    ${plainArray(commands.map((c) => c.partner.settings.openQuotesLimit))}::integer[])`;
}

function refusalOf(row: QuoteRow, item: QuoteItem): Refusal | undefined {
  if (row.result !== "too_many_open_quotes") return undefined;
  return refuse(row.result, {
    meta: { open: row.open_now, limit: item.command.partner.settings.openQuotesLimit },
    retryAfterSeconds: row.retry_after_seconds,
  });
}

/** The quote as it was first answered: open, without an order. */
function readQuote(row: QuoteRow, item: QuoteItem): Quote {
  const createdAtMs = Number(row.created_ms);
  const times = { createdAtMs, expiresAtMs: createdAtMs + QUOTE_VALIDITY_SECONDS * 1_000 };
  const head = { id: formatId("qt", row.subject_id), status: "open", orderId: null } as const;
  if (row.side_of === null) {
    const { request } = item.command;
    return {
      ...head,
      side: request.side,
      goldMicrograms: item.goldMicrograms,
      ...item.terms,
      priceAsOfMs: item.priceAsOfMs,
      ...times,
      ...requestedMoney(request.amountHalalas),
    };
  }
  return {
    ...head,
    side: row.side_of,
    goldMicrograms: row.gold,
    pricePerGramTenThousandths: row.price,
    feeHalalas: row.fee,
    vatRatePpm: row.vat_rate,
    vatHalalas: row.vat,
    totalHalalas: row.total,
    priceAsOfMs: Number(row.price_as_of_ms),
    ...times,
    ...requestedMoney(row.requested),
  };
}

/** The member `requested` of a quote that was requested by money. */
export function requestedMoney(amountHalalas: bigint | null | undefined): Pick<Quote, "requested"> {
  return amountHalalas == null ? {} : { requested: { amountHalalas } };
}
