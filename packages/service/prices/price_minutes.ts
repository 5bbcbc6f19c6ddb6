import { formatTime } from "@sabika/protocol";
import type { AnySql } from "@sabika/database";

/** The movement of the mid price in a span of minutes; ten-thousandths of a riyal per gram. */
export interface PriceSpan {
  readonly startMs: number;
  readonly leastTenThousandths: bigint;
  readonly mostTenThousandths: bigint;
  /** The last price that was recorded. */
  readonly lastTenThousandths: bigint;
}

/**
 * Records a mid price for this minute, by the database's clock, and deletes what is older than a month
 * (Decision D9).
 */
export async function notePrice(sql: AnySql, midTenThousandths: bigint): Promise<void> {
  await sql`select note_price(${midTenThousandths}::bigint)`;
}

/**
 * The price history of a period, oldest first, without spans in which there was no price.
 *
 * @param query.minutes the length of a span; spans begin at whole multiples of it
 */
export async function readPriceSpans(
  sql: AnySql,
  query: { fromMs: number; toMs: number; minutes: number },
): Promise<PriceSpan[]> {
  return [
    ...await sql<PriceSpan[]>`
    select extract(epoch from start)::float8 * 1000 as "startMs",
      min(least_ten_thousandths) as "leastTenThousandths",
      max(most_ten_thousandths) as "mostTenThousandths",
      (array_agg(last_ten_thousandths order by minute desc))[1] as "lastTenThousandths"
    from price_minutes,
      date_bin(make_interval(mins => ${query.minutes}::integer), minute, timestamptz 'epoch') as start
    where minute >= ${formatTime(query.fromMs)}::timestamptz
      and minute < ${formatTime(query.toMs)}::timestamptz
    group by start order by start`,
  ];
}
