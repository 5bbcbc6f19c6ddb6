-- The prices that quotes may be made at (Decision D88). Instances find prices; which are accepted, the settings
-- in `price_settings` say here, so that an instance that lies can trade at the market but no better.

-- The settings of the price, in place of which a sandbox may have a path (Decision D111).
CREATE OR REPLACE FUNCTION price_settings_now() RETURNS price_settings
LANGUAGE plpgsql STABLE AS $$
DECLARE
  s price_settings; v_path jsonb;
BEGIN
  SELECT * INTO s FROM price_settings;
  SELECT price INTO v_path FROM scenario WHERE price ? 'path';
  IF FOUND THEN
    s.source := 'simulated';
    s.configuration := v_path;
  END IF;
  RETURN s;
END $$;

-- Whether a mid price is one that the settings allow at all.
CREATE OR REPLACE FUNCTION is_plausible_price(p_mid bigint, s price_settings) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Statement by statement: without a query in it, PL/pgSQL evaluates an expression directly.
  IF s.paused THEN
    RETURN false;
  ELSIF s.source = 'fixed' THEN
    RETURN p_mid = (s.configuration->>'mid')::numeric * 10000;
  ELSIF s.source = 'feed' THEN
    RETURN p_mid BETWEEN (s.configuration->>'least')::numeric * 10000
      AND (s.configuration->>'most')::numeric * 10000;
  ELSIF EXISTS (SELECT FROM deployment WHERE environment = 'production') THEN
    RETURN false;
  ELSIF s.configuration ? 'path' THEN
    RETURN EXISTS (SELECT FROM jsonb_array_elements(s.configuration->'path') point
      WHERE (point->>1)::numeric * 10000 = p_mid);
  END IF;
  -- A simulated price stays within 2 % of its base.
  RETURN abs(p_mid - coalesce((s.configuration->>'base')::numeric, 485) * 10000) * 50
    <= coalesce((s.configuration->>'base')::numeric, 485) * 10000;
END $$;

