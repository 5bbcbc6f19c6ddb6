-- Enables a partner's webhook lane (Decision D54), whoever disabled it. Waiting and parked events are due at once, and
-- so are those requested again that share the endpoint's pause. The count of failed attempts goes back to one, not to
-- none: the event at the cursor may have a row in event_deliveries, which is still to be updated.
CREATE OR REPLACE FUNCTION enable_webhook(p_partner_id integer, p_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE webhook_lanes SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL,
    attempts = least(attempts, 1), next_attempt_at = p_at, leased_until = NULL,
    leased_by = NULL
  WHERE partner_id = p_partner_id;
  UPDATE event_deliveries SET next_attempt_at = p_at
  WHERE partner_id = p_partner_id AND next_attempt_at > p_at;
END $$;

-- Enables the lane for the partner, once per Idempotency-Key (Decision D28), and writes a ping event, which
-- is what the key stands for. A lane that the operator disabled stays disabled (not_found).
--
-- result: enabled | replayed | idempotency_key_conflict | not_found | moved (as in place_orders)
CREATE OR REPLACE FUNCTION enable_own_webhook(
  p_partner_id integer, p_event_id uuid, p_key text, p_parameters text, p_object text
) RETURNS TABLE (result text, subject_kind text, subject_id uuid, created_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := date_trunc('milliseconds', service_time());
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    result := 'moved';
    RETURN NEXT;
    RETURN;
  END IF;
  BEGIN
    PERFORM 1 FROM webhook_lanes l JOIN partners p ON p.partner_id = l.partner_id
    WHERE l.partner_id = p_partner_id AND p.webhook_url IS NOT NULL
      AND l.disabled_reason IS DISTINCT FROM 'operator' FOR UPDATE OF l;
    IF NOT FOUND THEN
      RAISE no_data_found;
    END IF;
    PERFORM enable_webhook(p_partner_id, v_now);
    PERFORM write_event(p_partner_id, p_event_id, 'ping', NULL, v_now, p_object);
    IF EXISTS (SELECT FROM known_key(p_partner_id, short_hash(p_key)) k) THEN
      RAISE unique_violation;
    END IF;
    INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
      resource_kind)
    VALUES (p_partner_id, short_hash(p_key), short_hash(p_parameters), p_event_id, v_now, 'event');
    result := 'enabled'; subject_kind := 'event'; subject_id := p_event_id;
    created_ms := (extract(epoch FROM v_now) * 1000)::bigint;
    RETURN NEXT;
    RETURN;
  EXCEPTION WHEN unique_violation OR no_data_found THEN
    -- The block's changes are rolled back; the result depends on whether the key is known.
  END;
  SELECT CASE WHEN k.resource_kind = 'event' AND k.fingerprint = short_hash(p_parameters)
    THEN 'replayed' ELSE 'idempotency_key_conflict' END, k.resource_kind, k.resource_id,
    (extract(epoch FROM k.created_at) * 1000)::bigint
  INTO result, subject_kind, subject_id, created_ms
  FROM known_key(p_partner_id, short_hash(p_key)) k;
  result := coalesce(result, 'not_found');
  RETURN NEXT;
END $$;
