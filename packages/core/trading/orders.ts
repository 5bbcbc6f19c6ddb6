import {
  formatId,
  formatTime,
  type Order,
  type Outcome,
  parseId,
  refuse,
  uuidV7,
} from "@sabika/protocol";
import { plainArray, textArray } from "../store/array_text.ts";
import type { Database } from "../store/database.ts";
import type { OrderCommand } from "./commands.ts";
import type { BatchWork } from "./executor.ts";

import { insufficient, keyConflict, notCarriedOut } from "./refusals.ts";
import type { ResourceKind } from "./resource_id.ts";

/** An order on its way, with the ids it will have; they stay the same however often it is tried. */
export interface OrderItem {
  readonly command: OrderCommand;
  readonly orderId: string;
  readonly eventId: string;
  readonly quoteId: string;
}

/** A row of `place_orders`. */
interface OrderRow {
  item: number;
  result: string;
  subject_kind: ResourceKind;
  subject_id: string;
  side_of: "buy" | "sell";
  gold: bigint;
  price: bigint;
  fee: bigint;
  vat: bigint;
  total: bigint;
  cash_after: bigint;
  gold_after: bigint;
  executed_ms: bigint;
}

/** What is no quote id is looked up all the same, so that it is refused where unknown ones are. */
const NO_QUOTE = "00000000-0000-0000-0000-000000000000";

/** Gives an order its ids. */
export function orderItem(command: OrderCommand, random: (n: number) => Uint8Array): OrderItem {
  return {
    command,
    orderId: uuidV7(command.receivedAtMs, random),
    eventId: uuidV7(command.receivedAtMs, random),
    quoteId: parseId("qt", command.request.quoteId) ?? NO_QUOTE,
  };
}

/** Orders go to the database in batches of `place_orders`. */
export function orderWork(
  database: Database,
  now: () => number,
): BatchWork<OrderItem, Outcome<Order>> {
  return {
    group: () => "",
    partnerId: ({ command }) => command.partner.partnerId,
    tags: ({ command: { partner, idempotencyKey, nonce }, quoteId }) => [
      `${partner.partnerId} key ${idempotencyKey}`,
      `${partner.partnerId} nonce ${nonce.value}`,
      `${partner.partnerId} quote ${quoteId}`,
    ],
    async run(items, afterLoss) {
      const rows = await placeOrders(database, items);
      const outcomes = new Array<Outcome<Order>>(items.length);
      for (const row of rows) {
        // Perhaps the earlier attempt spent it and was refused; it certainly executed nothing.
        outcomes[row.item - 1] = row.result === "nonce_reused" && afterLoss
          ? notCarriedOut()
          : readRow(row, items[row.item - 1]!, now);
      }
      return outcomes;
    },
  };
}

function placeOrders(database: Database, items: readonly OrderItem[]): PromiseLike<OrderRow[]> {
  const commands = items.map((item) => item.command);
  return database.sql<OrderRow[]>`select * from place_orders(
    ${plainArray(commands.map((c) => c.partner.partnerId))}::integer[],
    ${plainArray(items.map((item) => item.orderId))}::uuid[],
    ${plainArray(items.map((item) => item.eventId))}::uuid[],
    ${textArray(commands.map((c) => c.idempotencyKey))}::text[],
    ${textArray(commands.map((c) => c.parameters))}::text[],
    ${plainArray(items.map((item) => item.quoteId))}::uuid[],
    ${textArray(commands.map((c) => c.request.clientReference))}::text[],
    ${textArray(commands.map((c) => c.nonce.value))}::text[],
    ${plainArray(commands.map((c) => c.nonce.timestampSeconds))}::bigint[],
    ${plainArray(commands.map((c) => c.receivedAtMs))}::bigint[])`;
}

function readRow(row: OrderRow, item: OrderItem, now: () => number): Outcome<Order> {
  switch (row.result) {
    case "executed":
    case "replayed":
      return { ok: true, replayed: row.result === "replayed", value: readOrder(row, item) };
    case "idempotency_key_conflict":
      return keyConflict(row.subject_kind, row.subject_id);
    case "quote_already_used":
      return refuse(row.result, { meta: { order_id: formatId("ord", row.subject_id) } });
    case "quote_expired":
      return refuse(row.result, {
        meta: {
          expired_at: formatTime(Number(row.executed_ms)),
          server_time: formatTime(now()),
        },
      });
    case "insufficient_funds":
      return insufficient("SAR", row.cash_after, row.total);
    case "insufficient_gold":
      return insufficient("XAU", row.gold_after, row.gold);
    case "nonce_reused":
    case "quote_not_found":
    case "inventory_unavailable":
      return refuse(row.result);
    default:
      throw new Error(`place_orders returned ${row.result}`);
  }
}

/** Its quote and reference are the request's, which a replay has in common with the first. */
function readOrder(row: OrderRow, item: OrderItem): Order {
  const executedAtMs = Number(row.executed_ms);
  return {
    id: formatId("ord", row.subject_id),
    quoteId: formatId("qt", item.quoteId),
    status: "executed",
    side: row.side_of,
    goldMicrograms: row.gold,
    pricePerGramTenThousandths: row.price,
    feeHalalas: row.fee,
    vatHalalas: row.vat,
    totalHalalas: row.total,
    clientReference: item.command.request.clientReference,
    createdAtMs: executedAtMs,
    executedAtMs,
    balances: { sarHalalas: row.cash_after, goldMicrograms: row.gold_after },
  };
}
