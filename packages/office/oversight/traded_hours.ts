import { formatTime, type Side } from "@sabika/protocol";
import { type Database, mapConcurrently } from "@sabika/database";
import { idAt, SLACK_MS } from "@sabika/service/lists";

/** The milliseconds of an hour. */
export const HOUR_MS = 3_600_000;
/** An hour has all its orders this long after its end: servers' clocks differ by less. */
const SETTLED_MS = 60_000;

/** The trades of all partners together in an hour, on one side. */
export interface TradedHour {
  readonly startMs: number;
  readonly side: Side;
  readonly orders: number;
  readonly goldMicrograms: bigint;
  readonly totalHalalas: bigint;
  /** What the orders earned the house, of those whose price is known (Decision D90). */
  readonly marginHalalas: bigint;
}

/** Reads the last hours up to `nowMs`, the current hour too; hours without an order are left out. */
export type TradedHours = (hours: number, nowMs: number) => Promise<TradedHour[]>;

/**
 * Makes the reader of what was traded by the hour. Orders never change, so a past hour is added up once
 * and remembered.
 *
 * @param databases returns the databases of all cells; when it rejects, the reader does
 */
export function createTradedHours(databases: () => Promise<readonly Database[]>): TradedHours {
  const settled = new Map<number, readonly TradedHour[]>();

  return async (hours, nowMs) => {
    const lastMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    const hourStarts = Array.from({ length: hours }, (_, n) => lastMs - (hours - 1 - n) * HOUR_MS);
    for (const hour of settled.keys()) if (hour < hourStarts[0]!) settled.delete(hour);
    const missing = hourStarts.filter((hour) => !settled.has(hour));
    const rows = await select(missing[0]!, lastMs + HOUR_MS);
    for (const hour of missing) {
      if (hour + HOUR_MS + SETTLED_MS > nowMs) continue;
      settled.set(hour, rows.filter(({ startMs }) => startMs === hour));
    }
    return hourStarts.flatMap((hour) =>
      settled.get(hour) ?? rows.filter(({ startMs }) => startMs === hour)
    );
  };

  async function select(fromMs: number, toMs: number): Promise<TradedHour[]> {
    const all = await mapConcurrently(
      await databases(),
      (database) => selectOf(database, fromMs, toMs),
    );
    const sums = new Map<string, TradedHour>();
    for (const hour of all.flat()) {
      const name = `${hour.startMs} ${hour.side}`;
      const sum = sums.get(name);
      sums.set(name, sum === undefined ? hour : added(sum, hour));
    }
    return [...sums.values()].sort((a, b) => a.startMs - b.startMs || (a.side < b.side ? -1 : 1));
  }

  function added(a: TradedHour, b: TradedHour): TradedHour {
    return {
      ...a,
      orders: a.orders + b.orders,
      goldMicrograms: a.goldMicrograms + b.goldMicrograms,
      totalHalalas: a.totalHalalas + b.totalHalalas,
      marginHalalas: a.marginHalalas + b.marginHalalas,
    };
  }

  async function selectOf({ sql }: Database, fromMs: number, toMs: number): Promise<TradedHour[]> {
    return await sql<TradedHour[]>`
      select "startMs", side, sum(orders)::integer as orders, sum(gold)::bigint as "goldMicrograms",
        sum(total)::bigint as "totalHalalas", coalesce(sum(margin), 0)::bigint as "marginHalalas"
      from partners p join accounts a using (partner_id) cross join lateral (
        select (floor(extract(epoch from o.executed_at) * 1000 / ${HOUR_MS}::integer)
            * ${HOUR_MS}::integer)::float8 as "startMs",
          o.side, count(*) as orders, sum(o.gold_micrograms) as gold, sum(o.total_halalas) as total,
          sum(m.margin) as margin
        from orders o
          cross join lateral margin_of(o.side, o.gold_micrograms, o.mid_ten_thousandths, o.spread_ppm,
            o.fee_halalas, o.vat_halalas, o.total_halalas) m
        where o.partner_id = p.partner_id
          and o.order_id >= ${idAt(fromMs - SLACK_MS)} and o.order_id < ${idAt(toMs + SLACK_MS)}
          and o.executed_at >= ${formatTime(fromMs)}::timestamptz
          and o.executed_at < ${formatTime(toMs)}::timestamptz
        group by 1, o.side
      ) as traded
      group by "startMs", side order by "startMs", side`;
  }
}
