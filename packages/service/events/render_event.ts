import {
  type Environment,
  eventToJson,
  type EventType,
  formatId,
  FUNDING,
  ORDER,
  type PartnerEvent,
  WITHDRAWAL,
} from "@sabika/protocol";
import { and, asc, eq, gte } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type AnySql, type drizzle, type Inputs, preparedQuery } from "@sabika/database";
import { fundings } from "../fundings/tables.ts";
import { ORDER_COLUMNS, readOrder } from "../orders/read_orders.ts";
import { orders } from "../orders/tables.ts";
import { readWithdrawal } from "../withdrawals/read_withdrawals.ts";
import { withdrawals } from "../withdrawals/tables.ts";
import { events } from "./tables.ts";

const { partnerId, sequence } = events;

const EVENT_COLUMNS = {
  sequence,
  eventId: events.eventId,
  type: events.type,
  createdAt: events.createdAt,
  object: events.object,
};

type Row = typeof events.$inferSelect;

/** An event with the row that its object is rendered from; the other rows are null. */
export interface EventRow {
  readonly event: Pick<Row, "sequence" | "eventId" | "type" | "createdAt" | "object">;
  readonly order: Parameters<typeof readOrder>[0] | null;
  readonly funding: typeof fundings.$inferSelect | null;
  readonly withdrawal: typeof withdrawals.$inferSelect | null;
}

/** Builds a query of events as {@link EventRow}; the caller adds condition and order. */
export function withResources(orm: ReturnType<typeof drizzle>) {
  const isAbout = (type: EventType, partner: PgColumn, id: PgColumn) =>
    and(eq(events.type, type), eq(partner, partnerId), eq(id, events.resourceId));
  const ofOrder = isAbout("order.executed", orders.partnerId, orders.orderId);
  const ofFunding = isAbout("funding.completed", fundings.partnerId, fundings.fundingId);
  const ofWithdrawal = isAbout(
    "withdrawal.created",
    withdrawals.partnerId,
    withdrawals.withdrawalId,
  );
  return orm
    .select({
      event: EVENT_COLUMNS,
      order: ORDER_COLUMNS,
      funding: fundings,
      withdrawal: withdrawals,
    })
    .from(events).leftJoin(orders, ofOrder).leftJoin(fundings, ofFunding)
    .leftJoin(withdrawals, ofWithdrawal);
}

const selectFrom = preparedQuery((orm, values: Inputs<"partnerId" | "fromSequence" | "limit">) =>
  withResources(orm)
    .where(and(eq(partnerId, values.partnerId), gte(sequence, values.fromSequence)))
    .orderBy(asc(sequence)).limit(values.limit)
);

/** Reads a partner's events from a sequence number on, oldest first. */
export function selectEvents(
  pool: AnySql,
  query: { partnerId: number; fromSequence: bigint; limit: number },
): Promise<EventRow[]> {
  return selectFrom(pool, query);
}

/** Converts a row to the event that the partner sees. */
export function eventFromRow(row: EventRow, environment: Environment): PartnerEvent {
  const { event } = row;
  return {
    id: formatId("evt", event.eventId),
    type: event.type,
    environment,
    sequence: Number(event.sequence),
    timestampMs: event.createdAt,
    objectJson: event.object ?? renderObject(row),
  };
}

/** Renders the body of the webhook: the same each time, because the columns it uses never change. */
export function renderEvent(row: EventRow, environment: Environment): string {
  return eventToJson(eventFromRow(row, environment));
}

/**
 * The object of an event that keeps none, from the immutable columns of its resource as they were at
 * that moment; so an order writes no copy of itself on the hot path (Decision D11: no `balances`).
 */
function renderObject({ event, order, funding, withdrawal }: EventRow): string {
  if (order) return ORDER.write(readOrder(order));
  if (funding) {
    return FUNDING.write({
      id: formatId("fund", funding.fundingId),
      status: "completed",
      amountHalalas: funding.amountHalalas,
      balanceHalalas: funding.cashAfterHalalas,
      createdAtMs: funding.createdAt,
    });
  }
  if (withdrawal) {
    return WITHDRAWAL.write({
      ...readWithdrawal(withdrawal),
      status: "pending",
      completedAtMs: null,
      failureReason: null,
    });
  }
  throw new Error(`event ${event.eventId} of type ${event.type} has no object`);
}
