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
