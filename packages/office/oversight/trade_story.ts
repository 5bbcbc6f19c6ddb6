import {
  type Balances,
  type DeliveryAttempt,
  type Environment,
  formatId,
  formatTime,
  type LedgerEntry,
  type PartnerEvent,
  type PriceSource,
  type Quote,
  type SignedEvidence,
} from "@sabika/protocol";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, drizzle } from "@sabika/database";
import { getEvent, listAttempts } from "@sabika/service/delivery";
import { events } from "@sabika/service/events";
import { readEvidence } from "@sabika/service/evidence";
import { firstTransferAt, readEntries } from "@sabika/service/ledger";
import { ORDER_COLUMNS, orders } from "@sabika/service/orders";
import { partners } from "@sabika/service/partners";
import { prices } from "@sabika/service/prices";
import { getQuote } from "@sabika/service/quotes";
import { createReceiptFinder } from "@sabika/service/receipts";
import { findOrder } from "./find_order.ts";
import { readTrade, type Trade } from "./list_trades.ts";

/** The checks that every trade must pass; each reading compares the rows again. */
export type TradeCheck =
  | "terms_are_the_quotes"
  | "in_the_quotes_time"
  | "money_and_gold_moved_once"
  | "event_was_written";

/** One trade with its quote, transfers, event and deliveries. */
export interface TradeStory {
  readonly trade: Trade;
  readonly partnerName: string;
  readonly receivedAtMs: number;
  readonly balancesAfter: Balances;
  /** The signed request as it came; none from before evidence was kept, or after it was dropped. */
  readonly requests: readonly SignedEvidence[];
  /** The receipt as it was signed; null while it is not signed, and for an order of before receipts. */
  readonly receipt: string | null;
  /** The price that its quote was made at; null when it is not known, or no longer kept. */
  readonly price: RecordedPrice | null;
  /** Null when it is not on record. */
  readonly quote: Quote | null;
  /** One of money, one of gold, and one of the VAT, if there is any. */
  readonly transfers: readonly LedgerEntry[];
  /** Null when it is not on record. */
  readonly event: PartnerEvent | null;
  /** The newest 100, newest first. */
  readonly attempts: readonly DeliveryAttempt[];
  readonly checks: Readonly<Record<TradeCheck, boolean>>;
}

/** A price of the book (Decision D88). */
export interface RecordedPrice {
  readonly priceNumber: bigint;
  readonly source: PriceSource;
  readonly midPriceTenThousandths: bigint;
  /** The feed's own time. */
  readonly asOfMs: number;
  /** By the database's clock. */
  readonly arrivedAtMs: number;
  /** The feed's host, or who set it; null if not known, as what follows. */
  readonly origin: string | null;
  /** The number as it came. */
  readonly rawValue: string | null;
  readonly rawUnit: string | null;
  /** How it became riyals a gram; null if it was. */
  readonly conversion: string | null;
  /** Why it was accepted. */
  readonly accepted: string | null;
}

/** How many attempts are read; an event's schedule has fewer, many redeliveries may have more. */
const ATTEMPTS = 100;

/**
 * Reads one trade: its order, quote, transfers, event, and the attempts to deliver the event.
 *
 * @param query.orderId the UUID
 * @returns undefined when there is no such order
 */
export async function readTradeStory(
  database: Database,
  query: { orderId: string; environment: Environment; nowMs: number },
): Promise<TradeStory | undefined> {
  const row = await findRow(database, query.orderId);
  if (row === undefined) return undefined;
  const { partnerId, clientId, partnerName, order } = row;
  const { quoteId, executedAtMs: atMs } = order;
  const findReceipt = createReceiptFinder({ reading: database });
  const [requests, receipt, price, quote, transfers, eventId] = await Promise.all([
    readEvidence(database, { partnerId, id: query.orderId }),
    findReceipt({ partnerId, orderId: query.orderId }),
    readPrice(database, row.priceNumber),
    getQuote(database, { partnerId, quoteId, nowMs: query.nowMs }),
    transfersOf(database, { partnerId, atMs, orderId: query.orderId }),
    eventOf(database, { partnerId, atMs, orderId: query.orderId }),
  ]);
  const { environment } = query;
  const [event, attempts] = eventId === undefined ? [] : await Promise.all([
    getEvent(database, { partnerId, eventId, environment }),
    listAttempts(database, { partnerId, eventId, limit: ATTEMPTS }),
  ]);
  const trade = { ...readTrade(order), clientId };
  return {
    trade,
    partnerName,
    requests,
    receipt: receipt?.state === "made" ? receipt.jws : null,
    price,
    quote: quote ?? null,
    transfers,
    event: event ?? null,
    receivedAtMs: receivedAtMs(trade),
    balancesAfter: { sarHalalas: row.cashAfterHalalas, goldMicrograms: row.goldAfterMicrograms },
    attempts: attempts?.ok ? attempts.page.data : [],
    checks: checksOf(trade, quote, transfers, event),
  };
}

