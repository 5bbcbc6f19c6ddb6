-- Makes the partition for a signed timestamp if it does not exist, and returns whether it made it.
CREATE OR REPLACE FUNCTION ensure_nonce_partition(p_timestamp_seconds bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_start bigint := p_timestamp_seconds - p_timestamp_seconds % 21600;
BEGIN
  -- The partition is dropped before vacuuming it would be worth the effort.
  IF NOT ensure_partition('nonces', v_start::text, v_start::text, (v_start + 21600)::text,
    'WITH (autovacuum_enabled = off)')
  THEN
    RETURN false;
  END IF;
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (partner_id, nonce_hash)', 'nonces_' || v_start,
    'nonces_' || v_start || '_pk');
  RETURN true;
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

-- Drops the partitions whose timestamps are all before this second. Returns how many it dropped.
CREATE OR REPLACE FUNCTION drop_nonce_partitions(p_before_seconds bigint) RETURNS integer
LANGUAGE sql AS $$
  SELECT drop_partitions('nonces', (p_before_seconds - p_before_seconds % 21600)::text)
$$;

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
