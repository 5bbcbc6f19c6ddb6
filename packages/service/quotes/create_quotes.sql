-- What servers of the release before call: quotes by gold alone (Decision D49).
CREATE OR REPLACE FUNCTION create_quotes(
  p_partner_ids integer[], p_quote_ids uuid[], p_keys text[], p_parameters text[],
  p_sides text[], p_gold bigint[], p_prices bigint[], p_fees bigint[], p_vat_ppm bigint[],
  p_vats bigint[], p_totals bigint[], p_price_as_of_ms bigint[], p_open_limits integer[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, side_of text, gold bigint,
  price bigint, fee bigint, vat_rate bigint, vat bigint, total bigint, price_as_of_ms bigint,
  created_ms bigint, open_now integer, retry_after_seconds integer
)
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN QUERY
  SELECT m.item, m.result, m.subject_kind, m.subject_id, m.side_of, m.gold, m.price, m.fee,
    m.vat_rate, m.vat, m.total, m.price_as_of_ms, m.created_ms, m.open_now, m.retry_after_seconds
  FROM make_quotes(p_partner_ids, p_quote_ids, p_keys, p_parameters, p_sides, p_gold, p_prices,
    p_fees, p_vat_ppm, p_vats, p_totals, NULL, p_price_as_of_ms, p_open_limits) m;
END $$;
