import { type Form, id } from "../form.ts";
import type { Id } from "../ids.ts";
import { constant, member, record } from "../record_form.ts";

/** The answer in place of a receipt that cannot be signed yet (Decision D103). */
export interface ReceiptPending {
  /** The order. */
  readonly orderId: Id<"ord">;
}

/** The form of 202 of GET /v1/orders/{id}/receipt. */
export const RECEIPT_PENDING: Form<ReceiptPending> = record<ReceiptPending>("pending receipt", {
  orderId: member("order_id", id("ord"), "The order."),
  $status: constant('"receipt_pending"', "It is made as soon as it can be signed."),
});
