-- The number and the hash of the requests that a partner signed on a day in Riyadh, by the moment of receipt: of
-- each the SHA-256 of its parts, a line each with the body last, and of those hashes in the order of their ids
-- the SHA-256. No row if there are none.
CREATE OR REPLACE FUNCTION hash_evidence(p_partner_id integer, p_day date)
RETURNS TABLE (requests bigint, hash bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), sha256(string_agg(sha256(convert_to(concat_ws(E'\n', v.evidence_id,
    v.timestamp_seconds, v.nonce, v.url, v.key_id, v.signature, v.body), 'UTF8')), ''
    ORDER BY v.evidence_id))
  FROM evidence v, (SELECT (extract(epoch FROM p_day) * 1000)::bigint - 10800000 AS ms) d
  WHERE v.partner_id = p_partner_id AND v.evidence_id >= first_id_at(d.ms)
    AND v.evidence_id < first_id_at(d.ms + 86400000)
  HAVING count(*) > 0
$$;

-- Keeps the hash of each partner's evidence of a day that ended an hour ago, which is more than requests take,
-- and returns those of the day.
CREATE OR REPLACE FUNCTION close_evidence_day(p_day date)
RETURNS TABLE (partner integer, requests bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF service_time() < (p_day + 1)::timestamp AT TIME ZONE 'UTC' - interval '2 hours' THEN
    RAISE EXCEPTION 'the day % has not ended an hour ago', p_day;
  END IF;
  INSERT INTO evidence_days (partner_id, day, requests, hash)
  SELECT a.partner_id, p_day, h.requests, h.hash FROM accounts a, hash_evidence(a.partner_id, p_day) h
  WHERE NOT EXISTS (SELECT FROM evidence_days d WHERE d.partner_id = a.partner_id AND d.day = p_day)
  ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT d.partner_id, d.requests, d.hash FROM evidence_days d
    JOIN accounts a USING (partner_id) WHERE d.day = p_day;
END $$;

-- Records in control that the evidence of a day was closed in all cells, once; if there was any, with an entry in
-- the audit log.
CREATE OR REPLACE FUNCTION record_evidence_day(p_day date, p_requests bigint, p_hash bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO closed_evidence (day, requests, hash) VALUES (p_day, p_requests, p_hash)
  ON CONFLICT DO NOTHING;
  IF FOUND AND p_requests > 0 THEN
    INSERT INTO audit_log (actor, action, detail)
    VALUES ('servers', 'evidence.closed', json_build_object('from', 'the day''s closing', 'day', p_day,
      'requests', p_requests, 'sha256', encode(p_hash, 'hex'))::text);
  END IF;
END $$;

-- Drops the months whose evidence is all older than the retention, at least a year, and whose days were closed.
CREATE OR REPLACE FUNCTION drop_evidence(p_retention_days integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT drop_partitions('evidence', to_char(least((SELECT max(day) FROM evidence_days),
    (clock_timestamp() AT TIME ZONE 'UTC')::date - greatest(p_retention_days, 365)), 'YYYYMM'))
$$;
