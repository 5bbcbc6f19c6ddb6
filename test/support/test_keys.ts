export async function makeKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** The order of the group, to make signatures at the edges of their range. */
export const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** r and s as the 64 bytes of a signature. */
export function rawSignature(r: bigint, s: bigint): Uint8Array<ArrayBuffer> {
  const hex = r.toString(16).padStart(64, "0") + s.toString(16).padStart(64, "0");
  return Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
}

/** The two numbers of 64 bytes. */
export function numbersOf(signature: Uint8Array): { r: bigint; s: bigint } {
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { r: BigInt(`0x${hex.slice(0, 64)}`), s: BigInt(`0x${hex.slice(64)}`) };
}
