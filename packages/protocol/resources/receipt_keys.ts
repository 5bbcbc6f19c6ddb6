import { type Form, list, nullable, STRING, TIME } from "../form.ts";
import { parseJson } from "../parse_json.ts";
import { constant, mapped, member, record } from "../record_form.ts";

/** A published key that signs receipts (Decision D103). */
export interface ReceiptKey {
  /** Its RFC 7638 thumbprint. */
  readonly keyId: string;
  /** A coordinate, base64url. */
  readonly x: string;
  /** A coordinate, base64url. */
  readonly y: string;
  /** When it began to sign, epoch milliseconds. */
  readonly validFromMs: number;
  /** When it ended; null while it signs. */
  readonly validUntilMs: number | null;
}

const RECEIPT_KEY = record<ReceiptKey>("receipt key", {
  $kty: constant('"EC"'),
  $crv: constant('"P-256"'),
  $use: constant('"sig"'),
  $alg: constant('"ES256"'),
  keyId: member("kid", STRING, "The RFC 7638 thumbprint."),
  x: member("x", STRING),
  y: member("y", STRING),
  validFromMs: member("valid_from", TIME, "When it began to sign."),
  validUntilMs: member("valid_until", nullable(TIME), "When it ended; null while it signs."),
});

const KEY_SET = record<{ keys: readonly ReceiptKey[] }>("receipt keys", {
  keys: member("keys", list(RECEIPT_KEY), "All keys that ever signed receipts."),
});

/**
 * The form of `/.well-known/sabika-receipt-keys.json`: a JWK set (RFC 7517 §5) of all keys that ever signed
 * receipts.
 */
export const RECEIPT_KEYS: Form<readonly ReceiptKey[]> = mapped(KEY_SET, {
  toWire: (keys) => ({ keys }),
  fromWire: ({ keys }) => keys,
});

/**
 * Reads the text of the published keys.
 *
 * @throws {WireFormatError} when it is not such a set
 * @throws {JsonSyntaxError} when it is not JSON
 */
export function readReceiptKeys(text: string): readonly ReceiptKey[] {
  return RECEIPT_KEYS.read(parseJson(text));
}
