export { encodeHex } from "../canonical/mod.ts";
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "../jws/mod.ts";

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/** Encodes text as UTF-8; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Decodes UTF-8, keeping a BOM; undefined when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes hexadecimal of either case; undefined for anything else. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!HEX.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/**
 * Returns whether two byte strings are equal, in a time that depends only on their lengths and not on
 * where they differ.
 */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
