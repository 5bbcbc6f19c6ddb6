-- Writes an event to the outbox (Decision D35) with the partner's next number, which it returns. Taking the
-- number locks the partner's accounts row. The event is no older than that lock, however long the caller waited
-- for it: numbers rise with time (`first_event_at`).
CREATE OR REPLACE FUNCTION write_event(
  p_partner_id integer, p_event_id uuid, p_type text, p_resource_id uuid, p_created_at timestamptz,
  p_object text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_sequence bigint;
BEGIN
  UPDATE accounts SET last_event = last_event + 1 WHERE partner_id = p_partner_id
    RETURNING last_event INTO v_sequence;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'partner % has no accounts', p_partner_id;
  END IF;
  INSERT INTO events (partner_id, sequence, event_id, resource_id, created_at, type, object)
  VALUES (p_partner_id, v_sequence, p_event_id, p_resource_id,
    greatest(p_created_at, date_trunc('milliseconds', service_time())), p_type, p_object);
  RETURN v_sequence;
END $$;

-- Writes the event that warns of a credential's end (Decision D34) in the partner's cell, unless an event
-- with this id exists: the id is derived from the credential and the days before its end. Returns whether
-- this call wrote it.
CREATE OR REPLACE FUNCTION write_warning(
  p_partner_id integer, p_event_id uuid, p_at timestamptz, p_object text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_accounts(p_partner_id);
  PERFORM 1 FROM events WHERE partner_id = p_partner_id AND event_id = p_event_id;
  IF FOUND THEN
    RETURN false;
  END IF;
  PERFORM write_event(p_partner_id, p_event_id, 'credential.expiring', NULL, p_at, p_object);
  RETURN true;
END $$;

-- Records in control that a warning was written in the partner's cell.
CREATE OR REPLACE FUNCTION note_warning(
  p_partner_id integer, p_kind text, p_credential_id text, p_days_before integer, p_at timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO credential_warnings (partner_id, credential_kind, credential_id, days_before, warned_at)
  VALUES (p_partner_id, p_kind, p_credential_id, p_days_before, p_at) ON CONFLICT DO NOTHING;
END $$;

-- Writes the event of a withdrawal that the caller's transaction has cancelled, once.
CREATE OR REPLACE FUNCTION write_cancellation(
  p_partner_id integer, p_event_id uuid, p_withdrawal_id uuid, p_at timestamptz, p_object text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM withdrawals WHERE partner_id = p_partner_id AND withdrawal_id = p_withdrawal_id
    AND status = 'cancelled' AND NOT EXISTS (
      SELECT FROM events WHERE partner_id = p_partner_id AND resource_id = p_withdrawal_id
        AND type = 'withdrawal.cancelled');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no cancellation that is to be reported';
  END IF;
  PERFORM write_event(p_partner_id, p_event_id, 'withdrawal.cancelled', p_withdrawal_id, p_at,
    p_object);
END $$;
