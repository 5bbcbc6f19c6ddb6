-- Records a mid price in the current minute of the database's clock, and deletes minutes older than 31 days
-- (Decision D9): there are at most 44 640 rows, however many instances call this and however often.
CREATE OR REPLACE FUNCTION note_price(p_mid_ten_thousandths bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO price_minutes AS kept (minute, least_ten_thousandths, most_ten_thousandths,
    last_ten_thousandths)
  VALUES (date_trunc('minute', now()), p_mid_ten_thousandths, p_mid_ten_thousandths,
    p_mid_ten_thousandths)
  ON CONFLICT (minute) DO UPDATE
    SET least_ten_thousandths = least(kept.least_ten_thousandths, excluded.least_ten_thousandths),
      most_ten_thousandths = greatest(kept.most_ten_thousandths, excluded.most_ten_thousandths),
      last_ten_thousandths = excluded.last_ten_thousandths
    WHERE kept.last_ten_thousandths <> excluded.last_ten_thousandths;
  DELETE FROM price_minutes WHERE minute < now() - interval '31 days'
$$;
