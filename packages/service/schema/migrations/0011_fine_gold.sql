-- The vault counts fine gold (Decision D94): gross weight × fineness, rounded down.
ALTER TABLE vault_bars ADD COLUMN fine_micrograms bigint NOT NULL
  GENERATED ALWAYS AS (weight_micrograms * fineness_ten_thousandths / 10000) STORED;
ALTER TABLE vault_bars DROP CONSTRAINT vault_bars_fineness;
ALTER TABLE vault_bars ADD CONSTRAINT vault_bars_fineness CHECK (fineness_ten_thousandths BETWEEN 9160 AND 10000);

-- The bars that are here were counted by their gross weight. Each gets an entry that says what it counts for now.
DO $$
DECLARE
  v_missing bigint;
  v vault_bars;
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
BEGIN
  IF NOT EXISTS (SELECT FROM vault_bars) THEN
    RETURN;
  END IF;
  PERFORM set_config('timezone', 'UTC', true);
  PERFORM 1 FROM vault FOR UPDATE;
  SELECT allocated_micrograms - bars_micrograms + coalesce((SELECT sum(weight_micrograms - fine_micrograms)
    FROM vault_bars WHERE removed_at IS NULL), 0) INTO v_missing FROM vault;
  IF v_missing > 0 AND EXISTS (SELECT FROM deployment WHERE environment = 'sandbox') THEN
    -- A sandbox's vault is simulated. The trigger's function has no body yet where 0008 came just before.
    ALTER TABLE vault_bars DISABLE TRIGGER vault_bars_noted;
    INSERT INTO vault_bars (serial, refiner, fineness_ten_thousandths, weight_micrograms)
    VALUES ('SIMULATED-FINE', 'Simulated Refinery', 10000, v_missing);
    ALTER TABLE vault_bars ENABLE TRIGGER vault_bars_noted;
    UPDATE vault SET bars_micrograms = bars_micrograms + v_missing;
  ELSIF v_missing > 0 THEN
    RAISE EXCEPTION '% micrograms of fine gold are missing: add a bar or release allocations, then migrate', v_missing;
  END IF;
  INSERT INTO changed_rows (transaction_id, fact, key, image)
  SELECT '0', 'vault_bars', serial, (SELECT jsonb_object_agg(name, value #>> '{}')
    FROM jsonb_each(to_jsonb(b)) AS members (name, value)) FROM vault_bars b;
  UPDATE vault SET bars_micrograms = (SELECT coalesce(sum(fine_micrograms), 0) FROM vault_bars
    WHERE removed_at IS NULL);
  FOR v IN SELECT * FROM vault_bars WHERE removed_at IS NULL ORDER BY serial LOOP
    INSERT INTO audit_log (at, actor, action, detail) VALUES (v_now, 'migration', 'vault.bar.convert',
      json_build_object('from', 'migrate', 'serial', v.serial, 'weightMicrograms', v.weight_micrograms::text,
        'finenessTenThousandths', v.fineness_ten_thousandths, 'fineMicrograms', v.fine_micrograms::text)::text);
  END LOOP;
END $$;
