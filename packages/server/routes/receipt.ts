import { formatId, parseId, RECEIPT_MEDIA_TYPE, RECEIPT_PENDING, refuse } from "@sabika/protocol";
import type { FindReceipt } from "@sabika/service/receipts";
import type { ReadCall } from "../call/findings.ts";
import { json, reply } from "../call/reply.ts";
import type { Route } from "./route.ts";

const PENDING_HEADERS = { "retry-after": "5" };

/** GET /v1/orders/{id}/receipt: the receipt as it was signed, or 202 while it cannot be (Decision D103). */
export function receiptRoute(find: FindReceipt): Route<ReadCall> {
  return async ({ partner: { partnerId } }, id) => {
    const orderId = parseId("ord", id);
    const found = orderId === undefined ? undefined : await find({ partnerId, orderId });
    if (orderId === undefined || found === undefined) return refuse("not_found");
    if (found.state === "made") return reply(found.jws, { "content-type": RECEIPT_MEDIA_TYPE });
    if (found.state === "none") return refuse("no_receipt");
    const pending = json(RECEIPT_PENDING.write({ orderId: formatId("ord", orderId) }), 202);
    return { ...pending, headers: { ...pending.headers, ...PENDING_HEADERS } };
  };
}
