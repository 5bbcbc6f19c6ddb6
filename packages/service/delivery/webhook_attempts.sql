-- Makes the partition for a day's attempts (UTC) if it does not exist.
CREATE OR REPLACE FUNCTION ensure_attempt_partition(p_day date) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ensure_partition('webhook_attempts', to_char(p_day, 'YYYYMMDD'),
    (p_day::timestamp AT TIME ZONE 'UTC')::text, ((p_day + 1)::timestamp AT TIME ZONE 'UTC')::text);
END $$;

-- Makes the partitions of today and the next two days, and drops those of days that ended longer ago
-- than the retention. The clock is the database's and the shortest retention is a week, so no caller can
-- drop recent proof of delivery.
CREATE OR REPLACE FUNCTION maintain_attempt_partitions(p_retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_today date := (service_time() AT TIME ZONE 'UTC')::date;
BEGIN
  PERFORM ensure_attempt_partition(v_today + ahead) FROM generate_series(0, 2) AS ahead;
  PERFORM drop_partitions('webhook_attempts', to_char(v_today - greatest(p_retention_days, 7), 'YYYYMMDD'));
END $$;

-- Records attempts to deliver (Decision D54), and since when each endpoint has been failing. They are written
-- without waiting for the disk, and before the cursors that depend on them: what a crash loses of both is
-- delivered and recorded again. A partner that has left this cell meanwhile, or leaves it now, has none here: its
-- new home delivers what was in flight again, and rows that are here alone would stop its return.
CREATE OR REPLACE FUNCTION record_attempts(
  p_partner_ids integer[], p_sequences bigint[], p_attempted_ms bigint[], p_durations_ms integer[],
  p_statuses integer[], p_failures text[], p_addresses text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_day date;
  v_home integer[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT array_agg(partner_id) INTO v_home FROM (
    SELECT l.partner_id FROM webhook_lanes l WHERE l.partner_id = ANY (p_partner_ids)
    ORDER BY l.partner_id FOR KEY SHARE
  ) AS home;
  FOR v_day IN
    SELECT DISTINCT (to_timestamp(ms / 1000.0) AT TIME ZONE 'UTC')::date FROM unnest(p_attempted_ms) AS ms
  LOOP
    PERFORM ensure_attempt_partition(v_day);
  END LOOP;
  INSERT INTO webhook_attempts (partner_id, sequence, attempted_at, duration_ms, status, failure, address)
  SELECT partner_id, sequence, to_timestamp(ms / 1000.0), duration_ms, status, failure, address
  FROM unnest(p_partner_ids, p_sequences, p_attempted_ms, p_durations_ms, p_statuses, p_failures,
    p_addresses) AS a (partner_id, sequence, ms, duration_ms, status, failure, address)
  WHERE partner_id = ANY (v_home)
  -- An earlier call wrote this attempt, and its answer was lost.
  ON CONFLICT DO NOTHING;
  UPDATE webhook_lanes l SET failing_since = CASE WHEN NOT came.accepted THEN came.failed_at END
  FROM (
    SELECT partner_id, bool_or(failure IS NULL) AS accepted,
      to_timestamp(min(ms) FILTER (WHERE failure IS NOT NULL) / 1000.0) AS failed_at
    FROM unnest(p_partner_ids, p_attempted_ms, p_failures) AS a (partner_id, ms, failure)
    GROUP BY partner_id
  ) AS came
  WHERE l.partner_id = came.partner_id AND (l.failing_since IS NOT NULL) = came.accepted;
END $$;
