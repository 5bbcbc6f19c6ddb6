import { DER_INTEGER, DER_SEQUENCE, readDer, readDerSequence } from "./der.ts";

/**
 * Converts an ECDSA signature from DER (RFC 3279 §2.2.3) to raw r‖s, 64 bytes; undefined if it is not one.
 * A JWS must not contain DER; a partner whose JWS does is told so in the diagnosis (Decision D15).
 */
export function rawSignatureFromDer(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const outer = readDer(der, 0);
  if (outer?.tag !== DER_SEQUENCE || outer.end !== der.length) return undefined;
  const parts = readDerSequence(outer.content);
  if (parts?.length !== 2) return undefined;
  const raw = new Uint8Array(64);
  for (const [i, part] of parts.entries()) {
    if (part.tag !== DER_INTEGER) return undefined;
    // A leading zero only says that the number is positive.
    const bytes = part.content[0] === 0 ? part.content.subarray(1) : part.content;
    if (bytes.length > 32) return undefined;
    raw.set(bytes, 32 * (i + 1) - bytes.length);
  }
  return raw;
}