-- Whether quotes may be made at a recorded price now. One that has yet to arrive is of a clock that was set back
-- since, and that price is old.
CREATE OR REPLACE FUNCTION is_current_price(p prices, s price_settings, p_now timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN p.source = s.source AND is_plausible_price(p.mid_ten_thousandths, s) AND CASE
    WHEN s.source = 'fixed' THEN true
    WHEN p.arrived_at > p_now + interval '1 second' THEN false
    WHEN s.source = 'feed' THEN p.as_of >= p_now - (s.configuration->>'max_age_ms')::bigint * interval '1 ms'
    ELSE p.arrived_at >= p_now - interval '15 seconds'
  END;
END $$;

-- This database's place among the cells, the last three digits of the numbers of its prices.
CREATE OR REPLACE FUNCTION place_of_cell() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE d.cell_id WHEN 'main' THEN 0 ELSE (
    SELECT nullif(count(*), 0) FROM cells c JOIN cells own ON own.cell_id = d.cell_id
    WHERE (c.added_at, c.cell_id) < (own.added_at, own.cell_id)) END % 1000
  FROM (SELECT coalesce((SELECT cell_id FROM deployment), 'main') AS cell_id) d
$$;

-- Records a price, or returns the row that it is the same as; a row of nulls if it is refused. A feed's price
-- must be near each one that arrived while as many answers as must agree after a jump take to come.
-- `p_is_shared`: a price that arrived in this second is taken in its place, so that there is one a second.
CREATE OR REPLACE FUNCTION keep_price(
  p_source text, p_mid bigint, p_as_of timestamptz, p_is_shared boolean, p_origin jsonb DEFAULT NULL
) RETURNS prices
LANGUAGE plpgsql AS $$
DECLARE
  s price_settings; v prices; v_now timestamptz; v_ms bigint; v_wait_ms bigint; v_number bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(730500003);
  v_now := date_trunc('milliseconds', service_time());
  s := price_settings_now();
  IF s.source = 'fixed' THEN
    p_mid := (s.configuration->>'mid')::numeric * 10000;
    p_as_of := v_now;
    -- Who set it; cells have no audit log.
    p_origin := jsonb_build_object('accepted', 'as it was set', 'origin', (SELECT actor FROM audit_log
      WHERE action = 'price.set' ORDER BY audit_id DESC LIMIT 1));
  END IF;
  IF (p_source = s.source AND is_plausible_price(p_mid, s)) IS NOT TRUE
    OR (s.source = 'feed' AND (p_as_of > v_now + interval '1 second'
      OR p_as_of < v_now - (s.configuration->>'max_age_ms')::bigint * interval '1 ms')) IS NOT FALSE
  THEN
    RETURN NULL;
  END IF;

  v_ms := (extract(epoch FROM v_now) * 1000)::bigint;
  SELECT * INTO v FROM prices p
  WHERE p.price_number >= CASE s.source WHEN 'fixed' THEN (SELECT max(price_number) FROM prices)
      ELSE (v_ms - 15000) * 1000 END
    AND is_current_price(p, s, v_now)
    AND (p.mid_ten_thousandths = p_mid AND (s.source = 'fixed' OR p.as_of >= p_as_of)
      OR p_is_shared AND p.arrived_at >= date_trunc('second', v_now))
  ORDER BY p.price_number DESC LIMIT 1;
  IF FOUND THEN
    RETURN v;
  END IF;
  v_wait_ms := (s.configuration->>'agreeing')::bigint * (s.configuration->>'poll_ms')::bigint;
  IF s.source = 'feed' AND EXISTS (
    SELECT FROM prices p WHERE p.price_number > 1000 * (v_ms - v_wait_ms)
      AND p.arrived_at BETWEEN v_now - v_wait_ms * interval '1 ms' AND v_now + interval '1 second'
      AND abs(p_mid - p.mid_ten_thousandths)
        > p.mid_ten_thousandths * (s.configuration->>'max_jump')::numeric)
  THEN
    RETURN NULL;
  END IF;

  v_number := greatest(v_ms, (SELECT max(price_number) / 1000 + 1 FROM prices)) * 1000 + place_of_cell();
  PERFORM ensure_price_partition(v_number);
  INSERT INTO prices (price_number, mid_ten_thousandths, as_of, arrived_at, source, origin, raw_value, raw_unit,
    conversion, accepted)
  VALUES (v_number, p_mid, p_as_of, v_now, s.source, left(p_origin ->> 'origin', 200),
    left(p_origin ->> 'raw_value', 64), left(p_origin ->> 'raw_unit', 64), left(p_origin ->> 'conversion', 200),
    left(p_origin ->> 'accepted', 200))
  RETURNING * INTO v;
  RETURN v;
END $$;

-- Records a price that an instance accepted, and returns the number of the price to quote at, which may be another
-- instance's of the same second; null if the settings do not allow it. Control keeps the history.
CREATE OR REPLACE FUNCTION record_price(
  p_source text, p_mid bigint, p_as_of_ms bigint, p_origin text DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v prices := keep_price(p_source, p_mid, to_timestamp(p_as_of_ms / 1000.0), true, p_origin::jsonb);
BEGIN
  IF v.price_number IS NOT NULL AND NOT EXISTS (SELECT FROM deployment WHERE cell_id <> 'main') THEN
    PERFORM note_in_history(v.mid_ten_thousandths, v.price_number);
  END IF;
  RETURN v.price_number;
END $$;

-- Receives the prices of a partner's quotes from the cell that it leaves; `p_rows` is an array as text. Returns how
-- many of the rows are now here exactly as passed.
CREATE OR REPLACE FUNCTION receive_prices(p_rows text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM demand_move(NULL, NULL, 'entered');
  PERFORM ensure_price_partition(m.first_ms * 1000)
  FROM (SELECT DISTINCT (month_at(r.price_number / 1000)).first_ms FROM unnest(p_rows::prices[]) r) m;
  INSERT INTO prices SELECT (unnest(p_rows::prices[])).* ON CONFLICT DO NOTHING;
  RETURN (SELECT count(*) FROM unnest(p_rows::prices[]) r JOIN prices t USING (price_number)
    WHERE t IS NOT DISTINCT FROM r);
END $$;

-- Keeps a price that an instance refused, with the reason, and deletes those older than a month.
CREATE OR REPLACE FUNCTION refuse_price(
  p_reason text, p_origin text, p_raw_value text, p_mid bigint, p_as_of_ms bigint
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM refused_prices WHERE refused_at < now() - interval '1 month';
  INSERT INTO refused_prices (refused_at, reason, origin, raw_value, mid_ten_thousandths, as_of)
  VALUES (date_trunc('second', clock_timestamp()), left(p_reason, 200), left(p_origin, 200), left(p_raw_value, 64),
    p_mid, to_timestamp(p_as_of_ms / 1000.0))
  ON CONFLICT DO NOTHING
$$;
