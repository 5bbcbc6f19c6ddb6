-- The generation that a partner's next key of a quote or an order goes into, by how many it has made.
-- Keys are random, so each new one falls on any page of its generation's part of the index. The first
-- generation has 250 000 keys, the second 50 000, and each one from there on 50 000 more than the one
-- before: the pages that are written, and what digests cost, both grow with the root of the past and not
-- with the past.
CREATE OR REPLACE FUNCTION key_generation(p_last_key bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_last_key < 250000 THEN 1
    ELSE 1 + floor((1 + sqrt(1 + 8.0::float8 * (p_last_key - 250000) / 50000)) / 2) END::smallint
$$;

-- Where a key is digested, and as what: bytes of it that are as random as the whole.
CREATE OR REPLACE FUNCTION key_bucket(p_key_hash bytea) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT get_byte(p_key_hash, 0) * 256 + get_byte(p_key_hash, 1)
$$;
CREATE OR REPLACE FUNCTION key_digest(p_key_hash bytea) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (get_byte(p_key_hash, 2) - 128) * 16777216 + get_byte(p_key_hash, 3) * 65536
    + get_byte(p_key_hash, 4) * 256 + get_byte(p_key_hash, 5)
$$;

-- What an Idempotency-Key made, whenever that was (Decision D29): at most one row. Of the generations
-- that are digested it is looked for in none, unless its digest is there. In each of the others, the
-- latest first, by the whole of its index's columns; `OFFSET 0` keeps the planner from reading a partner's past in
-- their place. Whoever writes a key holds the partner's accounts row, and looked here before.
CREATE OR REPLACE FUNCTION known_key(p_partner_id integer, p_key_hash bytea)
RETURNS TABLE (
  resource_id uuid, resource_kind text, fingerprint bytea, created_at timestamp (3) with time zone
)
LANGUAGE sql STABLE AS $$
  SELECT k.resource_id, k.resource_kind, k.fingerprint, k.created_at FROM ONLY idempotency_keys k
  WHERE k.partner_id = p_partner_id AND k.key_hash = p_key_hash
  UNION ALL
  SELECT k.* FROM accounts a, generate_series(key_generation(a.last_key)::integer,
      CASE WHEN a.digested_parts < 16 THEN 1
        WHEN (SELECT key_digest(p_key_hash) = ANY (d.digests) FROM key_digests d
          WHERE d.partner_id = p_partner_id AND d.bucket = key_bucket(p_key_hash)) THEN 1
        ELSE a.digested_parts / 16 + 1 END, -1) AS g (generation),
    LATERAL (
      SELECT t.resource_id, t.resource_kind, t.fingerprint, t.created_at FROM trade_keys t
      WHERE t.partner_id = p_partner_id AND t.generation = g.generation AND t.key_hash = p_key_hash
      OFFSET 0
    ) k
  WHERE a.partner_id = p_partner_id
  LIMIT 1
$$;

-- Digests a sixteenth of the oldest generation of some partner that is over and not digested; false when
-- there is none, or another instance is at it. A generation is over when a commit that is seen has made
-- its partner's count pass it: all its keys were committed before.
CREATE OR REPLACE FUNCTION digest_keys() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_zeros CONSTANT bytea := decode(repeat('00', 16), 'hex');
  v_partner integer;
  v_done integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7306) THEN
    RETURN false;
  END IF;
  SELECT partner_id, digested_parts INTO v_partner, v_done FROM accounts
  WHERE digested_parts < 16 * (key_generation(last_key) - 1) ORDER BY partner_id LIMIT 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO key_digests AS d (partner_id, bucket, digests)
  SELECT v_partner, key_bucket(t.key_hash), array_agg(key_digest(t.key_hash)) FROM trade_keys t
  WHERE t.partner_id = v_partner AND t.generation = v_done / 16 + 1
    AND t.key_hash >= set_byte(v_zeros, 0, v_done % 16 * 16)
    AND (v_done % 16 = 15 OR t.key_hash < set_byte(v_zeros, 0, (v_done % 16 + 1) % 16 * 16))
  GROUP BY 2 ORDER BY 2
  ON CONFLICT (partner_id, bucket) DO UPDATE SET digests = d.digests || excluded.digests;
  UPDATE accounts SET digested_parts = v_done + 1 WHERE partner_id = v_partner;
  RETURN true;
END $$;