async function findRow(database: Database, orderId: string) {
  const found = await findOrder(database, formatId("ord", orderId));
  if (found === undefined) return undefined;
  const { partnerId, clientId, name: partnerName } = partners;
  const { cashAfterHalalas, goldAfterMicrograms } = orders;
  const [row] = await drizzle(database.sql)
    .select({
      partnerId,
      clientId,
      partnerName,
      cashAfterHalalas,
      goldAfterMicrograms,
      priceNumber: orders.priceNumber,
      order: ORDER_COLUMNS,
    })
    .from(orders).innerJoin(partners, eq(partnerId, orders.partnerId))
    .where(and(eq(orders.partnerId, found.partnerId), eq(orders.orderId, orderId)));
  return row;
}

async function readPrice(
  { sql: pool }: Database,
  number: bigint | null,
): Promise<RecordedPrice | null> {
  if (number === null) return null;
  const { priceNumber, source, midTenThousandths, asOf, arrivedAt, ...came } = getTableColumns(
    prices,
  );
  const [row] = await drizzle(pool).select({
    priceNumber,
    source,
    midPriceTenThousandths: midTenThousandths,
    asOfMs: asOf,
    arrivedAtMs: arrivedAt,
    ...came,
  }).from(prices).where(eq(priceNumber, number));
  return row ?? null;
}

interface Posted {
  partnerId: number;
  atMs: number;
  orderId: string;
}

/** Finds an order's transfers by their time: an index on order ids would slow each order down. */
async function transfersOf(database: Database, { partnerId, atMs, orderId }: Posted) {
  const [range] = await drizzle(database.sql).select({
    from: firstTransferAt(partnerId, formatTime(atMs)),
    to: firstTransferAt(partnerId, formatTime(atMs + 1)),
  }).from(partners).where(eq(partners.partnerId, partnerId));
  const entries = await readEntries(database, {
    partnerId,
    from: range!.from,
    to: range!.to,
  });
  return entries.filter(({ sourceId }) => sourceId === formatId("ord", orderId));
}

/** Finds the id of an order's event, also by the order's time. */
async function eventOf({ sql: pool }: Database, { partnerId, atMs, orderId }: Posted) {
  const { sequence, eventId, resourceId } = events;
  const firstAt = (ms: number) =>
    sql`(select first_event_at(${partnerId}::integer, ${formatTime(ms)}::timestamptz))`;
  const [row] = await drizzle(pool).select({ eventId }).from(events).where(and(
    eq(events.partnerId, partnerId),
    sql`${sequence} >= ${firstAt(atMs - SKEW_MS)} and ${sequence} < ${firstAt(atMs + SKEW_MS)}`,
    eq(resourceId, orderId),
  ));
  return row?.eventId;
}

/** More than the clocks of servers, which date some events, may differ (Decision D12). */
const SKEW_MS = 5_000;

function checksOf(
  trade: Trade,
  quote: Quote | undefined,
  transfers: readonly LedgerEntry[],
  event: PartnerEvent | undefined,
): TradeStory["checks"] {
  const { side } = trade;
  const moved = (asset: string, amount: bigint, debit: string, credit: string) =>
    transfers.filter((transfer) =>
      transfer.asset === asset && transfer.amount === amount &&
      transfer.debitAccount === (side === "buy" ? debit : credit) &&
      transfer.creditAccount === (side === "buy" ? credit : debit)
    ).length === 1;
  const taxes = transfers.filter(({ creditAccount }) => creditAccount === "vat");
  return {
    terms_are_the_quotes: quote !== undefined && quote.side === side &&
      quote.goldMicrograms === trade.goldMicrograms &&
      quote.pricePerGramTenThousandths === trade.pricePerGramTenThousandths &&
      quote.feeHalalas === trade.feeHalalas && quote.vatHalalas === trade.vatHalalas &&
      quote.totalHalalas === trade.totalHalalas,
    // The moment of receipt counts (Decision D12), which is before that of execution.
    in_the_quotes_time: quote !== undefined && receivedAtMs(trade) < quote.expiresAtMs &&
      quote.createdAtMs <= trade.executedAtMs,
    money_and_gold_moved_once: transfers.length ===
        2 + (taxes.length === 1 && taxes[0]!.amount === trade.vatHalalas ? 1 : 0) &&
      (trade.feeVatHalalas === undefined || trade.vatHalalas === 0n || taxes.length === 1) &&
      moved("SAR", trade.totalHalalas, "cash", "house_cash") &&
      moved("XAU", trade.goldMicrograms, "allocation", "gold"),
    event_was_written: event?.type === "order.executed",
  };
}

/** Returns when an order was received: its id, a UUIDv7, begins with that time. */
function receivedAtMs({ id }: Trade): number {
  return Number.parseInt(id.slice(4).replaceAll("-", "").slice(0, 12), 16);
}
