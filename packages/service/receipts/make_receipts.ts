import { type AnySql, type Database, plainArray, textArray } from "@sabika/database";
import {
  type EventFacts,
  type OrderFacts,
  readDuePartners,
  readNextEvents,
} from "./order_facts.ts";
import { isWhole } from "./receipt_of.ts";
import type { ReceiptSigner } from "./receipt_signer.ts";

/** How many events are looked through at a time. */
const BATCH = 500;

/**
 * Makes the next receipts (Decision D103): of the orders in a cell that have none, each partner's oldest first. They
 * are kept in one transaction; what several callers sign at once is kept once.
 *
 * @returns how many events it looked through; 0: there are no more
 * @throws {SignerAwayError} while none can be signed; nothing is changed
 */
export async function makeReceipts(
  { sql }: Pick<Database, "sql">,
  signer: ReceiptSigner,
  batch = BATCH,
): Promise<number> {
  // Mostly there is nothing to do, which one statement tells.
  const due = await readDuePartners(sql);
  if (due.length === 0) return 0;
  const events = await sql.begin((tx) => readNextEvents(tx, due, batch));
  if (events.length === 0) return 0;
  const orders = events.flatMap(({ order }) => order !== undefined && isWhole(order) ? order : []);
  // No transaction is held meanwhile: the signer may be in the same database, or away.
  const receipts = await signer.sign(orders);
  await keepReceipts(sql, { orders, receipts, events });
  return events.length;
}

/**
 * Keeps receipts of orders that have none yet.
 *
 * @param kept.events up to which all receipts have been made
 */
export async function keepReceipts(
  sql: AnySql,
  { orders, receipts, events = [] }: {
    orders: readonly OrderFacts[];
    receipts: readonly string[];
    events?: readonly EventFacts[];
  },
): Promise<void> {
  const marks = new Map(events.map(({ partnerId, sequence }) => [partnerId, sequence]));
  await sql`select keep_receipts(
    ${plainArray(orders.map(({ partnerId }) => partnerId))}::integer[],
    ${plainArray(orders.map(({ orderId }) => orderId))}::uuid[], ${textArray(receipts)}::text[],
    ${plainArray([...marks.keys()])}::integer[], ${plainArray([...marks.values()])}::bigint[])`;
}
