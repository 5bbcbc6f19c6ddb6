-- What a partner's orders of a period earned, by hour.
CREATE OR REPLACE FUNCTION margins_by_hour(p_partner_id integer, p_from timestamptz, p_to timestamptz)
RETURNS SETOF margin_hours
LANGUAGE sql STABLE AS $$
  SELECT p_partner_id, date_trunc('hour', o.executed_at, 'UTC')::timestamptz(3), count(*)::integer,
    (count(*) FILTER (WHERE m.margin IS NULL))::integer, sum(o.gold_micrograms)::bigint,
    sum(o.total_halalas)::bigint, coalesce(sum(m.spread), 0)::bigint,
    coalesce(sum(o.fee_halalas) FILTER (WHERE m.margin IS NOT NULL), 0)::bigint,
    coalesce(sum(m.rounding), 0)::bigint, coalesce(sum(m.margin), 0)::bigint
  FROM orders o CROSS JOIN LATERAL margin_of(o.side, o.gold_micrograms, o.mid_ten_thousandths, o.spread_ppm,
    o.fee_halalas, o.vat_halalas, o.total_halalas) m
  WHERE o.partner_id = p_partner_id AND o.executed_at >= p_from AND o.executed_at < p_to
    -- Ids begin with the time of the request, which may wait for a batch, and clocks differ.
    AND o.order_id >= first_id_at((extract(epoch FROM p_from) * 1000)::bigint - 60000)
    AND o.order_id < first_id_at((extract(epoch FROM p_to) * 1000)::bigint + 60000)
  GROUP BY 2
$$;

-- Adds up what a partner's orders earned in the hours that ended ten minutes ago, by when none is still being written,
-- at most 31 days in a call and about `p_orders`, but a whole minute, since no statement may take long: so the sums of
-- a busy hour may grow in several calls. Returns whether there are more.
CREATE OR REPLACE FUNCTION sum_margins(p_partner_id integer, p_orders integer DEFAULT 100000) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_ended timestamptz := date_trunc('hour', clock_timestamp() - interval '10 minutes', 'UTC');
  v_from timestamptz; v_until timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(7309, p_partner_id);
  IF NOT EXISTS (SELECT FROM accounts WHERE partner_id = p_partner_id) THEN
    RETURN false;
  END IF;
  v_from := coalesce((SELECT summed_until FROM margin_marks WHERE partner_id = p_partner_id),
    (SELECT date_trunc('hour', executed_at - interval '10 minutes', 'UTC') FROM orders
      WHERE partner_id = p_partner_id ORDER BY order_id LIMIT 1), v_ended);
  v_until := least(v_from + interval '31 days', v_ended, (
    SELECT greatest(v_from + interval '1 minute', executed_at) FROM orders
    WHERE partner_id = p_partner_id AND order_id >= first_id_at((extract(epoch FROM v_from) * 1000)::bigint - 60000)
    ORDER BY order_id OFFSET p_orders LIMIT 1));
  IF v_until > v_from THEN
    INSERT INTO margin_hours AS h SELECT * FROM margins_by_hour(p_partner_id, v_from, v_until)
    ON CONFLICT (partner_id, hour) DO UPDATE SET orders = h.orders + excluded.orders,
      unpriced = h.unpriced + excluded.unpriced, gold_micrograms = h.gold_micrograms + excluded.gold_micrograms,
      total_halalas = h.total_halalas + excluded.total_halalas,
      spread_halalas = h.spread_halalas + excluded.spread_halalas,
      fee_halalas = h.fee_halalas + excluded.fee_halalas,
      rounding_halalas = h.rounding_halalas + excluded.rounding_halalas,
      margin_halalas = h.margin_halalas + excluded.margin_halalas;
    INSERT INTO margin_marks VALUES (p_partner_id, v_until)
    ON CONFLICT (partner_id) DO UPDATE SET summed_until = excluded.summed_until;
  END IF;
  RETURN v_until < v_ended;
END $$;
