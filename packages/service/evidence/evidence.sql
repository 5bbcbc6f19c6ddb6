-- The least UUIDv7 of a moment, epoch milliseconds.
CREATE OR REPLACE FUNCTION first_id_at(p_ms bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex(p_ms), 12, '0') || repeat('0', 20))::uuid
$$;

-- The moment that a UUIDv7 begins with, epoch milliseconds.
CREATE OR REPLACE FUNCTION moment_of_id(p_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint
$$;

-- Makes the partition of the month (UTC) of a moment if it does not exist.
CREATE OR REPLACE FUNCTION ensure_evidence_partition(p_ms bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ensure_partition('evidence', m.month, first_id_at(m.first_ms)::text, first_id_at(m.next_ms)::text,
    'WITH (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 250000)')
  FROM month_at(p_ms) m;
END $$;

-- From when on each order and withdrawal must have its evidence: from the beginning in a database that was
-- made with this table, and in an older one a day after the table was added, by when no server of the
-- release before runs any more.
CREATE OR REPLACE FUNCTION evidence_since() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.applied_at + CASE WHEN e.version = b.version THEN interval '0' ELSE interval '1 day' END
  FROM schema_steps e, schema_steps b
  WHERE e.name = '0001_evidence' AND b.name = '0000_baseline'
$$;

-- Keeps the evidence of withdrawals, or of what events report, which the caller's transaction has made;
-- `place_signed_orders` keeps that of orders. Nothing is kept for an id that this partner does not have.
CREATE OR REPLACE FUNCTION keep_evidence(
  p_partner_ids integer[], p_ids uuid[], p_timestamps bigint[], p_nonces text[], p_urls text[],
  p_bodies text[], p_key_ids text[], p_signatures text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ensure_evidence_partition(moment_of_id(id)) FROM unnest(p_ids) AS id;
  INSERT INTO evidence (partner_id, evidence_id, timestamp_seconds, nonce, url, body, key_id, signature)
  SELECT * FROM unnest(p_partner_ids, p_ids, p_timestamps, p_nonces, p_urls, p_bodies, p_key_ids,
    p_signatures) AS u (partner_id, id)
  -- EXISTS would allow the planner to read all withdrawals and all events into hash tables.
  WHERE (SELECT true FROM withdrawals w WHERE w.partner_id = u.partner_id AND w.withdrawal_id = u.id LIMIT 1)
    OR (SELECT true FROM events e WHERE e.partner_id = u.partner_id AND e.event_id = u.id LIMIT 1)
  ON CONFLICT DO NOTHING;
END $$;

-- Makes the partitions of this month and the next.
CREATE OR REPLACE FUNCTION make_evidence_partitions() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ensure_evidence_partition((extract(epoch FROM service_time() + ahead) * 1000)::bigint)
  FROM unnest(ARRAY[interval '0', interval '1 month']) AS ahead
$$;

-- Keeps until when a recount has verified a partner's evidence without a fault.
CREATE OR REPLACE FUNCTION keep_evidence_mark(p_partner_id integer, p_until timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO evidence_marks (partner_id, verified_until) VALUES (p_partner_id, p_until)
  ON CONFLICT (partner_id) DO UPDATE SET verified_until = greatest(evidence_marks.verified_until,
    excluded.verified_until)
$$;
