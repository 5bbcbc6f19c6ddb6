-- Returns the 16 bytes that are stored for a nonce or an Idempotency-Key. It is STABLE and not STRICT,
-- because only then the planner inlines the expression.
CREATE OR REPLACE FUNCTION short_hash(p_text text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT substr(sha256(convert_to(p_text, 'UTF8')), 1, 16)
$$;
