/** The keys that sign receipts of orders. */
export {
  ensureReceiptKey,
  openReceiptKey,
  readReceiptKeys,
  receiptKeyIdentity,
  renewReceiptKey,
  type SigningReceiptKey,
} from "./receipt_keys.ts";
export { receiptKeys } from "./tables.ts";
