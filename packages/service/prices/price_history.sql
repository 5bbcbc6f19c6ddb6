-- Takes a mid price into the current minute and hour of the database's clock (Decision D91), and deletes minutes that
-- are older than two years. `p_number` is that of a recorded price: another one than the last counts.
CREATE OR REPLACE FUNCTION note_in_history(p_mid bigint, p_number bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO price_minutes AS kept (minute, least_ten_thousandths, most_ten_thousandths, last_ten_thousandths,
    first_ten_thousandths, prices, last_number)
  VALUES (date_trunc('minute', service_time()), p_mid, p_mid, p_mid, p_mid, sign(p_number), p_number)
  ON CONFLICT (minute) DO UPDATE SET least_ten_thousandths = least(kept.least_ten_thousandths, p_mid),
    most_ten_thousandths = greatest(kept.most_ten_thousandths, p_mid), last_ten_thousandths = p_mid,
    prices = kept.prices + 1, last_number = p_number
  WHERE kept.last_number < p_number;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO price_hours AS kept (hour, least_ten_thousandths, most_ten_thousandths, last_ten_thousandths,
    first_ten_thousandths, prices, last_number)
  VALUES (date_trunc('hour', service_time()), p_mid, p_mid, p_mid, p_mid, sign(p_number), p_number)
  ON CONFLICT (hour) DO UPDATE SET least_ten_thousandths = least(kept.least_ten_thousandths, p_mid),
    most_ten_thousandths = greatest(kept.most_ten_thousandths, p_mid), last_ten_thousandths = p_mid,
    prices = kept.prices + 1, last_number = p_number
  WHERE kept.last_number < p_number;
  DELETE FROM price_minutes WHERE minute < now() - interval '2 years';
END $$;

-- For servers of the release before, which note prices without recording them: recorded ones are noted anyway.
CREATE OR REPLACE FUNCTION note_price(p_mid_ten_thousandths bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$ SELECT $$;
