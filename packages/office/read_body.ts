import { canonicalJson, JSON_MEDIA_TYPE, parseJson } from "@sabika/protocol";
import type { Context } from "hono";
import type { OfficeEnv } from "./office.ts";
import { Refused } from "./refused.ts";

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a request's body, a JSON object in which no member comes twice.
 *
 * @throws {Refused} with `unsupported_media_type`, `malformed_json` or `invalid_request`
 */
export async function readBody(context: Context<OfficeEnv>): Promise<Members> {
  const type = (context.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type !== JSON_MEDIA_TYPE) throw new Refused("unsupported_media_type");
  const text = await context.req.text();
  let value: unknown;
  try {
    parseJson(text);
    value = JSON.parse(text, requireFinite);
  } catch {
    throw new Refused("malformed_json");
  }
  return membersOf(value, "the body");
}

/** Throws for a number that no double holds, such as `1e400`, which would be read as infinite. */
function requireFinite(_name: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new RangeError("a number is too large");
}

/** Returns a JSON object's members; throws {@linkcode Refused} (`invalid_request`) for any other value. */
export function membersOf(value: unknown, name: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Refused("invalid_request", `${name} is a JSON object`);
}

/** Returns a member that is a text; throws {@linkcode Refused} (`invalid_request`) for any other value. */
export function textOf(members: Members, name: string): string {
  const value = members[name];
  if (typeof value === "string") return value;
  throw new Refused("invalid_request", `"${name}" is a text`);
}

/** Writes arguments as canonical JSON (RFC 8785), the text that is signed. */
export function canonicalOf(members: Members): string {
  return canonicalJson(parseJson(JSON.stringify(members)));
}
