import {
  encodeBase64Url,
  encodeUtf8,
  formatId,
  parseJson,
  RECEIPT,
  RECEIPT_TYPE,
} from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { readReceiptKeys } from "@sabika/identity/receipts";
import type { Difference } from "../ledger/reconcile.ts";
import { type FindCount, readLastCounts } from "../vault/last_counts.ts";
import {
  importReceiptKeys,
  judgeKeptJws,
  type JwsFault,
  type ReceiptVerifiers,
} from "./kept_jws.ts";
import {
  type OrderFacts,
  readRecountedOrders,
  readStrayReceipts,
  type RecountedOrder,
} from "./order_facts.ts";
import { isWhole, receiptOf } from "./receipt_of.ts";

/** A count may be recorded so much later than it says: whoever signed a receipt meanwhile did not know it. */
const COUNTED_LATE_MS = 600_000;

/** What is recounted. */
export interface ReceiptsToRecount {
  /** It has the keys and the counts. */
  readonly control: Pick<Database, "sql">;
  readonly cell: Pick<Database, "sql">;
  /** The only partner; left out: all. */
  readonly partnerId?: number;
  /** From the first order, not since the last recount that was kept. */
  readonly whole: boolean;
}

/**
 * Makes the receipts of a cell again from the rows that they are of, and compares them byte for byte; also verifies
 * their signatures (Decision D108).
 */
export async function recountReceipts(
  { control, cell, partnerId, whole }: ReceiptsToRecount,
): Promise<Difference[]> {
  const keys = await importReceiptKeys(await readReceiptKeys(control.sql));
  const differences: Difference[] = [];
  const report = (partnerId: number, orderId: string, fault: JwsFault | "missing" | "undue") => {
    const subject = `${formatId("ord", orderId)}: ${fault}`;
    differences.push({ check: "receipts", partnerId, subject, expected: 1n, actual: 0n });
  };
  for await (const page of readRecountedOrders(cell.sql, { partnerId, isSince: !whole })) {
    const times = page.map(({ executedAtMs }) => executedAtMs);
    const countAt = await readLastCounts(control.sql, {
      fromMs: Math.min(...times) - COUNTED_LATE_MS,
      toMs: Math.max(...times),
    });
    const faults = await Promise.all(page.map((order) => judge(order, keys, countAt)));
    for (const [at, fault] of faults.entries()) {
      const { partnerId, orderId } = page[at]!;
      if (fault !== undefined) report(partnerId, orderId, fault);
    }
  }
  const strays = whole ? await readStrayReceipts(cell.sql, partnerId) : [];
  for (const { partnerId, orderId } of strays) report(partnerId, orderId, "undue");
  return differences;
}

async function judge(
  { isDue, ...order }: RecountedOrder,
  keys: ReceiptVerifiers,
  countAt: FindCount,
): Promise<JwsFault | "missing" | "undue" | undefined> {
  const { jws } = order;
  if (jws === null) return isDue && isWhole(order) ? "missing" : undefined;
  // What the partner signed is kept for a while only.
  if (!isWhole({ ...order, requestSha256: "" })) return "undue";
  return await judgeKeptJws(jws, {
    typ: RECEIPT_TYPE,
    keys,
    payloads: ({ payload }) =>
      payloadsOf({ ...order, requestSha256: order.requestSha256 ?? requestOf(payload) }, countAt),
  });
}

function requestOf(payload: Uint8Array): string {
  try {
    return RECEIPT.read(parseJson(new TextDecoder().decode(payload))).requestSha256;
  } catch {
    return "";
  }
}

/** What the receipt of an order may say, as base64url: several texts if a count was recorded around its time. */
function payloadsOf(order: OrderFacts, countAt: FindCount): string[] {
  const { poolId, executedAtMs } = order;
  const payloads: string[] = [];
  for (let atMs = executedAtMs;;) {
    const count = countAt(poolId!, atMs);
    payloads.push(encodeBase64Url(encodeUtf8(RECEIPT.write(receiptOf(order, count)))));
    if (count === null || count.atMs < executedAtMs - COUNTED_LATE_MS) return payloads;
    atMs = count.atMs - 1;
  }
}
