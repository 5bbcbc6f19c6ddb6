import {
  formatTime,
  PRICE_INTERVAL_MINUTES,
  type PriceInterval,
  type PriceSpan,
} from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** Whole spans that begin in a period: at multiples of `minutes` since a midnight in Riyadh. */
export interface HistoryQuery {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** The length of a span. */
  readonly minutes: number;
}

/**
 * The history of recorded prices (Decision D91), oldest first, without spans in which there was no price. The first
 * price of spans from before it was kept is not known.
 */
export async function readPriceSpans(
  sql: AnySql,
  { fromMs, toMs, minutes }: HistoryQuery,
): Promise<PriceSpan[]> {
  const isLong = minutes % 60 === 0;
  const [table, time] = isLong ? ["price_hours", "hour"] : ["price_minutes", "minute"];
  return [
    ...await sql.unsafe<PriceSpan[]>(
      `select extract(epoch from start)::float8 * 1000 as "startMs",
        (array_agg(first_ten_thousandths order by ${time}))[1] as "openTenThousandths",
        max(most_ten_thousandths) as "highTenThousandths", min(least_ten_thousandths) as "lowTenThousandths",
        (array_agg(last_ten_thousandths order by ${time} desc))[1] as "closeTenThousandths",
        sum(prices)::float8 as count
      from ${table}, date_bin(make_interval(mins => $1::integer), ${time}, timestamptz '1970-01-01 00:00+03') as start
      where ${time} >= $2::timestamptz and ${time} < $3::timestamptz + make_interval(mins => $1::integer)
        and start >= $2::timestamptz and start < $3::timestamptz
      group by start order by start`,
      [minutes, formatTime(fromMs), formatTime(toMs)],
    ),
  ];
}

/** How long an answer is remembered. */
const REMEMBERED_MS = 1_000;
/** How many are. */
const MOST_REMEMBERED = 64;

/** Reads the history of an interval's whole spans. */
export type PriceHistoryReader = (
  query: { readonly interval: PriceInterval; readonly fromMs: number; readonly toMs: number },
) => Promise<readonly PriceSpan[]>;

/** Creates a reader that asks the database once a second for one period, however often it is asked. */
export function createPriceHistory(
  { database: { sql }, now }: { database: { sql: AnySql }; now: () => number },
): PriceHistoryReader {
  const remembered = new Map<
    string,
    { readonly atMs: number; readonly spans: Promise<PriceSpan[]> }
  >();
  return ({ interval, fromMs, toMs }) => {
    const name = `${interval} ${fromMs} ${toMs}`;
    const found = remembered.get(name);
    if (found !== undefined && Math.abs(now() - found.atMs) < REMEMBERED_MS) return found.spans;
    const minutes = PRICE_INTERVAL_MINUTES[interval];
    const spans = readPriceSpans(sql, { fromMs, toMs, minutes });
    remembered.delete(name);
    const [oldest] = remembered.keys();
    if (remembered.size >= MOST_REMEMBERED) remembered.delete(oldest!);
    remembered.set(name, { atMs: now(), spans });
    spans.catch(() => remembered.delete(name));
    return spans;
  };
}
