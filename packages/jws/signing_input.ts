const utf8 = new TextEncoder();

/**
 * Returns the bytes to be signed: the protected segment, a full stop, and the payload (RFC 7797 §3).
 *
 * @param payload bytes, or text, which is signed as UTF-8
 */
export function signingInput(
  protectedSegment: string,
  payload: string | Uint8Array,
): Uint8Array<ArrayBuffer> {
  if (typeof payload === "string") return utf8.encode(`${protectedSegment}.${payload}`);
  const start = protectedSegment.length + 1;
  const input = new Uint8Array(start + payload.length);
  // Base64url is ASCII: a letter is a byte.
  for (let i = 0; i < start - 1; i++) input[i] = protectedSegment.charCodeAt(i);
  input[start - 1] = FULL_STOP;
  input.set(payload, start);
  return input;
}

const FULL_STOP = 0x2e;
