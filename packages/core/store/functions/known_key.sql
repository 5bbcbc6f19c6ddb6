-- The generation that a partner's next key of a quote or an order goes into, by how many it has made.
-- Keys are random, so each new one falls on any page of its generation's part of the index. The first
-- generation has 250 000 keys and each one as many more than the one before: the pages that are written,
-- and the generations that are looked into, both grow with the root of the past and not with the past.
CREATE OR REPLACE FUNCTION key_generation(p_last_key bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT floor((1 + sqrt(1 + 8.0::float8 * p_last_key / 250000)) / 2)::smallint
$$;

-- What an Idempotency-Key made, whenever that was (Decision D29): at most one row. It is looked for in
-- each generation by the whole of its index's columns; `OFFSET 0` keeps the planner from reading a
-- partner's past in their place. Whoever writes a key holds the partner's accounts row, and looked
-- here before.
CREATE OR REPLACE FUNCTION known_key(p_partner_id integer, p_key_hash bytea)
RETURNS TABLE (
  resource_id uuid, resource_kind text, fingerprint bytea, created_at timestamp (3) with time zone
)
LANGUAGE sql STABLE AS $$
  SELECT k.resource_id, k.resource_kind, k.fingerprint, k.created_at FROM ONLY idempotency_keys k
  WHERE k.partner_id = p_partner_id AND k.key_hash = p_key_hash
  UNION ALL
  SELECT k.* FROM accounts a, generate_series(1, key_generation(a.last_key)) AS g (generation),
    LATERAL (
      SELECT t.resource_id, t.resource_kind, t.fingerprint, t.created_at FROM trade_keys t
      WHERE t.partner_id = p_partner_id AND t.generation = g.generation AND t.key_hash = p_key_hash
      OFFSET 0
    ) k
  WHERE a.partner_id = p_partner_id
  LIMIT 1
$$;
