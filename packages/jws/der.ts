/** One element of DER: its tag and content. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** The offset at which the next element starts. */
  readonly end: number;
}

/** The tag of an INTEGER (X.690 §8.3). */
export const DER_INTEGER = 0x02;
/** The tag of a BIT STRING (X.690 §8.6). */
export const DER_BIT_STRING = 0x03;
/** The tag of an OBJECT IDENTIFIER (X.690 §8.19). */
export const DER_OBJECT_ID = 0x06;
/** The tag of a SEQUENCE (X.690 §8.9). */
export const DER_SEQUENCE = 0x30;

/**
 * Reads the element at `start` (X.690 §8.1, §10.1), as far as keys and signatures need it: one-byte
 * tags, definite lengths in their shortest form, up to 65 535 bytes.
 *
 * @returns the element, or undefined when there is no element of this form
 */
export function readDer(bytes: Uint8Array, start: number): DerElement | undefined {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) return undefined;
  let length = first;
  let from = start + 2;
  if (first >= 0x80) {
    const lengthBytes = first - 0x80;
    if (lengthBytes < 1 || lengthBytes > 2) return undefined;
    length = 0;
    for (let i = 0; i < lengthBytes; i++) length = length << 8 | (bytes[from + i] ?? 0);
    from += lengthBytes;
    if (length < (lengthBytes === 1 ? 0x80 : 0x100)) return undefined;
  }
  const end = from + length;
  return end > bytes.length ? undefined : { tag, content: bytes.subarray(from, end), end };
}

/** Reads the consecutive elements in `bytes`, none if empty; undefined if it holds anything else. */
export function readDerSequence(bytes: Uint8Array): DerElement[] | undefined {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = readDer(bytes, at);
    if (element === undefined) return undefined;
    elements.push(element);
    at = element.end;
  }
  return elements;
}

/** Returns whether two byte strings, neither of them secret, are equal. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
