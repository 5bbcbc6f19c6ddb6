/** The order n of the group of P-256 (FIPS 186-5, SP 800-186 §3.2.1.3). */
// deno-fmt-ignore
const ORDER = Uint8Array.of(
  0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
);

/**
 * Returns whether r and s of a 64-byte signature lie in 1 … n−1 (FIPS 186-5 §6.4.2). High s is in
 * range: Decision D22 accepts it, and replay protection never looks at signature bytes.
 */
export function isSignatureInRange(signature: Uint8Array): boolean {
  return isInRange(signature, 0) && isInRange(signature, 32);
}

function isInRange(bytes: Uint8Array, start: number): boolean {
  // A big-endian comparison is decided by the first byte that differs: nearly always the first few.
  for (let i = 0; i < 32; i++) {
    const byte = bytes[start + i]!;
    if (byte > ORDER[i]!) return false;
    if (byte < ORDER[i]!) return !isZero(bytes, start);
  }
  return false;
}

function isZero(bytes: Uint8Array, start: number): boolean {
  for (let i = start; i < start + 32; i++) {
    if (bytes[i] !== 0) return false;
  }
  return true;
}
