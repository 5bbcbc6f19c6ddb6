import type { Sql } from "@sabika/database";

/**
 * Writes at least `count` open quotes in all by SQL, and returns their wire ids, a list for each partner. They
 * are like the service's (ids rise with time), but valid for an hour, because a run may last over a minute.
 */
export async function makeQuotes(
  sql: Sql,
  partnerIds: readonly number[],
  count: number,
): Promise<string[][]> {
  const lists = new Map(partnerIds.map((id) => [id, [] as string[]]));
  const perPartner = Math.ceil(count / partnerIds.length);
  const ids = `{${partnerIds.join(",")}}`;
  const rows = await sql<{ partner: number; quote: string }[]>`
    insert into quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
      vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side, price_number,
      mid_ten_thousandths, spread_ppm, fee_ppm, gold_vat_ppm, fee_vat_halalas, price_source, discloses_spread)
    select partner,
      (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' ||
        substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
      1000000, 4850000, 122, 0, 0, 48622, now(), now(), now() + interval '1 hour', 'buy',
      1, 4825870, 5000, 2500, 0, 0, 'fixed', false
    from generate_series(1, ${perPartner}::integer), unnest(${ids}::text::integer[]) as partner
    returning partner_id as partner, quote_id as quote`;
  for (const { partner, quote } of rows) lists.get(partner)!.push(`qt_${quote}`);
  return partnerIds.map((id) => lists.get(id)!);
}
