-- Scenarios of a sandbox (Decision D111). Production has none, whoever calls this.

-- Sets the course of the price; null ends it. False, and nothing is set, where it would be another partner's price too.
CREATE OR REPLACE FUNCTION simulate_price(p_partner_id integer, p_price jsonb) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT has_own_sandbox(p_partner_id) THEN
    RETURN false;
  END IF;
  INSERT INTO scenario (price) VALUES (p_price) ON CONFLICT (singleton) DO UPDATE SET price = excluded.price;
  RETURN true;
END $$;

-- Whether a partner is the only one of its sandbox, at home in control.
CREATE OR REPLACE FUNCTION has_own_sandbox(p_partner_id integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE environment = 'production') THEN
    RAISE EXCEPTION 'production simulates nothing';
  END IF;
  RETURN (SELECT count(*) = 1 AND min(p.partner_id) = p_partner_id AND min(p.cell_id) = 'main' FROM partners p);
END $$;

-- Sets the clock forward to a time, epoch milliseconds, unless it is past it. False as in simulate_price.
CREATE OR REPLACE FUNCTION simulate_clock(p_partner_id integer, p_to_ms bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_ahead bigint := p_to_ms - (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  IF NOT has_own_sandbox(p_partner_id) THEN
    RETURN false;
  END IF;
  INSERT INTO scenario (clock_ahead_ms) VALUES (greatest(v_ahead, 0)) ON CONFLICT (singleton)
    DO UPDATE SET clock_ahead_ms = greatest(scenario.clock_ahead_ms, excluded.clock_ahead_ms);
  RETURN true;
END $$;
