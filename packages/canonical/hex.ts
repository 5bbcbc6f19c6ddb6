const PAIRS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0"),
);

/** Encodes bytes as lower-case hexadecimal. */
export function encodeHex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += PAIRS[bytes[i]!];
  return text;
}
