-- What an order earned the house, in halalas, from the terms that its own rows keep (Decision D90): the spread in the
-- price, its fee, and what rounding each part left. Nulls where the price is not known.
CREATE OR REPLACE FUNCTION margin_of(
  p_side text, p_gold bigint, p_mid bigint, p_spread_ppm bigint, p_fee bigint, p_vat bigint, p_total bigint
) RETURNS TABLE (spread bigint, rounding bigint, margin bigint)
LANGUAGE sql IMMUTABLE AS $$
  SELECT spread, margin - spread - p_fee, margin
  FROM (
    SELECT round(p_mid::numeric * p_gold * p_spread_ppm / 100000000000000)::bigint AS spread,
      CASE p_side WHEN 'buy' THEN p_total - p_vat - at_mid ELSE at_mid - p_total - p_vat END AS margin
    FROM (SELECT round(p_mid::numeric * p_gold / 100000000)::bigint AS at_mid OFFSET 0) v
  ) m
$$;
