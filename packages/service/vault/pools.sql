-- What holds of every pool and its versions (Decision D102), whoever writes them.

-- Pools are numbered from 1 without gaps, so that an order finds its partner's in an array. Each has its row of `vault`.
CREATE OR REPLACE FUNCTION open_pool() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  NEW.pool_number := 1 + (SELECT count(*) FROM pools);
  NEW.version_id := NULL;
  INSERT INTO vault (pool_id) VALUES (NEW.pool_id) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;

-- Writes what a change of a bar changes in its pool's list: rows of the next version, which the same transaction
-- has to make (`pool_version_bars_version_fk`). Bars that left or are encumbered are not listed.
CREATE OR REPLACE FUNCTION note_listing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_was boolean := TG_OP = 'UPDATE' AND OLD.removed_at IS NULL AND OLD.encumbrance IS NULL;
  v_is boolean := NEW.removed_at IS NULL AND NEW.encumbrance IS NULL;
  v_bar vault_bars := NEW;
  v_number integer;
BEGIN
  IF TG_OP = 'UPDATE' AND v_was AND (OLD.pool_id, OLD.serial) <> (NEW.pool_id, NEW.serial) THEN
    RAISE EXCEPTION 'a bar leaves its pool before it enters another'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vault_bars_in_one_pool';
  END IF;
  IF NOT v_was AND NOT v_is OR v_was AND v_is AND (OLD.refiner, OLD.fineness_ten_thousandths, OLD.weight_micrograms,
      OLD.vault, OLD.place, OLD.documents) IS NOT DISTINCT FROM (NEW.refiner, NEW.fineness_ten_thousandths,
      NEW.weight_micrograms, NEW.vault, NEW.place, NEW.documents)
  THEN
    RETURN NULL;
  END IF;
  IF NOT v_is THEN
    v_bar := OLD;
  END IF;
  -- Whoever else changes the pool, counts it or allocates from it waits until this transaction ends.
  PERFORM FROM vault WHERE pool_id = v_bar.pool_id FOR NO KEY UPDATE;
  SELECT coalesce(max(v.number), 0) + 1 INTO v_number
  FROM pools p JOIN pool_versions v USING (version_id) WHERE p.pool_id = v_bar.pool_id;
  INSERT INTO pool_version_bars (pool_id, number, serial, is_listed, refiner, fineness_ten_thousandths,
    weight_micrograms, fine_micrograms, vault, place, documents)
  VALUES (v_bar.pool_id, v_number, v_bar.serial, v_is, v_bar.refiner, v_bar.fineness_ten_thousandths,
    v_bar.weight_micrograms, v_bar.fine_micrograms, v_bar.vault, v_bar.place, v_bar.documents);
  RETURN NULL;
END $$;

-- A version follows the one before, says what changed, has the hash of its list, and covers what is allocated: the
-- row of `vault` gets its weight, under the CHECK `vault_backs_allocations`. Then it is in force.
CREATE OR REPLACE FUNCTION follow_version() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_head record;
  v_kind text;
  v_fine bigint;
BEGIN
  PERFORM FROM vault WHERE pool_id = NEW.pool_id FOR NO KEY UPDATE;
  SELECT v.* INTO v_head FROM pools p JOIN pool_versions v USING (version_id) WHERE p.pool_id = NEW.pool_id;
  IF NEW.number <> coalesce(v_head.number, 0) + 1 OR NEW.previous_hash IS DISTINCT FROM v_head.hash THEN
    RAISE EXCEPTION 'the version does not follow the last of its pool'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'pool_versions_follow';
  END IF;
  SELECT CASE WHEN count(*) = 0 THEN NULL WHEN bool_and(is_listed AND NOT was_listed) THEN 'add'
    WHEN NOT bool_or(is_listed) THEN 'remove' ELSE 'replace' END INTO v_kind
  FROM (
    SELECT is_listed, coalesce((SELECT b.is_listed FROM pool_version_bars b
      WHERE b.pool_id = n.pool_id AND b.serial = n.serial AND b.number < n.number
      ORDER BY b.number DESC LIMIT 1), false) AS was_listed
    FROM pool_version_bars n WHERE n.pool_id = NEW.pool_id AND n.number = NEW.number
  ) changed;
  SELECT coalesce(sum(fine_micrograms), 0) INTO v_fine FROM vault_bars
  WHERE pool_id = NEW.pool_id AND removed_at IS NULL AND encumbrance IS NULL;
  IF (NEW.kind, NEW.fine_micrograms) IS DISTINCT FROM (v_kind, v_fine)
    OR NEW.kind = 'replace' AND v_fine < v_head.fine_micrograms
    OR NEW.hash <> encode(sha256(convert_to(
      pool_version_text(NEW.pool_id, NEW.number, NEW.previous_hash, NEW.kind), 'UTF8')), 'hex')
  THEN
    RAISE EXCEPTION 'the version is not what changed in its pool'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'pool_versions_changed';
  END IF;
  NEW.made_at := date_trunc('milliseconds', clock_timestamp());
  UPDATE vault SET bars_micrograms = v_fine WHERE pool_id = NEW.pool_id;
  UPDATE pools SET version_id = NEW.version_id WHERE pool_id = NEW.pool_id;
  RETURN NEW;
END $$;

-- Takes a partner's pool to its accounts: in control's own cell, and in another with the copy of the partner's row.
CREATE OR REPLACE FUNCTION set_pool_of_accounts() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE accounts SET pool_number = coalesce(NEW.pool_number, 1) WHERE partner_id = NEW.partner_id;
  RETURN NULL;
END $$;
