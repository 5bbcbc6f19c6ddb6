import { formatTime } from "@sabika/protocol";

const TEXTS = [
  "request_id",
  "method",
  "route",
  "code",
  "partner",
  "certificate",
  "peer",
  "token_id",
  "cell",
  "reason",
  "error",
  "base_url",
  "name",
  "hash",
] as const;
const NUMBERS = ["status", "duration_ms", "count", "sequence", "attempts"] as const;

/**
 * Everything that a log line may contain. Nothing else is written: no header, body or secret. `route`
 * is the route's pattern, never the path; `certificate` the first 16 hex digits of its hash; `hash`
 * that of an audit entry, hex; `token_id` the access token's `jti`, by which it can be revoked.
 */
export type LogFields =
  & { readonly [Name in typeof TEXTS[number]]?: string }
  & { readonly [Name in typeof NUMBERS[number]]?: number };

const FIELDS: ReadonlySet<string> = new Set([...TEXTS, ...NUMBERS]);

/** The severity of a log line. */
export type LogLevel = "debug" | "info" | "warning" | "error";

/** Writes one event to the log; `event` is a fixed name, never data. */
export interface Log {
  (level: LogLevel, event: string, fields?: LogFields): void;
}

/** A log that discards everything. */
export const silentLog: Log = () => {};

/**
 * Formats one log record as one line of JSON. Only fields of the allow-list get in, cut to 1,000
 * characters, and text from outside can neither end the line nor control a terminal (F72).
 */
export function logLine(
  timestampMs: number,
  level: string,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  let line = `{"time":"${formatTime(timestampMs)}","level":"${level}","event":${quoted(event)}`;
  for (const name in fields) {
    if (!FIELDS.has(name)) continue;
    const value = fields[name];
    if (typeof value === "string") line += `,"${name}":${quoted(value)}`;
    else if (typeof value === "number" || typeof value === "boolean") line += `,"${name}":${value}`;
  }
  return line + "}\n";
}

function quoted(text: string): string {
  const json = JSON.stringify(text.length > TEXT_LIMIT ? text.slice(0, TEXT_LIMIT) : text);
  // JSON escapes only C0; DEL, C1 (0x9b begins an escape sequence) and line separators remain.
  if (!UNSAFE.test(json)) return json;
  return json.replace(UNSAFE_ALL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const TEXT_LIMIT = 1000;
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/;
const UNSAFE_ALL = /[\u007f-\u009f\u2028\u2029]/g;

/** Describes an error for the log: class, code and place; never its message, which may quote data. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 4);
  const at = frames.map((line) => line.trim().replace(/\(?file:.*\/packages\//, "(")).join(" < ");
  return `${error.name}${typeof code === "string" ? ` ${code}` : ""}: ${at}`;
}
