import type { ListQuery } from "@sabika/core/store";
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
 * @param query what follows the `?`, as received
 * @param statuses the values that `status` may have; without any there is no such filter
 */
export function readListQuery(
  query: string,
  statuses: readonly string[],
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
  } = { limit: PAGE_LIMIT_DEFAULT };
  const wrong = (name: string, code: FieldErrorCode, message: string) => {
    errors.push({ pointer: `/${name}`, code, message });
  };
  const time = (name: string, text: string): number | undefined => {
    const timeMs = parseTime(text);
    if (timeMs === undefined) wrong(name, "wrong_form", "must be an RFC 3339 time in UTC");
    return timeMs;
  };

  for (const pair of query === "" ? [] : query.split("&")) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (!NAMES.has(name) || (name === "status" && statuses.length === 0)) {
      wrong("", "unknown_member", `must be one of ${[...NAMES].join(", ")}`);
      continue;
    }
    if (seen.has(name) || value === undefined) {
      wrong(
        name,
        "wrong_form",
        value === undefined ? "is not correctly percent-encoded" : "is given twice",
      );
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
    } else {
      found.idempotencyKey = value;
      if (!isIdempotencyKey(value)) wrong(name, "wrong_form", "is not a valid Idempotency-Key");
    }
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: found };
}

const NAMES: ReadonlySet<string> = new Set([
  "limit",
  "cursor",
  "created_from",
  "created_to",
  "status",
  "idempotency_key",
]);

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
