-- What holds of every count (Decision D101), whoever writes it.

-- The row of a count is written last, and closes it: its lines are the bars that the vault has in the place, each as
-- it is recorded, and others that were seen. Bars cannot change until the transaction ends.
CREATE OR REPLACE FUNCTION close_count() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM vault FOR NO KEY UPDATE;
  IF EXISTS (
    SELECT FROM (SELECT * FROM vault_count_lines WHERE count_id = NEW.count_id) l
    FULL JOIN (SELECT * FROM vault_bars WHERE removed_at IS NULL AND (NEW.place IS NULL OR place = NEW.place)) b
      USING (serial)
    WHERE (l.refiner, l.fineness_ten_thousandths, l.weight_micrograms)
      IS DISTINCT FROM (b.refiner, b.fineness_ten_thousandths, b.weight_micrograms)
  ) THEN
    RAISE EXCEPTION 'the count is not of the bars that are recorded there'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vault_counts_listed';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION refuse_late_line() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM vault_counts WHERE count_id = NEW.count_id) THEN
    RAISE EXCEPTION 'the count is closed'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vault_count_lines_late';
  END IF;
  RETURN NEW;
END $$;
