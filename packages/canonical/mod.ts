/** The string to be signed, and the hash in it (Spec §5 Signed requests). It imports nothing. */
export { type CanonicalParts, canonicalString } from "./canonical_string.ts";
export { encodeHex } from "./hex.ts";
export { sha256Hex } from "./sha256_hex.ts";
