/** Bytes as Node reads headers: Latin-1, a character a byte. */
export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
