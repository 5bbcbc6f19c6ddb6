import { formatTime } from "@sabika/protocol";
import type { Database } from "@sabika/database";

const HOUR_MS = 3_600_000;

/** What a partner's orders earned the house in an hour or a day in Riyadh (Decision D90). */
export interface Margin {
  readonly startMs: number;
  readonly clientId: string;
  readonly orders: number;
  /** Orders from before prices were recorded: what they earned is not known, and in no sum of parts. */
  readonly unpriced: number;
  readonly goldMicrograms: bigint;
  readonly totalHalalas: bigint;
  readonly spreadHalalas: bigint;
  readonly feeHalalas: bigint;
  /** What rounding the parts to halalas left: little, and either way. */
  readonly roundingHalalas: bigint;
  /** Spread, fee and rounding. */
  readonly marginHalalas: bigint;
}

/** The period, the length of a row, and the only partner, if not all. */
interface MarginQuery {
  readonly by: "hour" | "day";
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly clientId?: string | undefined;
}

/**
 * Adds up what orders earned, each from its own rows: no later change of a partner's terms changes it. Of ended hours
 * the sums are read (`sum_margins`), of the rest the orders.
 */
export async function listMargins(
  { sql }: Database,
  { by, fromMs, toMs, clientId }: MarginQuery,
): Promise<Margin[]> {
  const [from, to] = [formatTime(fromMs), formatTime(toMs)];
  const first = formatTime(Math.ceil(fromMs / HOUR_MS) * HOUR_MS);
  const last = formatTime(Math.floor(toMs / HOUR_MS) * HOUR_MS);
  return await sql<Margin[]>`
    select (extract(epoch from start) * 1000)::float8 as "startMs", client_id as "clientId", orders, unpriced,
      "goldMicrograms", "totalHalalas", "spreadHalalas", "feeHalalas", "roundingHalalas", "marginHalalas"
    from partners p join accounts using (partner_id) left join margin_marks k using (partner_id)
    cross join lateral (
      select date_bin(${`1 ${by}`}::text::interval, h.hour, '2000-01-01 00:00+03') as start,
        sum(h.orders)::integer as orders, sum(h.unpriced)::integer as unpriced,
        sum(h.gold_micrograms)::bigint as "goldMicrograms", sum(h.total_halalas)::bigint as "totalHalalas",
        sum(h.spread_halalas)::bigint as "spreadHalalas", sum(h.fee_halalas)::bigint as "feeHalalas",
        sum(h.rounding_halalas)::bigint as "roundingHalalas", sum(h.margin_halalas)::bigint as "marginHalalas"
      from (select greatest(${first}::timestamptz, least(coalesce(k.summed_until, '-infinity'), ${last}::timestamptz)) as summed) s
      cross join lateral (
        select * from margin_hours h where h.partner_id = p.partner_id
          and h.hour >= ${first}::timestamptz and h.hour < s.summed
        union all
        select * from margins_by_hour(p.partner_id, ${from}::timestamptz,
          least(${first}::timestamptz, ${to}::timestamptz))
        union all
        select * from margins_by_hour(p.partner_id, s.summed, ${to}::timestamptz)
      ) h
      group by 1
    ) traded
    where client_id = coalesce(${clientId ?? null}::text, client_id)
    order by start desc, client_id`;
}
