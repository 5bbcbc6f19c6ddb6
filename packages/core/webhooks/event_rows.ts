import {
  eventToJson,
  formatId,
  fundingToJson,
  maskIban,
  orderToJson,
  withdrawalToJson,
} from "@sabika/protocol";
import type { Environment, EventType, PartnerEvent } from "@sabika/protocol";
import type { AnySql } from "../store/sql.ts";

/** A row of `events` with what its object is written from. */
export interface EventRow {
  partner_id: number;
  sequence: bigint;
  event_id: string;
  type: EventType;
  created_ms: number;
  object: string | null;
  resource_id: string | null;
  /** The amount of the funding or withdrawal. */
  amount_halalas: bigint | null;
  cash_after_halalas: bigint | null;
  iban: string | null;
  client_reference: string | null;
  side: "buy" | "sell" | null;
  quote_id: string | null;
  gold_micrograms: bigint | null;
  price_ten_thousandths: bigint | null;
  fee_halalas: bigint | null;
  vat_halalas: bigint | null;
  total_halalas: bigint | null;
  executed_ms: number | null;
}

/**
 * The columns and joins that {@link eventFromRow} needs, for a query of one's own:
 * sql`select ${eventColumns(sql)} where e.partner_id = …`.
 */
export function eventColumns(sql: AnySql) {
  return sql`
    e.partner_id, e.sequence, e.event_id, e.type, e.object, e.resource_id,
    (extract(epoch from e.created_at) * 1000)::float8 as created_ms,
    coalesce(f.amount_halalas, w.amount_halalas) as amount_halalas, f.cash_after_halalas, w.iban,
    coalesce(o.client_reference, w.client_reference) as client_reference,
    o.side, o.quote_id, o.gold_micrograms, o.price_ten_thousandths, o.fee_halalas, o.vat_halalas,
    o.total_halalas, (extract(epoch from o.executed_at) * 1000)::float8 as executed_ms
    from events e
    left join orders o on e.type = 'order.executed' and o.partner_id = e.partner_id
      and o.order_id = e.resource_id
    left join fundings f on e.type = 'funding.completed' and f.partner_id = e.partner_id
      and f.funding_id = e.resource_id
    left join withdrawals w on e.type = 'withdrawal.created' and w.partner_id = e.partner_id
      and w.withdrawal_id = e.resource_id`;
}

/** Events of a partner from a sequence number on, oldest first. */
export function selectEvents(
  sql: AnySql,
  of: { partnerId: number; fromSequence: bigint; limit: number },
): Promise<EventRow[]> {
  return sql<EventRow[]>`
    select ${eventColumns(sql)}
    where e.partner_id = ${of.partnerId} and e.sequence >= ${of.fromSequence}
    order by e.sequence limit ${of.limit}`;
}

/** A row as the event that the partner sees. */
export function eventFromRow(row: EventRow, environment: Environment): PartnerEvent {
  return {
    id: formatId("evt", row.event_id),
    type: row.type,
    environment,
    sequence: Number(row.sequence),
    timestampMs: Math.round(row.created_ms),
    objectJson: row.object ?? renderObject(row),
  };
}

/** The body of the webhook: the same bytes each time, because all that it is made of never changes. */
export function renderEvent(row: EventRow, environment: Environment): string {
  return eventToJson(eventFromRow(row, environment));
}

/**
 * The object of an event that keeps none, from the immutable columns of its resource as they were at
 * that moment; so an order writes no copy of itself on the hot path (Decision D11: no `balances`).
 */
function renderObject(row: EventRow): string {
  const id = row.resource_id!;
  const createdAtMs = Math.round(row.created_ms);
  switch (row.type) {
    case "order.executed":
      return orderToJson({
        id: formatId("ord", id),
        quoteId: formatId("qt", row.quote_id!),
        status: "executed",
        side: row.side!,
        goldMicrograms: row.gold_micrograms!,
        pricePerGramTenThousandths: row.price_ten_thousandths!,
        feeHalalas: row.fee_halalas!,
        vatHalalas: row.vat_halalas!,
        totalHalalas: row.total_halalas!,
        clientReference: row.client_reference,
        createdAtMs: Math.round(row.executed_ms!),
        executedAtMs: Math.round(row.executed_ms!),
      });
    case "funding.completed":
      return fundingToJson({
        id: formatId("fund", id),
        status: "completed",
        amountHalalas: row.amount_halalas!,
        balanceHalalas: row.cash_after_halalas!,
        createdAtMs,
      });
    case "withdrawal.created":
      return withdrawalToJson({
        id: formatId("wd", id),
        status: "pending",
        amountHalalas: row.amount_halalas!,
        ibanMasked: maskIban(row.iban!),
        clientReference: row.client_reference,
        createdAtMs,
        completedAtMs: null,
        failureReason: null,
      });
    default:
      throw new Error(`event ${row.event_id} of type ${row.type} has no object`);
  }
}
