/** Receipts of orders: made after the commit, kept for ever, and the keys that verify them. */
export { createPublishedKeys, type PublishedKeys } from "./published_keys.ts";
