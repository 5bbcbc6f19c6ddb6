-- What a quote costs (Decisions D4, D6, D8, D47). Only here is it computed: quotes are made with it, and a
-- recount compares orders with it. Numeric, because the products exceed 64 bits.

-- Prices gold at a mid price. All results are null if an argument is.
CREATE OR REPLACE FUNCTION price_terms(
  p_side text, p_gold bigint, p_mid bigint, p_spread_ppm bigint, p_fee_ppm bigint, p_gold_vat_ppm bigint,
  p_fee_vat_ppm bigint
) RETURNS TABLE (price bigint, fee bigint, fee_vat bigint, vat bigint, total bigint)
LANGUAGE sql IMMUTABLE AS $$
  SELECT v.price::bigint, v.fee::bigint, t.fee_vat::bigint, t.vat::bigint,
    CASE p_side WHEN 'buy' THEN v.value + v.fee + t.vat ELSE v.value - v.fee - t.vat END::bigint
  FROM (
    -- One halala is 10^8 micrograms × ten-thousandths of a riyal.
    SELECT e.price, div(e.exact * p_fee_ppm + 99999999999999, 100000000000000) AS fee,
      div(e.exact + CASE p_side WHEN 'buy' THEN 99999999 ELSE 0 END, 100000000) AS value
    FROM (
      SELECT m.price, m.price * p_gold AS exact
      FROM (SELECT CASE p_side
        WHEN 'buy' THEN div(p_mid::numeric * (1000000 + p_spread_ppm) + 999999, 1000000)
        ELSE div(p_mid::numeric * (1000000 - p_spread_ppm), 1000000) END AS price OFFSET 0) m
      OFFSET 0
    ) e
    OFFSET 0
  ) v
  CROSS JOIN LATERAL (
    -- All VAT is rounded up once, and the fee's by itself: the gold's is the rest.
    SELECT div(v.fee * p_fee_vat_ppm + 999999, 1000000) AS fee_vat, div(v.fee * p_fee_vat_ppm
      + CASE p_side WHEN 'buy' THEN v.value * p_gold_vat_ppm ELSE 0 END + 999999, 1000000) AS vat
    OFFSET 0
  ) t
$$;

-- A partner's rates of VAT on a day in Riyadh: those from the last day that has come, else `p_vat_ppm` for both.
CREATE OR REPLACE FUNCTION tax_rate(p_taxes jsonb, p_day date, p_part text, p_vat_ppm bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce((SELECT (rates ->> p_part)::bigint FROM jsonb_each(p_taxes) AS terms (day, rates)
    WHERE day <= to_char(p_day, 'YYYY-MM-DD') ORDER BY day DESC LIMIT 1), p_vat_ppm)
$$;

-- The gold of a quote by money, in whole steps of 0.0001 g: for a buy the most whose total does not exceed the
-- amount, zero if not even one step fits; for a sale the least whose proceeds reach it, one step more than
-- `p_most` if no quantity up to that does. Null if an argument is, such as a price that is no longer current.
CREATE OR REPLACE FUNCTION gold_for_money(
  p_side text, p_amount bigint, p_most bigint, p_mid bigint, p_spread_ppm bigint, p_fee_ppm bigint,
  p_gold_vat_ppm bigint, p_fee_vat_ppm bigint
) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  v_price numeric; v_value numeric; v_exact numeric; v_kept numeric; v_gold numeric; v_paid numeric;
  v_terms record;
BEGIN
  IF p_side = 'buy' THEN
    v_price := div(p_mid::numeric * (1000000 + p_spread_ppm) + 999999, 1000000);
    v_paid := p_amount::numeric * 1000000;
    -- The largest value in whole halalas that leaves room for fee and VAT, from one that may be too large by the
    -- rounding of the fee.
    v_value := div(v_paid * 1000000,
      (1000000 + p_gold_vat_ppm)::numeric * 1000000 + p_fee_ppm::numeric * (1000000 + p_fee_vat_ppm));
    WHILE v_value * (1000000 + p_gold_vat_ppm)
      + ceil(v_value * p_fee_ppm / 1000000) * (1000000 + p_fee_vat_ppm) > v_paid
    LOOP
      v_value := v_value - 1;
    END LOOP;
    v_exact := v_value * 100000000;
    IF p_fee_ppm > 0 THEN
      -- A fraction of the next halala, as far as the fee fits into the rest.
      v_exact := greatest(v_exact, div(div(v_paid - (v_value + 1) * (1000000 + p_gold_vat_ppm),
        1000000 + p_fee_vat_ppm) * 100000000000000, p_fee_ppm));
    END IF;
    RETURN div(v_exact, v_price * 100) * 100;
  END IF;
  v_price := div(p_mid::numeric * (1000000 - p_spread_ppm), 1000000);
  v_kept := 1000000000000 - p_fee_ppm::numeric * (1000000 + p_fee_vat_ppm);
  IF v_price = 0 OR v_kept <= 0 THEN
    RETURN p_most::numeric + 100;
  END IF;
  -- Proceeds only grow where the value does, so the least gold is that of some value; no value can be below what
  -- the amount and the fee and VAT of less gold come to.
  v_value := ceil(p_amount * 1000000000000::numeric / v_kept);
  LOOP
    v_gold := div(v_value * 100000000 + v_price * 100 - 1, v_price * 100) * 100;
    IF v_gold > p_most THEN
      RETURN p_most::numeric + 100;
    END IF;
    SELECT * INTO v_terms
    FROM price_terms('sell', v_gold::bigint, p_mid, p_spread_ppm, p_fee_ppm, 0, p_fee_vat_ppm);
    IF v_terms.total >= p_amount THEN
      RETURN v_gold;
    END IF;
    v_value := p_amount + v_terms.fee + v_terms.vat;
  END LOOP;
END $$;
