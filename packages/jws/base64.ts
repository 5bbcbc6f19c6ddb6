/**
 * Base64 and base64url (RFC 4648 §4 and §5) by our own tables: k6 has neither atob nor Buffer, and both
 * accept text that a signature must not have.
 *
 * Decoding is strict: each text that decodes is the one text that encodes to those bytes.
 */
const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const FOREIGN = 255;
const STANDARD_VALUES = valuesOf(STANDARD);
const URL_SAFE_VALUES = valuesOf(URL_SAFE);

/** Encodes bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE);
}

/** Decodes base64url; undefined for padding, other characters, and unused bits that are set. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decode(text, text.length, URL_SAFE_VALUES);
}

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD);
  return text + "=".repeat((4 - text.length % 4) % 4);
}

/** Decodes padded base64; undefined for missing padding, other characters, and unused bits that are set. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decode(text, text.length - padding, STANDARD_VALUES);
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(256).fill(FOREIGN);
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
}

function encode(bytes: Uint8Array, alphabet: string): string {
  let text = "";
  let i = 0;
  for (; i + 2 < bytes.length; i += 3) {
    const bits = bytes[i]! << 16 | bytes[i + 1]! << 8 | bytes[i + 2]!;
    text += alphabet[bits >> 18]! + alphabet[bits >> 12 & 63]! + alphabet[bits >> 6 & 63]! +
      alphabet[bits & 63]!;
  }
  if (i + 1 === bytes.length) {
    text += alphabet[bytes[i]! >> 2]! + alphabet[bytes[i]! << 4 & 63]!;
  } else if (i + 2 === bytes.length) {
    const bits = bytes[i]! << 8 | bytes[i + 1]!;
    text += alphabet[bits >> 10]! + alphabet[bits >> 4 & 63]! + alphabet[bits << 2 & 63]!;
  }
  return text;
}

function decode(
  text: string,
  length: number,
  values: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array(length * 3 >> 2);
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const value = code < 256 ? values[code]! : FOREIGN;
    if (value === FOREIGN) return undefined;
    bits = (bits << 6 | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[at++] = bits >> bitCount & 255;
    }
  }
  // The bits left over encode nothing and must be zero, or two texts would mean the same bytes.
  return (bits & (1 << bitCount) - 1) === 0 ? bytes : undefined;
}
