-- The partitions of tables by time: `<table>_<start>`, made ahead, made when one is missing, dropped whole.

-- Whether this session used a partition of the table last, so that it can insert into it.
CREATE OR REPLACE FUNCTION knows_partition(p_table text, p_start text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_regclass(p_table || '_' || p_start)::oid::text = current_setting('sabika.' || p_table, true), false)
$$;

-- Makes a partition if it does not exist, for the values from `p_from` up to `p_to`, and returns whether it made it.
-- Several sessions may do so at once. Attaching it takes no lock that blocks readers or writers of the others.
--
-- A commit is visible before other sessions are told of it: one that finds the partition by its name could still insert
-- by the partitions that it knew, and fail. The maker keeps its lock until they are told. So who finds a partition that
-- it did not use last waits for that lock; its INSERT, which locks the table, then reads what it was told.
CREATE OR REPLACE FUNCTION ensure_partition(
  p_table text, p_start text, p_from text, p_to text, p_storage text DEFAULT ''
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_name text := p_table || '_' || p_start;
BEGIN
  IF to_regclass(v_name) IS NOT NULL THEN
    IF NOT knows_partition(p_table, p_start) THEN
      PERFORM pg_advisory_xact_lock_shared(7305, hashtext(v_name));
      PERFORM set_config('sabika.' || p_table, to_regclass(v_name)::oid::text, false);
    END IF;
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(7305, hashtext(v_name));
  IF to_regclass(v_name) IS NOT NULL
    -- A table that was not partitioned before has all that is older.
    OR EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = p_table::regclass AND c.relname > v_name
        AND pg_get_expr(c.relpartbound, c.oid) LIKE 'FOR VALUES FROM (MINVALUE)%')
  THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) %s', v_name, p_table, p_storage);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_table, v_name, p_from, p_to);
  RETURN true;
EXCEPTION
  -- Another session may have committed the partition after this one looked in the catalogue.
  WHEN duplicate_table THEN
    RETURN false;
END $$;

-- Drops the partitions that start before `p_start`. Waits at most a second for a lock and leaves the rest for the next
-- call. Returns how many it dropped.
CREATE OR REPLACE FUNCTION drop_partitions(p_table text, p_start text) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_first text := p_table || '_' || p_start;
  v_name text;
  v_dropped integer := 0;
BEGIN
  SET LOCAL lock_timeout = '1s';
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = p_table::regclass
      AND (length(c.relname), c.relname::text) < (length(v_first), v_first)
    ORDER BY length(c.relname), c.relname
  LOOP
    BEGIN
      EXECUTE format('DROP TABLE %I', v_name);
      v_dropped := v_dropped + 1;
    EXCEPTION
      WHEN lock_not_available OR undefined_table THEN
        EXIT;
    END;
  END LOOP;
  RETURN v_dropped;
END $$;

-- The month (UTC) of a moment: how a partition names it, and the first milliseconds of it and of the next.
CREATE OR REPLACE FUNCTION month_at(p_ms bigint, OUT month text, OUT first_ms bigint, OUT next_ms bigint)
LANGUAGE sql STABLE AS $$
  SELECT to_char(m, 'YYYYMM'), (extract(epoch FROM m) * 1000)::bigint,
    (extract(epoch FROM m + interval '1 month') * 1000)::bigint
  FROM date_trunc('month', to_timestamp(p_ms / 1000.0) AT TIME ZONE 'UTC') AS m
$$;
