import type {
  Balances,
  Environment,
  LedgerEntry,
  Order,
  PartnerEvent,
  Quote,
  Withdrawal,
} from "@sabika/protocol";
import { readBalances } from "../ledger/balances.ts";
import { listLedgerEntries } from "../ledger/ledger_entries.ts";
import { type OpenStatement, openStatement } from "../ledger/statement.ts";
import type { Database } from "../store/database.ts";
import type { Listing, ListQuery } from "../store/list_query.ts";
import { getEvent, listEvents } from "../webhooks/read_events.ts";
import { getOrder, listOrders } from "./reading/orders.ts";
import { getQuote, listQuotes } from "./reading/quotes.ts";
import { getWithdrawal, listWithdrawals } from "./reading/withdrawals.ts";

/**
 * What partners can read (Decision D19). Ids are the UUIDs inside the wire ids; another partner's is
 * undefined like an unknown one. A list is refused only for a cursor that is none of its own.
 */
export interface Reading {
  getQuote(of: { partnerId: number; quoteId: string }): Promise<Quote | undefined>;
  getOrder(of: { partnerId: number; orderId: string }): Promise<Order | undefined>;
  getWithdrawal(of: { partnerId: number; withdrawalId: string }): Promise<Withdrawal | undefined>;
  getEvent(of: { partnerId: number; eventId: string }): Promise<PartnerEvent | undefined>;
  listQuotes(query: ListQuery): Promise<Listing<Quote>>;
  listOrders(query: ListQuery): Promise<Listing<Order>>;
  listWithdrawals(query: ListQuery): Promise<Listing<Withdrawal>>;
  listEvents(query: ListQuery): Promise<Listing<PartnerEvent>>;
  listLedgerEntries(query: ListQuery): Promise<Listing<LedgerEntry>>;
  balances(of: { partnerId: number }): Promise<Balances>;
  /** Undefined when the day is not a date or has not begun. */
  statement(of: { partnerId: number; day: string }): Promise<OpenStatement | undefined>;
}

export interface ReadingParts {
  database: Database;
  environment: Environment;
  now: () => number;
}

/** Puts the reading side together. */
export function createReading({ database, environment, now }: ReadingParts): Reading {
  return {
    getQuote: (of) => getQuote(database, { ...of, nowMs: now() }),
    getOrder: (of) => getOrder(database, of),
    getWithdrawal: (of) => getWithdrawal(database, of),
    getEvent: (of) => getEvent(database, { ...of, environment }),
    listQuotes: (query) => listQuotes(database, { ...query, nowMs: now() }),
    listOrders: (query) => listOrders(database, query),
    listWithdrawals: (query) => listWithdrawals(database, query),
    listEvents: (query) => listEvents(database, { ...query, environment }),
    listLedgerEntries: (query) => listLedgerEntries(database, query),
    balances: ({ partnerId }) => readBalances(database, partnerId),
    statement: (of) => openStatement(database, { ...of, nowMs: now() }),
  };
}
