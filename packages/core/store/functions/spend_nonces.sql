-- Spends a batch of nonces (Decision D25), one row for each: whether it was fresh, or
-- null where the partner's accounts are not here (Decision D53) and nothing was done. The partner's
-- accounts row is what two spenders of one nonce meet at, whatever partitions they look into.
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
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  FOR v_start IN SELECT DISTINCT t - t % 21600 FROM unnest(p_timestamps) AS t ORDER BY 1 LOOP
    IF to_regclass('nonces_' || v_start) IS NULL THEN
      PERFORM ensure_nonce_partition(v_start);
    END IF;
  END LOOP;
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT u.partner_id, u.timestamp_seconds, short_hash(u.nonce) AS nonce_hash, u.item
    FROM unnest(p_partner_ids, p_nonces, p_timestamps) WITH ORDINALITY
      AS u (partner_id, nonce, timestamp_seconds, item)
  ), answered AS MATERIALIZED (
    -- Not EXISTS: the planner may answer that by reading every nonce there is into a hash table.
    SELECT a.*, CASE WHEN h.partner_id IS NOT NULL THEN (SELECT true FROM nonces s
        WHERE s.partner_id = a.partner_id AND s.nonce_hash = a.nonce_hash LIMIT 1) IS NULL END AS fresh
    FROM asked a LEFT JOIN accounts h USING (partner_id)
  ), spent AS (
    INSERT INTO nonces (partner_id, timestamp_seconds, nonce_hash)
    SELECT a.partner_id, a.timestamp_seconds, a.nonce_hash FROM answered a WHERE a.fresh
  )
  SELECT a.item::integer, a.fresh FROM answered a;
END $$;
