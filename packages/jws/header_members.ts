import { decodeBase64Url, encodeBase64Url } from "./base64.ts";
import type { JwsErrorCode } from "./error_code.ts";

/** The JSON object of a header. */
interface HeaderMembers {
  readonly members: Readonly<Record<string, unknown>>;
  /** Whether a name came twice; it says so only if no name or value contains a colon. */
  readonly hasDuplicate: boolean;
}

/** Four times what a header without blanks needs (126 characters). */
const MAX_SEGMENT_CHARACTERS = 512;

const KEY_ID = /^[A-Za-z0-9_-]{43}$/;
const ASCII_WITHOUT_ESCAPES = /^[\t\n\r\x20-\x5b\x5d-\x7e]*$/;

/**
 * Reads the JSON object of a header segment, whose members have only these names. Refuses a segment of more
 * than 512 characters, and JSON that is not ASCII or has escapes.
 *
 * @returns the members, or the code of the first rule that the segment breaks
 */
export function readHeaderMembers(
  segment: string,
  names: readonly string[],
): HeaderMembers | JwsErrorCode {
  if (segment.length > MAX_SEGMENT_CHARACTERS) return "header_malformed";
  const bytes = decodeBase64Url(segment);
  if (bytes === undefined) return "header_not_base64url";
  const text = String.fromCharCode(...bytes);
  // A valid header is plain ASCII without escapes; this also refuses a BOM.
  if (!ASCII_WITHOUT_ESCAPES.test(text)) return "header_malformed";
  const members = parseObject(text);
  if (members === undefined) return "header_malformed";
  const found = Object.keys(members);
  if (!found.every((name) => names.includes(name))) return "header_member_unknown";
  // JSON.parse drops all but the last of members with one name. Where names and values contain no colon, a text
  // with more colons than names has a duplicate.
  return { members, hasDuplicate: text.split(":").length - 1 !== found.length };
}

/** Returns whether `value` is an RFC 7638 thumbprint. */
export function isKeyId(value: unknown): value is string {
  return typeof value === "string" && KEY_ID.test(value);
}

/** Encodes ASCII text as base64url. */
export function encodeAscii(text: string): string {
  // Not Uint8Array.from: k6 takes no string there.
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return encodeBase64Url(bytes);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
