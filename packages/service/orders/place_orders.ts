import {
  formatId,
  formatTime,
  type IdempotentOutcome,
  notCarriedOut,
  type Order,
  parseId,
  type Refusal,
  refuse,
} from "@sabika/protocol";
import { type Database, plainArray, textArray } from "@sabika/database";
import {
  commandArrays,
  type CommandItem,
  commandItem,
  type CommandRow,
  commandWork,
} from "../batches/command_batch.ts";
import type { OrderCommand } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";
import { evidenceArrays } from "../evidence/keep_evidence.ts";
import { insufficient } from "../batches/refusals.ts";
import { partsOfRow, type PartsRow } from "./trade_parts.ts";

/** An order to be placed, with the ids that it will have. */
export interface OrderItem extends CommandItem<OrderCommand> {
  readonly quoteId: string;
}

/** A row of `place_signed_orders`. */
interface OrderRow extends CommandRow, PartsRow {
  side_of: "buy" | "sell";
  gold: bigint;
  price: bigint;
  fee: bigint;
  total: bigint;
  cash_after: bigint;
  gold_after: bigint;
  executed_ms: bigint;
  fee_vat_rate: bigint | null;
  price_as_of_ms: bigint | null;
}

/** Stands for text that is not a quote id, so that it is refused like an unknown quote. */
const NO_QUOTE = "00000000-0000-0000-0000-000000000000";

/** Assigns ids to an order. */
export function orderItem(command: OrderCommand, random: (n: number) => Uint8Array): OrderItem {
  const quoteId = parseId("qt", command.request.quoteId) ?? NO_QUOTE;
  const { id, eventId } = commandItem(command, random);
  return { command, id, eventId, quoteId };
}

/** Places orders in batches, each by one call of `place_signed_orders`. */
export function orderWork(
  database: Database,
  now: () => number,
): BatchWork<OrderItem, IdempotentOutcome<Order>> {
  return commandWork((items) => placeOrders(database, items), readOrder, {
    refusalOf: (row, _item, afterLoss) =>
      // The earlier attempt may have spent the nonce and been refused; it executed nothing.
      row.result === "nonce_reused" && afterLoss ? notCarriedOut() : refusalOf(row, now),
    tags: ({ command, quoteId }) => [command.nonce.value, quoteId],
  });
}

function placeOrders({ sql }: Database, items: readonly OrderItem[]): PromiseLike<OrderRow[]> {
  const { commands, partnerIds, keys, parameters } = commandArrays(items);
  const { nonces, timestamps, urls, bodies, keyIds, signatures } = evidenceArrays(commands);
  return sql<OrderRow[]>`select * from place_signed_orders(
    ${partnerIds}::integer[],
    ${plainArray(items.map((item) => item.id))}::uuid[],
    ${plainArray(items.map((item) => item.eventId))}::uuid[],
    ${keys}::text[],
    ${parameters}::text[],
    ${plainArray(items.map((item) => item.quoteId))}::uuid[],
    ${textArray(commands.map((c) => c.request.clientReference))}::text[],
    ${nonces}::text[],
    ${timestamps}::bigint[],
    ${plainArray(commands.map((c) => c.receivedAtMs))}::bigint[],
    ${urls}::text[], ${bodies}::text[], ${keyIds}::text[], ${signatures}::text[])`;
}

function refusalOf(row: OrderRow, now: () => number): Refusal | undefined {
  switch (row.result) {
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
      return undefined;
  }
}

/** Quote and reference come from the request, which is the same in a replay. */
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
    ...partsOfRow(row, row.fee_vat_rate),
    ...(row.price_as_of_ms !== null && { priceAsOfMs: Number(row.price_as_of_ms) }),
    totalHalalas: row.total,
    clientReference: item.command.request.clientReference,
    createdAtMs: executedAtMs,
    executedAtMs,
    balances: { sarHalalas: row.cash_after, goldMicrograms: row.gold_after },
  };
}
