-- Where bars come from (Decision D109).

-- The list that a refiner is on today in Riyadh, the London market's before the operator's own, and the document about
-- its responsible sourcing; no row if it is on none.
CREATE OR REPLACE FUNCTION list_of_refiner(p_refiner text) RETURNS TABLE (list text, document_sha256 text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT r.list, r.document_sha256 FROM refiners r
  WHERE r.refiner = p_refiner
    AND (clock_timestamp() AT TIME ZONE 'UTC' + interval '3 hours')::date BETWEEN r.from_day AND coalesce(r.until_day, 'infinity')
  ORDER BY r.list LIMIT 1;
END $$;

-- Whether bars come in whose refiner is on no list.
CREATE OR REPLACE FUNCTION takes_unlisted_bars() RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT unlisted_bars = 'take_in' FROM office), (SELECT environment = 'sandbox' FROM deployment), true);
END $$;

-- A bar that comes in says which list its refiner is on; afterwards it says so for ever.
CREATE OR REPLACE FUNCTION note_provenance() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.removed_at IS NULL OR NEW.removed_at IS NOT NULL THEN
      NEW.refiner_list := OLD.refiner_list;
      NEW.sourcing_sha256 := OLD.sourcing_sha256;
      RETURN NEW;
    END IF;
  END IF;
  SELECT list, document_sha256 INTO NEW.refiner_list, NEW.sourcing_sha256 FROM list_of_refiner(NEW.refiner);
  IF NEW.refiner_list IS NULL THEN
    IF NOT takes_unlisted_bars() THEN
      RAISE EXCEPTION 'the refiner of the bar is on no list'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'vault_bars_refiner_listed';
    END IF;
    NEW.refiner_list := 'unlisted';
  END IF;
  RETURN NEW;
END $$;
