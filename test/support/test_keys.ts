/** Makes a P-256 key pair for signatures, which can be exported. */
export async function makeKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** The order n of the group of P-256, for signatures at the limits of their range. */
export const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Encodes r and s as the 64 bytes of a signature (r‖s). */
export function rawSignature(r: bigint, s: bigint): Uint8Array<ArrayBuffer> {
  const hex = r.toString(16).padStart(64, "0") + s.toString(16).padStart(64, "0");
  return Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
}

/** Decodes the 64 bytes of a signature to r and s. */
export function numbersOf(signature: Uint8Array): { r: bigint; s: bigint } {
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { r: BigInt(`0x${hex.slice(0, 64)}`), s: BigInt(`0x${hex.slice(64)}`) };
}
