/** What each Idempotency-Key made. */
export { digestKeys } from "./digest_keys.ts";
export { idempotencyKeys } from "./tables.ts";
