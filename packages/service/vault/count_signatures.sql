-- An inspector's signature under a count (Decision D106).

-- The canonical JSON of a count of a pool (RFC 8785; Decision D104), as `writeCount` writes it; null if it names none.
CREATE OR REPLACE FUNCTION pool_count_text(p_count_id uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_count record;
  v_text text;
BEGIN
  SELECT * INTO v_count FROM vault_counts WHERE count_id = p_count_id;
  SELECT format('{"counted_at":"%s","different":%s,"found":%s,"missing":%s,"place":%s,"pool":%s,"version":%s}',
    to_char(v_count.counted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    coalesce(array_to_json(array_agg(serial ORDER BY serial COLLATE "C") FILTER (WHERE finding = 'different'))::text, '[]'),
    coalesce(array_to_json(array_agg(serial ORDER BY serial COLLATE "C") FILTER (WHERE finding = 'found'))::text, '[]'),
    coalesce(array_to_json(array_agg(serial ORDER BY serial COLLATE "C") FILTER (WHERE finding = 'missing'))::text, '[]'),
    coalesce(to_json(v_count.place)::text, 'null'), to_json(v_count.pool_id), coalesce(v_count.version::text, 'null'))
  INTO v_text FROM vault_count_lines WHERE count_id = p_count_id;
  RETURN CASE WHEN v_count.pool_id IS NOT NULL THEN v_text END;
END $$;

-- A count is signed as it is recorded, by a key that has not ended; the row names that key.
CREATE OR REPLACE FUNCTION check_count_signature() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF attested_payload(NEW.jws, 'sabika-count', 'inspector') IS DISTINCT FROM pool_count_text(NEW.count_id) THEN
    RAISE EXCEPTION 'the signature is of another count'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vault_count_signatures_count';
  END IF;
  NEW.key_id := convert_from(decode_base64url(split_part(NEW.jws, '.', 1)), 'UTF8')::json ->> 'kid';
  RETURN NEW;
END $$;
