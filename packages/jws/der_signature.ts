import { DER_INTEGER, DER_SEQUENCE, readDer, readDerSequence } from "./der.ts";

/**
 * Converts an ECDSA signature on P-256 from DER (`Ecdsa-Sig-Value`, RFC 3279 §2.2.3) to raw r‖s. Reads the
 * integers as unsigned, also where they are negative or not of the shortest form, so that several encodings
 * give the same r‖s. Whether r and s are in range is left to verification.
 *
 * @returns 64 bytes, r and s of 32 bytes each; undefined when `der` has another form or a longer integer
 */
export function rawSignatureFromDer(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const outer = readDer(der, 0);
  if (outer?.tag !== DER_SEQUENCE || outer.end !== der.length) return undefined;
  const parts = readDerSequence(outer.content);
  if (parts?.length !== 2) return undefined;
  const raw = new Uint8Array(64);
  for (const [i, part] of parts.entries()) {
    if (part.tag !== DER_INTEGER) return undefined;
    // DER puts a zero before a positive integer whose first bit is set.
    const bytes = part.content[0] === 0 ? part.content.subarray(1) : part.content;
    if (bytes.length > 32) return undefined;
    raw.set(bytes, 32 * (i + 1) - bytes.length);
  }
  return raw;
}
