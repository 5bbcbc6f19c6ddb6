import { encodeHex } from "./hex.ts";

/** Returns the SHA-256 of bytes as lower-case hexadecimal: 64 characters, also for no bytes (Decision D21). */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  // Web Crypto refuses shared memory itself; the cast only removes that case from the type.
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return encodeHex(new Uint8Array(digest));
}
