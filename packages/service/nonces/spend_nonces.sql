-- Spends a batch of nonces (Decision D25) and returns for each whether it was fresh, or null if the
-- partner's accounts are not in this cell (Decision D53) and nothing was done. Two spenders of one nonce
-- exclude each other by the partner's accounts row, whichever partitions they use.
-- Twins stay out of one batch, as in place_orders.
CREATE OR REPLACE FUNCTION spend_nonces(p_partner_ids integer[], p_nonces text[], p_timestamps bigint[])
RETURNS TABLE (item integer, fresh boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_start bigint;
  r_item integer[]; r_partner integer[]; r_timestamp bigint[]; r_nonce bytea[]; r_fresh boolean[];
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  FOR v_start IN SELECT DISTINCT t - t % 21600 FROM unnest(p_timestamps) AS t ORDER BY 1 LOOP
    IF NOT knows_partition('nonces', v_start::text) THEN
      PERFORM ensure_nonce_partition(v_start);
    END IF;
  END LOOP;
  SELECT array_agg(a.item::integer), array_agg(a.partner_id), array_agg(a.timestamp_seconds),
    array_agg(a.nonce_hash), array_agg(
      -- EXISTS would allow the planner to read all nonces into a hash table.
      CASE WHEN h.partner_id IS NOT NULL THEN (SELECT true FROM nonces s
        WHERE s.partner_id = a.partner_id AND s.nonce_hash = a.nonce_hash LIMIT 1) IS NULL END)
  INTO r_item, r_partner, r_timestamp, r_nonce, r_fresh
  FROM (
    SELECT u.partner_id, u.timestamp_seconds, short_hash(u.nonce) AS nonce_hash, u.item
    FROM unnest(p_partner_ids, p_nonces, p_timestamps) WITH ORDINALITY
      AS u (partner_id, nonce, timestamp_seconds, item)
    OFFSET 0
  ) a LEFT JOIN accounts h USING (partner_id);
  INSERT INTO nonces (partner_id, timestamp_seconds, nonce_hash)
  SELECT u.partner_id, u.timestamp_seconds, u.nonce_hash
  FROM unnest(r_partner, r_timestamp, r_nonce, r_fresh)
    AS u (partner_id, timestamp_seconds, nonce_hash, fresh)
  WHERE u.fresh;
  RETURN QUERY SELECT u.item, u.fresh FROM unnest(r_item, r_fresh) AS u (item, fresh);
END $$;
