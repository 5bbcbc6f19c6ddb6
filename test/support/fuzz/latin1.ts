/** Decodes bytes as Node decodes headers: Latin-1, one character for each byte. */
export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
