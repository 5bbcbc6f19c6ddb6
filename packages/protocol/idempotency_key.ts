import { IDEMPOTENCY_KEY_MAX_LENGTH } from "./limits.ts";

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX_LENGTH}}$`);

/** Returns whether `text` may be an Idempotency-Key: 1 to 255 visible ASCII characters (Decision D27). */
export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text);
}
