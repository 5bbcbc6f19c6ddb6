-- Schedules the events of a range to be sent again (Decision D35), whether they were delivered or exhausted.
-- Events that still wait in the lane keep their place, and the lane is due at once. Calling it twice has the
-- effect of one call. Returns how many events the range holds.
CREATE OR REPLACE FUNCTION redeliver_events(
  p_partner_id integer, p_first bigint, p_last bigint, p_at timestamptz
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_next bigint;
BEGIN
  -- Locked before the rows, as in delivery: the cursor passes nothing meanwhile.
  SELECT next_sequence INTO v_next FROM webhook_lanes WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
  INSERT INTO event_deliveries AS d (partner_id, sequence, state, attempts, next_attempt_at)
  SELECT e.partner_id, e.sequence, 'requested', 0, p_at FROM events e
  WHERE e.partner_id = p_partner_id AND e.sequence BETWEEN p_first AND least(p_last, v_next - 1)
  ORDER BY e.sequence
  ON CONFLICT (partner_id, sequence)
  DO UPDATE SET state = 'requested', attempts = 0, next_attempt_at = p_at;
  IF p_last >= v_next THEN
    UPDATE webhook_lanes SET next_attempt_at = p_at
    WHERE partner_id = p_partner_id AND next_attempt_at > p_at;
  END IF;
  RETURN (SELECT count(*) FROM events e
    WHERE e.partner_id = p_partner_id AND e.sequence BETWEEN p_first AND p_last);
END $$;

-- Schedules a range for the partner, once per Idempotency-Key (Decision D28), which then stands for the range's
-- first event.
--
-- result: requested | replayed | idempotency_key_conflict | moved (as in place_orders) | not_found (the
-- range goes beyond the last event: nothing is sent)
CREATE OR REPLACE FUNCTION request_redelivery(
  p_partner_id integer, p_first bigint, p_last bigint, p_key text, p_parameters text,
  p_at timestamptz
) RETURNS TABLE (result text, subject_kind text, subject_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    result := 'moved';
    RETURN NEXT;
    RETURN;
  END IF;
  BEGIN
    IF redeliver_events(p_partner_id, p_first, p_last, p_at) = p_last - p_first + 1 THEN
      result := 'requested'; subject_kind := 'event';
      SELECT e.event_id INTO subject_id FROM events e
      WHERE e.partner_id = p_partner_id AND e.sequence = p_first;
      IF EXISTS (SELECT FROM known_key(p_partner_id, short_hash(p_key)) k) THEN
        RAISE unique_violation;
      END IF;
      INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
        resource_kind)
      VALUES (p_partner_id, short_hash(p_key), short_hash(p_parameters), subject_id,
        date_trunc('milliseconds', service_time()), subject_kind);
      RETURN NEXT;
      RETURN;
    END IF;
    RAISE no_data_found;
  EXCEPTION WHEN unique_violation OR no_data_found THEN
    -- The block's changes are rolled back; the result depends on whether the key is known.
  END;
  SELECT CASE WHEN k.resource_kind = 'event' AND k.fingerprint = short_hash(p_parameters)
    THEN 'replayed' ELSE 'idempotency_key_conflict' END, k.resource_kind, k.resource_id
  INTO result, subject_kind, subject_id
  FROM known_key(p_partner_id, short_hash(p_key)) k;
  result := coalesce(result, 'not_found');
  RETURN NEXT;
END $$;
