-- Revokes an access token by its jti (RFC 7009); all instances learn of it by the register's next revision.
-- Revocations of expired tokens are deleted. A second call changes nothing. No audit entry is written,
-- because a partner's own revocation is no act of an operator.
CREATE OR REPLACE FUNCTION revoke_token(p_partner_id integer, p_token_id uuid, p_valid_until timestamptz)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_revision bigint;
BEGIN
  -- A server revokes what a partner gives back; the operator does so by an act (Decision D89).
  IF pg_has_role(session_user, to_regrole('sabika_operator')::oid, 'USAGE')
    AND NOT pg_has_role(session_user, to_regrole('sabika_app')::oid, 'USAGE')
  THEN
    INSERT INTO changed_facts (transaction_id, fact) VALUES (pg_current_xact_id(), 'revoked_tokens')
    ON CONFLICT DO NOTHING;
  END IF;
  UPDATE register_state SET revision = revision + 1 RETURNING revision INTO v_revision;
  DELETE FROM revoked_tokens WHERE valid_until < now() - interval '1 hour';
  INSERT INTO revoked_tokens (token_id, partner_id, valid_until, revision)
  VALUES (p_token_id, p_partner_id, p_valid_until, v_revision)
  ON CONFLICT (token_id) DO UPDATE
    SET valid_until = greatest(revoked_tokens.valid_until, excluded.valid_until),
      revision = excluded.revision;
END $$;
