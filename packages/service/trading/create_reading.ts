import { type Environment, formatId } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { riyadhDayEnd } from "@sabika/terms";
import { readEndpointStates } from "../delivery/endpoint_states.ts";
import { listAttempts } from "../delivery/read_attempts.ts";
import { getEvent, listEvents } from "../delivery/read_events.ts";
import { readEvidence } from "../evidence/read_evidence.ts";
import { readEventsAfter, readLastSequences } from "../events/follow_events.ts";
import { readBalances } from "../ledger/balances.ts";
import { listLedgerEntries } from "../ledger/ledger_entries.ts";
import { openStatement, type ReadOn } from "../ledger/statement.ts";
import { listedBefore, type ListQuery, SLACK_MS, timeOfId } from "../lists/list_query.ts";
import { getOrder, listOrders } from "../orders/read_orders.ts";
import { createReceiptFinder, type FindReceipt } from "../receipts/find_receipt.ts";
import { getQuote, listQuotes } from "../quotes/read_quotes.ts";
import { getWithdrawal, listWithdrawals } from "../withdrawals/read_withdrawals.ts";
import { isHome } from "./is_home.ts";

/**
 * What partners can read (Decision D19). Ids are the UUIDs inside the wire ids; another partner's is
 * undefined like an unknown one. A list is only refused for a cursor that is not one of that list.
 */
export type Reading = ReturnType<typeof createReading>;

/** The databases that are read. `now` is epoch milliseconds. */
export interface ReadingParts {
  database: Database;
  /** Used only for statements, which may be long; `database` by default. */
  statementsDatabase?: Database;
  environment: Environment;
  now: () => number;
  /** Finds receipts; by default only those that have been made. */
  findReceipt?: FindReceipt;
}

/**
 * What is older is the same on the primary and on every standby that may be read (Decision D121): more than what a
 * standby may lag, and than the time of an id and the commit of its row may differ.
 */
const PAST_MS = 2 * SLACK_MS;

/** Creates the reading side of one cell. */
export function createReading(
  {
    database,
    statementsDatabase = database,
    environment,
    now,
    findReceipt = createReceiptFinder({ reading: database }),
  }: ReadingParts,
) {
  /** Where to read a partner's rows of before a moment, and up to the number of a transfer. */
  const readOn = (
    { at = database, partnerId, beforeMs, lastTransfer }: {
      at?: Database;
      partnerId: number;
      beforeMs: number;
      lastTransfer?: bigint;
    },
  ): ReadOn =>
    beforeMs < now() - PAST_MS
      // Rows that a partner brought from another cell are newer here than they say.
      ? (read) => at.past(read, (standby) => isHome(standby, partnerId, lastTransfer))
      : (read) => read(at);
  return {
    getQuote: (query: { partnerId: number; quoteId: string }) =>
      getQuote(database, { ...query, nowMs: now() }),
    getOrder: (query: { partnerId: number; orderId: string }) =>
      readOn({ ...query, beforeMs: timeOfId(query.orderId) })((at) => getOrder(at, query)),
    getWithdrawal: (query: { partnerId: number; withdrawalId: string }) =>
      getWithdrawal(database, query),
    getEvent: (query: { partnerId: number; eventId: string }) =>
      getEvent(database, { ...query, environment }),
    listQuotes: (query: ListQuery) => listQuotes(database, { ...query, nowMs: now() }),
    listOrders: (query: ListQuery) =>
      readOn({ ...query, beforeMs: listedBefore("orders", query).ms })((at) =>
        listOrders(at, query)
      ),
    listWithdrawals: (query: ListQuery) => listWithdrawals(database, query),
    listEvents: (query: ListQuery) => listEvents(database, { ...query, environment }),
    listAttempts: (query: ListQuery & { eventId: string }) => listAttempts(database, query),
    /** The events after a number, as in their webhooks; oldest first. */
    eventsAfter: (query: { partnerId: number; afterSequence: number; limit: number }) =>
      readEventsAfter(database, { ...query, environment }),
    /** The number of each partner's last event. */
    lastSequences: (partnerIds: readonly number[]) => readLastSequences(database, partnerIds),
    listLedgerEntries: (query: ListQuery) => {
      const { ms, number } = listedBefore("ledger", query);
      // Numbers have no gaps, so who has one has those before it.
      const place = number === undefined
        ? { beforeMs: ms }
        : { beforeMs: -Infinity, lastTransfer: number - 1n };
      return readOn({ ...query, ...place })((at) => listLedgerEntries(at, query));
    },
    /** The signed requests behind an order, with its id; undefined when there is no such order. */
    orderEvidence: async ({ partnerId, orderId: id }: { partnerId: number; orderId: string }) =>
      await getOrder(database, { partnerId, orderId: id }) &&
      { id: formatId("ord", id), requests: await readEvidence(database, { partnerId, id }) },
    receipt: findReceipt,
    /** The signed requests behind a withdrawal, with its id; undefined when there is no such withdrawal. */
    withdrawalEvidence: async (
      { partnerId, withdrawalId: id }: { partnerId: number; withdrawalId: string },
    ) =>
      await getWithdrawal(database, { partnerId, withdrawalId: id }) &&
      { id: formatId("wd", id), requests: await readEvidence(database, { partnerId, id }) },
    /** The state of the partner's webhook endpoint; undefined when it has none. */
    webhookEndpoint: async ({ partnerId }: { partnerId: number }) =>
      (await readEndpointStates(database.sql, now(), partnerId))[0],
    balances: ({ partnerId }: { partnerId: number }) => readBalances(database, partnerId),
    /** Whether the partner's accounts are in this database. */
    isHome: (partnerId: number) => isHome(database, partnerId),
    /** Undefined when the day is not a date or has not begun. */
    statement: (query: { partnerId: number; day: string }) =>
      openStatement(
        readOn({ ...query, at: statementsDatabase, beforeMs: riyadhDayEnd(query.day) ?? Infinity }),
        { ...query, nowMs: now() },
      ),
  };
}
