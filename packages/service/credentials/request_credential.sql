-- Keeps a partner's request for a credential (Decision D120) in control, once per Idempotency-Key (Decision D28). One
-- of each kind may be pending. A signature of another time is not taken, so that no request of the past can be
-- entered again.
--
-- result: created | replayed | idempotency_key_conflict | pending; the other columns are of the row that was made,
-- or is in the way
CREATE OR REPLACE FUNCTION request_credential(
  p_partner_id integer, p_id uuid, p_key text, p_parameters text, p_kind text, p_key_id text, p_replaces text,
  p_overlap_seconds integer, p_evidence text
) RETURNS TABLE (result text, request credential_requests)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM partners WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
  RETURN QUERY SELECT CASE WHEN r.fingerprint = short_hash(p_parameters) THEN 'replayed'
    ELSE 'idempotency_key_conflict' END, r
  FROM credential_requests r WHERE r.partner_id = p_partner_id AND r.key_hash = short_hash(p_key);
  IF FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT 'pending', r FROM credential_requests r
  WHERE r.partner_id = p_partner_id AND r.kind = p_kind AND r.status = 'pending';
  IF FOUND THEN
    RETURN;
  END IF;
  IF abs((p_evidence::jsonb ->> 'timestampSeconds')::bigint - extract(epoch FROM clock_timestamp())) > 600 THEN
    RAISE EXCEPTION 'the request was signed at another time'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'credential_requests_time';
  END IF;
  INSERT INTO credential_requests (request_id, partner_id, key_hash, fingerprint, kind, key_id, replaces,
    overlap_seconds, evidence, created_at)
  VALUES (p_id, p_partner_id, short_hash(p_key), short_hash(p_parameters), p_kind, p_key_id, p_replaces,
    p_overlap_seconds, p_evidence::jsonb, date_trunc('milliseconds', service_time()))
  RETURNING * INTO request;
  result := 'created';
  RETURN NEXT;
END $$;

-- Keeps in the partner's cell which key made it, so that no other write takes the same key (Decision D27). Returns
-- false where the partner's accounts are in another cell.
CREATE OR REPLACE FUNCTION keep_key(p_partner_id integer, p_key text, p_parameters text, p_id uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at, resource_kind)
  SELECT p_partner_id, short_hash(p_key), short_hash(p_parameters), p_id,
    date_trunc('milliseconds', service_time()), 'credential'
  WHERE NOT EXISTS (SELECT FROM known_key(p_partner_id, short_hash(p_key)) k)
  ON CONFLICT DO NOTHING;
  RETURN true;
END $$;
