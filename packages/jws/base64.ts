/**
 * Base64 and base64url (RFC 4648 §4 and §5) by our own tables: k6 has neither atob nor Buffer, and both
 * accept text that a signature must not have.
 *
 * Decoding is strict: each text that decodes is the one text that encodes to those bytes.
 */
const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const STANDARD_CODES = codesOf(STANDARD);
const URL_SAFE_CODES = codesOf(URL_SAFE);

const FOREIGN = 255;
const STANDARD_VALUES = valuesOf(STANDARD);
const URL_SAFE_VALUES = valuesOf(URL_SAFE);

/** Encodes bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE_CODES);
}

/** Decodes base64url; undefined for padding, other characters, and unused bits that are set. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decode(text, text.length, URL_SAFE_VALUES);
}

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD_CODES);
  return text + "=".repeat((4 - text.length % 4) % 4);
}

/** Decodes padded base64; undefined for missing padding, other characters, and unused bits that are set. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return decode(text, text.length - padding, STANDARD_VALUES);
}

function codesOf(alphabet: string): Uint8Array {
  const codes = new Uint8Array(alphabet.length);
  for (let i = 0; i < alphabet.length; i++) codes[i] = alphabet.charCodeAt(i);
  return codes;
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(256).fill(FOREIGN);
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
}

function encode(bytes: Uint8Array, alphabet: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.length * 4 / 3));
  let at = 0;
  let i = 0;
  for (; i + 2 < bytes.length; i += 3) {
    const bits = bytes[i]! << 16 | bytes[i + 1]! << 8 | bytes[i + 2]!;
    codes[at++] = alphabet[bits >> 18]!;
    codes[at++] = alphabet[bits >> 12 & 63]!;
    codes[at++] = alphabet[bits >> 6 & 63]!;
    codes[at++] = alphabet[bits & 63]!;
  }
  if (i < bytes.length) {
    const bits = bytes[i]! << 16 | (bytes[i + 1] ?? 0) << 8;
    codes[at++] = alphabet[bits >> 18]!;
    codes[at++] = alphabet[bits >> 12 & 63]!;
    if (i + 2 === bytes.length) codes[at++] = alphabet[bits >> 6 & 63]!;
  }
  return textOf(codes);
}

/** A call takes only so many arguments. */
const MOST_CODES = 4_096;

/** One flat text: a text that grows letter by letter is a tree, which costs its readers. */
function textOf(codes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < codes.length; from += MOST_CODES) {
    const part = codes.subarray(from, from + MOST_CODES);
    text += String.fromCharCode.apply(null, part as unknown as number[]);
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
