-- What holds of every count (Decisions D101, D104), whoever writes it.

-- The row of a count is written last, and closes it: its lines are the bars that the vault has in the place, each as
-- it is recorded, and others that were seen. Bars cannot change until the transaction ends. It is of the version of its
-- pool that is in force, and of the whole pool if none of its bars is elsewhere. Where there is one pool, it is of that.
CREATE OR REPLACE FUNCTION close_count() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM vault ORDER BY pool_id FOR NO KEY UPDATE;
  IF NEW.pool_id IS NULL AND (SELECT count(*) FROM pools) = 1 THEN
    SELECT pool_id INTO NEW.pool_id FROM pools;
  END IF;
  NEW.version := (SELECT v.number FROM pools p JOIN pool_versions v USING (version_id) WHERE p.pool_id = NEW.pool_id);
  NEW.is_whole := CASE WHEN NEW.pool_id IS NOT NULL THEN NEW.place IS NULL OR NOT EXISTS (SELECT FROM vault_bars
    WHERE removed_at IS NULL AND pool_id = NEW.pool_id AND place IS DISTINCT FROM NEW.place) END;
  NEW.needs_inspector := true;
  IF EXISTS (
    SELECT FROM (SELECT * FROM vault_count_lines WHERE count_id = NEW.count_id) l
    FULL JOIN (SELECT * FROM vault_bars WHERE removed_at IS NULL
        AND (NEW.place IS NULL OR place = NEW.place) AND (NEW.pool_id IS NULL OR pool_id = NEW.pool_id)) b
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

-- What counts of a pool found (of every pool: null), and neither an act of two people, nor a later count that an
-- inspector signed, nor two people who accepted it have settled. A bar that is on no list belongs to the pool that was
-- counted. What one person does, another place or another count, does not settle that a bar is missing.
CREATE OR REPLACE FUNCTION open_differences(p_pool_id text) RETURNS TABLE (
  serial text, finding text, place text, count_id uuid, counted_at timestamptz, pool_id text
)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT l.serial, l.finding, coalesce(b.place, c.place), c.count_id, c.counted_at, pool.id
  FROM vault_count_lines l JOIN vault_counts c USING (count_id)
  LEFT JOIN vault_bars b ON b.serial = l.serial AND b.removed_at IS NULL
  CROSS JOIN LATERAL (SELECT coalesce(b.pool_id, c.pool_id, 'main') AS id) pool
  WHERE l.finding <> 'found' AND (p_pool_id IS NULL OR pool.id = p_pool_id)
    AND CASE l.finding
      WHEN 'missing' THEN b.added_at <= c.counted_at AND (c.needs_inspector OR c.place IS NULL OR b.place = c.place)
      WHEN 'different' THEN b.weight_micrograms = l.weight_micrograms
      ELSE b.serial IS NULL OR b.place <> c.place END
    AND NOT EXISTS (SELECT FROM vault_count_acceptances a WHERE a.count_id = c.count_id)
    AND NOT EXISTS (SELECT FROM vault_counts later
      WHERE (later.counted_at, later.count_id) > (c.counted_at, c.count_id)
        AND (later.pool_id IS NULL OR later.pool_id = pool.id)
        AND CASE WHEN later.needs_inspector
          -- It looked for the bar, or where one was that is on no list.
          THEN (EXISTS (SELECT FROM vault_count_lines again WHERE again.count_id = later.count_id AND again.serial = l.serial)
              OR l.finding = 'unexpected' AND (later.place IS NULL OR later.place = c.place))
            AND EXISTS (SELECT FROM vault_count_signatures signed WHERE signed.count_id = later.count_id)
          ELSE later.place IS NULL OR later.place = coalesce(c.place, b.place) END);
END $$;

-- Nothing more is allocated from a pool while a difference is open. Whoever counts locks the pool's row first, and so
-- does the update that this trigger is of: one of the two waits for the other.
CREATE OR REPLACE FUNCTION stop_allocation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM open_differences(NEW.pool_id)) THEN
    RAISE EXCEPTION 'a count of the pool found a difference that is open'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vault_counted';
  END IF;
  RETURN NEW;
END $$;
