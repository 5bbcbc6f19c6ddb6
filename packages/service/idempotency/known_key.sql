-- Returns the generation of a partner's next key of a quote or an order, given how many keys it has.
-- Keys are random, so a new key falls on any page of its generation's part of the index. The first
-- generation has 250 000 keys, the second 50 000, and each later generation 50 000 more than the one before.
-- So both the pages that are written and the cost of digests grow with the square root of the number of
-- keys.
CREATE OR REPLACE FUNCTION key_generation(p_last_key bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_last_key < 250000 THEN 1
    ELSE 1 + floor((1 + sqrt(1 + 8.0::float8 * (p_last_key - 250000) / 50000)) / 2) END::smallint
$$;

-- The bucket and the digest of a key: bytes of its hash, which are as random as the whole.
CREATE OR REPLACE FUNCTION key_bucket(p_key_hash bytea) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT get_byte(p_key_hash, 0) * 256 + get_byte(p_key_hash, 1)
$$;
CREATE OR REPLACE FUNCTION key_digest(p_key_hash bytea) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (get_byte(p_key_hash, 2) - 128) * 16777216 + get_byte(p_key_hash, 3) * 65536
    + get_byte(p_key_hash, 4) * 256 + get_byte(p_key_hash, 5)
$$;

-- Returns what an Idempotency-Key made, however long ago (Decision D29): at most one row. Digested generations
-- are searched only if they have the key's digest; the others are searched one by one, the latest first, by
-- all columns of the index. `OFFSET 0` keeps the planner from reading all of a partner's keys instead.
-- Whoever writes a key holds the lock on the partner's accounts row and has called this function.
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

-- Digests a sixteenth of some partner's oldest complete generation that is not yet digested. Returns false if
-- there is none or another instance is digesting. A generation is complete when the partner's committed count
-- is past it: all its keys were committed before.
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
