-- Makes the partition for a signed timestamp if it does not exist, and returns whether it made it. Several
-- sessions may do so at once: the table is made and attached under an advisory lock. Attaching takes no
-- lock that blocks readers or writers of the other partitions.
CREATE OR REPLACE FUNCTION ensure_nonce_partition(p_timestamp_seconds bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_start bigint := p_timestamp_seconds - p_timestamp_seconds % 21600;
  v_name text := 'nonces_' || v_start;
BEGIN
  IF to_regclass(v_name) IS NOT NULL THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(7305, (v_start / 21600)::integer);
  IF to_regclass(v_name) IS NOT NULL THEN
    RETURN false;
  END IF;
  -- The partition is dropped before vacuuming it would be worth the effort.
  EXECUTE format('CREATE TABLE %I (LIKE nonces INCLUDING CONSTRAINTS) WITH (autovacuum_enabled = off)',
    v_name);
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (partner_id, nonce_hash)',
    v_name, v_name || '_pk');
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (timestamp_seconds >= %s AND timestamp_seconds < %s)',
    v_name, v_name || '_range', v_start, v_start + 21600);
  EXECUTE format('ALTER TABLE nonces ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
    v_name, v_start, v_start + 21600);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', v_name, v_name || '_range');
  RETURN true;
EXCEPTION
  -- Another session may have committed the partition after this one looked in the catalogue.
  WHEN duplicate_table THEN
    RETURN false;
END $$;

-- Makes the partition before this second's, its own, and those of the next 24 hours, so that no request waits
-- for one. Returns how many it made.
CREATE OR REPLACE FUNCTION make_nonce_partitions(p_now_seconds bigint) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_made integer := 0;
  v_offset integer;
BEGIN
  FOR v_offset IN -1..4 LOOP
    IF ensure_nonce_partition(p_now_seconds + v_offset * 21600) THEN
      v_made := v_made + 1;
    END IF;
  END LOOP;
  RETURN v_made;
END $$;

-- Drops the partitions whose timestamps are all before this second. Waits at most a second for a lock
-- and leaves the rest for the next call. Returns how many it dropped.
CREATE OR REPLACE FUNCTION drop_nonce_partitions(p_before_seconds bigint) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
  v_dropped integer := 0;
BEGIN
  SET LOCAL lock_timeout = '1s';
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'nonces'::regclass
      AND substr(c.relname, 8)::bigint + 21600 <= p_before_seconds
    ORDER BY c.relname
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

-- Makes the nonce store's partitions ahead, and drops those whose nonces are all older than the
-- retention. The clock is the database's, and the retention is at least the shortest that a server
-- accepts plus a time window, so no caller can free a nonce whose request could still be accepted.
CREATE OR REPLACE FUNCTION maintain_nonce_partitions(p_retention_seconds bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now bigint := extract(epoch FROM clock_timestamp());
BEGIN
  PERFORM make_nonce_partitions(v_now);
  PERFORM drop_nonce_partitions(v_now - greatest(p_retention_seconds, 960));
END $$;
