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
import { commandArrays, type CommandRow, commandWork } from "../batches/command_batch.ts";
import type { QuoteCommand } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";
import { aboveMaximum, belowMinimum } from "../batches/refusals.ts";
import { type LatestPrice, PRICE_UNAVAILABLE } from "../prices/price_source.ts";
import { createPriceRecorder } from "../prices/record_price.ts";
import { partsOfRow, type PartsRow } from "../orders/trade_parts.ts";

/** A quote to be made, with the id that it will have. */
export interface QuoteItem {
  readonly command: QuoteCommand;
  readonly quoteId: string;
  /** The latest price when it was requested; the quote is made at this one or a later one. */
  readonly price: LatestPrice;
}

/** A row of `make_priced_quotes`; it has terms only when there is a quote. */
interface QuoteRow extends CommandRow, PartsRow {
  side_of: "buy" | "sell";
  gold: bigint;
  price: bigint;
  fee: bigint;
  vat_rate: bigint;
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
  price: LatestPrice,
  random: (n: number) => Uint8Array,
): QuoteItem {
  return { command, quoteId: uuidV7(command.receivedAtMs, random), price };
}

/**
 * Makes quotes in batches, each by one call of `make_priced_quotes`, which computes their terms. The price is
 * recorded before the first batch that is made at it (Decision D88).
 */
export function quoteWork(database: Database): BatchWork<QuoteItem, IdempotentOutcome<Quote>> {
  const recorder = createPriceRecorder(database);
  return commandWork(
    async (items) => {
      const latest = items.findLast(({ price }) => price.ok)?.price ?? PRICE_UNAVAILABLE;
      const number = await recorder.record(latest);
      const rows = await createQuotes(database, items, number);
      if (number === null || !rows.some(({ result }) => result === "price_unavailable")) {
        return rows;
      }
      // The settings have changed, or the price is too old by the database's clock.
      recorder.forget();
      return await createQuotes(database, items, await recorder.record(latest));
    },
    readQuote,
    { refusalOf },
  );
}

function createQuotes(
  { sql }: Database,
  items: readonly QuoteItem[],
  priceNumber: bigint | null,
): PromiseLike<QuoteRow[]> {
  const { commands, partnerIds, keys, parameters } = commandArrays(items);
  const requests = commands.map(({ request }) => request);
  const settings = commands.map(({ partner }) => partner.settings);
  return sql<QuoteRow[]>`select * from make_priced_quotes(
    ${partnerIds}::integer[],
    ${plainArray(items.map((item) => item.quoteId))}::uuid[],
    ${keys}::text[],
    ${parameters}::text[],
    ${plainArray(requests.map(({ side }) => side))}::text[],
    ${plainArray(requests.map(({ goldMicrograms }) => goldMicrograms ?? "NULL"))}::bigint[],
    ${plainArray(requests.map(({ amountHalalas }) => amountHalalas ?? "NULL"))}::bigint[],
    ${plainArray(items.map(({ price }) => price.ok && priceNumber || "NULL"))}::bigint[],
    ${plainArray(settings.map((s) => s.quoteMinMicrograms))}::bigint[],
    ${plainArray(settings.map((s) => s.quoteMaxMicrograms))}::bigint[],
    ${plainArray(settings.map((s) => s.openQuotesLimit))}::integer[])`;
}

function refusalOf(row: QuoteRow, { command }: QuoteItem): Refusal | undefined {
  const { settings } = command.partner;
  switch (row.result) {
    case "too_many_open_quotes":
      return refuse(row.result, {
        meta: { open: row.open_now, limit: settings.openQuotesLimit },
        retryAfterSeconds: row.retry_after_seconds,
      });
    case "amount_below_minimum":
      return belowMinimum("XAU", settings.quoteMinMicrograms);
    case "amount_above_maximum":
      return aboveMaximum("XAU", settings.quoteMaxMicrograms);
    case "fee_exceeds_value":
      return refuse("amount_below_minimum", { meta: { asset: "XAU" } });
    case "price_unavailable":
      return refuse(row.result, { retryAfterSeconds: 1 });
    default:
      return undefined;
  }
}

/** The quote as it was first answered: open, without an order. */
function readQuote(row: QuoteRow): Quote {
  const createdAtMs = Number(row.created_ms);
  return {
    id: formatId("qt", row.subject_id),
    status: "open",
    orderId: null,
    side: row.side_of,
    goldMicrograms: row.gold,
    pricePerGramTenThousandths: row.price,
    feeHalalas: row.fee,
    vatRatePpm: row.vat_rate,
    vatHalalas: row.vat,
    ...partsOfRow(row, row.vat_rate),
    totalHalalas: row.total,
    priceAsOfMs: Number(row.price_as_of_ms),
    createdAtMs,
    expiresAtMs: createdAtMs + QUOTE_VALIDITY_SECONDS * 1_000,
    ...requestedMoney(row.requested),
  };
}

/** The member `requested` of a quote that was requested by money. */
export function requestedMoney(amountHalalas: bigint | null | undefined): Pick<Quote, "requested"> {
  return amountHalalas == null ? {} : { requested: { amountHalalas } };
}
