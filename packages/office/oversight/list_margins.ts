import { formatTime } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { idAt, SLACK_MS } from "@sabika/service/lists";

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

/** Adds up what orders earned, each from its own rows: no later change of a partner's terms changes it. */
export async function listMargins(
  { sql }: Database,
  { by, fromMs, toMs, clientId }: MarginQuery,
): Promise<Margin[]> {
  return await sql<Margin[]>`
    select "startMs", client_id as "clientId", traded.orders, traded.unpriced,
      traded.gold as "goldMicrograms", traded.total as "totalHalalas", traded.spread as "spreadHalalas",
      traded.fee as "feeHalalas", traded.rounding as "roundingHalalas", traded.margin as "marginHalalas"
    from partners p join accounts using (partner_id) cross join lateral (
      select (extract(epoch from date_trunc(${by}::text, o.executed_at, 'Asia/Riyadh')) * 1000)::float8 as "startMs",
        count(*)::integer as orders, count(*) filter (where m.margin is null)::integer as unpriced,
        sum(o.gold_micrograms)::bigint as gold, sum(o.total_halalas)::bigint as total,
        coalesce(sum(m.spread), 0)::bigint as spread,
        coalesce(sum(o.fee_halalas) filter (where m.margin is not null), 0)::bigint as fee,
        coalesce(sum(m.rounding), 0)::bigint as rounding, coalesce(sum(m.margin), 0)::bigint as margin
      from orders o
        cross join lateral margin_of(o.side, o.gold_micrograms, o.mid_ten_thousandths, o.spread_ppm,
          o.fee_halalas, o.vat_halalas, o.total_halalas) m
      where o.partner_id = p.partner_id
        and o.order_id >= ${idAt(fromMs - SLACK_MS)} and o.order_id < ${idAt(toMs + SLACK_MS)}
        and o.executed_at >= ${formatTime(fromMs)}::timestamptz
        and o.executed_at < ${formatTime(toMs)}::timestamptz
      group by 1
    ) traded
    where client_id = coalesce(${clientId ?? null}::text, client_id)
    order by "startMs" desc, client_id`;
}
