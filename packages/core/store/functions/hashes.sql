-- 16 bytes that stand for a nonce or an Idempotency-Key (performance.md rule 7).
CREATE FUNCTION short_hash(p_text text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(sha256(convert_to(p_text, 'UTF8')), 1, 16)
$$;
