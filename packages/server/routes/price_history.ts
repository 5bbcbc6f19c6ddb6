import {
  type FieldError,
  type FieldErrorCode,
  formatTime,
  type Parsed,
  parseTime,
  PRICE_HISTORY,
  PRICE_INTERVAL_MINUTES,
  PRICE_INTERVALS,
  PRICE_SPANS_MAX,
  type PriceHistory,
  refuse,
} from "@sabika/protocol";
import type { PriceHistoryReader } from "@sabika/service/prices";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

const MINUTE_MS = 60_000;
/** The spans of a period that has no beginning. */
const USUAL_SPANS = 100;

/** GET /v1/prices/history: the course of the mid price (Decision D91). */
export function priceHistoryRoute(
  { priceHistory, now }: { priceHistory: PriceHistoryReader; now: () => number },
): Route<ReadCall> {
  return async ({ query }) => {
    const read = readHistoryQuery(query, now());
    if (!read.ok) return refuse("invalid_request", { errors: read.errors });
    return json(PRICE_HISTORY.write({ ...read.value, spans: await priceHistory(read.value) }));
  };
}

/**
 * Reads `from`, `to` and `interval`, each at most once and nothing else. Without `to` the period ends now, without
 * `from` it is of 100 spans.
 */
function readHistoryQuery(query: string, nowMs: number): Parsed<Omit<PriceHistory, "spans">> {
  const errors: FieldError[] = [];
  const wrong = (name: string, code: FieldErrorCode, message: string) =>
    errors.push({ pointer: `/${name}`, code, message });
  const given = new URLSearchParams(query);
  for (const name of new Set(given.keys())) {
    if (!["from", "to", "interval"].includes(name)) {
      wrong("", "unknown_member", "must be one of from, to, interval");
    } else if (given.getAll(name).length > 1) wrong(name, "wrong_form", "is given twice");
  }
  const time = (name: string, usualMs: number) => {
    const text = given.get(name);
    const timeMs = text === null ? usualMs : parseTime(text);
    if (timeMs === undefined) wrong(name, "wrong_form", "must be an RFC 3339 time in UTC");
    return timeMs ?? 0;
  };
  const name = given.get("interval") ?? "1h";
  const interval = PRICE_INTERVALS.find((known) => known === name);
  if (interval === undefined) {
    wrong("interval", "not_allowed", `must be one of ${PRICE_INTERVALS.join(", ")}`);
    return { ok: false, errors };
  }
  const spanMs = PRICE_INTERVAL_MINUTES[interval] * MINUTE_MS;
  // To the minute, so that one answer serves many.
  const toMs = time("to", Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS);
  const fromMs = time("from", toMs - USUAL_SPANS * spanMs);
  if (errors.length === 0 && fromMs >= toMs) wrong("from", "not_allowed", "must be before to");
  if (errors.length === 0 && toMs - fromMs > PRICE_SPANS_MAX * spanMs) {
    const least = formatTime(toMs - PRICE_SPANS_MAX * spanMs);
    wrong("from", "not_allowed", `${PRICE_SPANS_MAX} spans at most: ${least} or later`);
  }
  return errors.length > 0
    ? { ok: false, errors }
    : { ok: true, value: { interval, fromMs, toMs } };
}
