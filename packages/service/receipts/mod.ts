/** Receipts of orders: made after the commit, kept for ever, and the keys that verify them. */
export { createReceiptFinder, type FindReceipt, type FoundReceipt } from "./find_receipt.ts";
export { makeReceipts } from "./make_receipts.ts";
export { createPublishedKeys, type PublishedKeys } from "./published_keys.ts";
export { readReceiptLag } from "./receipt_lag.ts";
export { createReceiptSigner, type ReceiptSigner, SignerAwayError } from "./receipt_signer.ts";
export { recountReceipts } from "./recount_receipts.ts";
