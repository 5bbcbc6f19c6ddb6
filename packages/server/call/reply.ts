import { type IdempotentOutcome, JSON_MEDIA_TYPE, type Refusal } from "@sabika/protocol";

/** The answer of a route that does not refuse. */
export interface Reply {
  readonly ok: true;
  readonly status: number;
  /** A stream where the text may be too long for memory. */
  readonly body: string | ReadableStream<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a route returns. */
export type Answer = Reply | Refusal;

const JSON_HEADERS = { "content-type": JSON_MEDIA_TYPE };
const REPLAYED_HEADERS = { "content-type": JSON_MEDIA_TYPE, "idempotent-replayed": "true" };

/** A reply of JSON text. */
export function json(body: string, status = 200): Reply {
  return { ok: true, status, body, headers: JSON_HEADERS };
}

/** A reply of any media type. */
export function reply(
  body: Reply["body"],
  headers: Readonly<Record<string, string>>,
  status = 200,
): Reply {
  return { ok: true, status, body, headers };
}

/** The answer to a write: `first`, 200 with the same bytes for a replay (Decision D28), or its refusal. */
export function written<T>(
  outcome: IdempotentOutcome<T>,
  toJson: (value: T) => string,
  first = 201,
): Answer {
  if (!outcome.ok) return outcome;
  const body = toJson(outcome.value);
  return outcome.replayed
    ? { ok: true, status: 200, body, headers: REPLAYED_HEADERS }
    : { ok: true, status: first, body, headers: JSON_HEADERS };
}
