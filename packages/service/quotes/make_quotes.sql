-- Makes quotes for servers of the release before Decision D88, which price them by themselves, until the next
-- release. The price that each implies is recorded as `record_price` does, and the terms that a server passes
-- must be those that follow from it.
CREATE OR REPLACE FUNCTION make_quotes(
  p_partner_ids integer[], p_quote_ids uuid[], p_keys text[], p_parameters text[],
  p_sides text[], p_gold bigint[], p_prices bigint[], p_fees bigint[], p_vat_ppm bigint[],
  p_vats bigint[], p_totals bigint[], p_requested bigint[], p_price_as_of_ms bigint[],
  p_open_limits integer[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, side_of text, gold bigint,
  price bigint, fee bigint, vat_rate bigint, vat bigint, total bigint, requested bigint,
  price_as_of_ms bigint, created_ms bigint, open_now integer, retry_after_seconds integer
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_numbers bigint[];
BEGIN
  SELECT array_agg(k.price_number ORDER BY u.item) INTO v_numbers
  FROM unnest(p_partner_ids, p_sides, p_prices, p_price_as_of_ms) WITH ORDINALITY
    AS u (partner_id, side, price, as_of_ms, item)
  LEFT JOIN partners p ON p.partner_id = u.partner_id
  -- A mid price that comes to this price: rounded up for a buy, down for a sale.
  CROSS JOIN LATERAL (SELECT CASE u.side
    WHEN 'buy' THEN div(u.price::numeric * 1000000, 1000000 + p.spread_ppm)
    ELSE ceil(u.price::numeric * 1000000 / (1000000 - p.spread_ppm)) END::bigint AS mid) m
  CROSS JOIN LATERAL keep_price((SELECT source FROM price_settings_now()), m.mid,
    to_timestamp(u.as_of_ms / 1000.0), false) k;
  RETURN QUERY SELECT q.item, q.result, q.subject_kind, q.subject_id, q.side_of, q.gold, q.price, q.fee, q.vat_rate,
    q.vat, q.total, q.requested, q.price_as_of_ms, q.created_ms, q.open_now, q.retry_after_seconds
  FROM make_priced_quotes(p_partner_ids, p_quote_ids, p_keys, p_parameters, p_sides,
    p_gold, p_requested, v_numbers, array_fill(1::bigint, ARRAY[cardinality(p_gold)]),
    array_fill(1000000000000000::bigint, ARRAY[cardinality(p_gold)]), p_open_limits) q;
  IF EXISTS (
    SELECT FROM unnest(p_partner_ids, p_quote_ids, p_gold, p_prices, p_fees, p_vat_ppm, p_vats, p_totals)
      AS u (partner_id, quote_id, gold, price, fee, vat_rate, vat, total)
    JOIN quotes q ON q.partner_id = u.partner_id AND q.quote_id = u.quote_id
    WHERE (u.gold, u.price, u.fee, u.vat_rate, u.vat, u.total) <> (q.gold_micrograms,
      q.price_ten_thousandths, q.fee_halalas, q.vat_ppm, q.vat_halalas, q.total_halalas))
  THEN
    RAISE EXCEPTION 'the terms of a quote do not follow from a price that may be quoted at';
  END IF;
END $$;
