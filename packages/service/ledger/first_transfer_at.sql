-- Returns the number of the partner's first transfer posted at or after a moment, or one past the last
-- number if there is none. Numbers rise with time, so a search needs no index on posted_at.
CREATE OR REPLACE FUNCTION first_transfer_at(p_partner_id integer, p_moment timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_low bigint := 1;
  v_high bigint;
  v_middle bigint;
BEGIN
  SELECT a.last_transfer + 1 INTO v_high FROM accounts a WHERE a.partner_id = p_partner_id;
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high) / 2;
    IF (SELECT t.posted_at FROM transfers t
        WHERE t.partner_id = p_partner_id AND t.number = v_middle) < p_moment THEN
      v_low := v_middle + 1;
    ELSE
      v_high := v_middle;
    END IF;
  END LOOP;
  RETURN v_low;
END $$;
