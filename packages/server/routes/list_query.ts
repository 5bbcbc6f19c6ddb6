import type { ListQuery } from "@sabika/service/lists";
import {
  type FieldError,
  type FieldErrorCode,
  isIdempotencyKey,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type Parsed,
  parseTime,
} from "@sabika/protocol";

/**
 * Reads the query of a list: `limit`, `cursor`, `created_from`, `created_to`, `status` and
 * `idempotency_key`, each at most once and nothing else (Decision D19).
 *
 * @param query the text after the `?`, as received
 * @param statuses the values that `status` may have; without any there is no such filter
 * @param kind `numbered`: `after_sequence` is allowed, combined only with `limit` and `cursor`; `paged`:
 * only those two are allowed
 */
export function readListQuery(
  query: string,
  statuses: readonly string[],
  kind: keyof typeof NAMES_OF = "filtered",
): Parsed<Omit<ListQuery, "partnerId">> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const found: {
    limit: number;
    cursor?: string;
    createdFromMs?: number;
    createdToMs?: number;
    status?: string;
    idempotencyKey?: string;
    afterSequence?: number;
  } = { limit: PAGE_LIMIT_DEFAULT };
  const wrong = (name: string, code: FieldErrorCode, message: string) => {
    errors.push({ pointer: `/${name}`, code, message });
  };
  const time = (name: string, text: string): number | undefined => {
    const timeMs = parseTime(text);
    if (timeMs === undefined) wrong(name, "wrong_form", "must be an RFC 3339 time in UTC");
    return timeMs;
  };

  const names = NAMES_OF[kind];
  for (const pair of query === "" ? [] : query.split("&")) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (!names.includes(name) || (name === "status" && statuses.length === 0)) {
      wrong("", "unknown_member", `must be one of ${names.join(", ")}`);
      continue;
    }
    if (seen.has(name) || value === undefined) {
      const fault = value === undefined ? "is not correctly percent-encoded" : "is given twice";
      wrong(name, "wrong_form", fault);
      continue;
    }
    seen.add(name);
    if (name === "limit") {
      found.limit = /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : 0;
      if (found.limit < 1 || found.limit > PAGE_LIMIT_MAX) {
        wrong(name, "not_allowed", `must be 1 to ${PAGE_LIMIT_MAX}`);
      }
    } else if (name === "cursor") found.cursor = value;
    else if (name === "created_from") found.createdFromMs = time(name, value);
    else if (name === "created_to") found.createdToMs = time(name, value);
    else if (name === "status") {
      found.status = value;
      if (!statuses.includes(value)) {
        wrong(name, "not_allowed", `must be one of ${statuses.join(", ")}`);
      }
    } else if (name === AFTER_SEQUENCE) {
      found.afterSequence = parseSequence(value);
      if (found.afterSequence === undefined) wrong(name, "wrong_form", SEQUENCE_FORM);
    } else {
      found.idempotencyKey = value;
      if (!isIdempotencyKey(value)) wrong(name, "wrong_form", "is not a valid Idempotency-Key");
    }
  }
  if (seen.has(AFTER_SEQUENCE)) {
    for (const name of seen) {
      if (BESIDE_AFTER_SEQUENCE.has(name)) continue;
      wrong(name, "not_allowed", `does not go together with ${AFTER_SEQUENCE}`);
    }
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: found };
}

const NAMES = "limit cursor created_from created_to status idempotency_key".split(" ");
const AFTER_SEQUENCE = "after_sequence";
const NAMES_OF = {
  filtered: NAMES,
  numbered: [...NAMES, AFTER_SEQUENCE],
  paged: ["limit", "cursor"],
} satisfies Record<string, readonly string[]>;
const BESIDE_AFTER_SEQUENCE: ReadonlySet<string> = new Set(["limit", "cursor", AFTER_SEQUENCE]);

/** The message for a number that {@link parseSequence} refuses. */
export const SEQUENCE_FORM = "must be the number of an event, or 0 for all";

/** The sequence number after which events are requested, 0 before the first; undefined when invalid. */
export function parseSequence(text: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
