-- 16 bytes that stand for a nonce or an Idempotency-Key (performance.md rule 7). STABLE and not
-- STRICT, because only so the planner puts the expression in its place instead of a call.
CREATE OR REPLACE FUNCTION short_hash(p_text text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT substr(sha256(convert_to(p_text, 'UTF8')), 1, 16)
$$;
