-- Returns the number of the partner's first event written at or after a moment, or one past the last
-- number if there is none. Numbers rise with time, so a search needs no index on created_at.
CREATE OR REPLACE FUNCTION first_event_at(p_partner_id integer, p_moment timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_low bigint := 1;
  v_high bigint;
  v_middle bigint;
BEGIN
  SELECT a.last_event + 1 INTO v_high FROM accounts a WHERE a.partner_id = p_partner_id;
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high) / 2;
    IF (SELECT e.created_at FROM events e
        WHERE e.partner_id = p_partner_id AND e.sequence = v_middle) < p_moment THEN
      v_low := v_middle + 1;
    ELSE
      v_high := v_middle;
    END IF;
  END LOOP;
  RETURN v_low;
END $$;
