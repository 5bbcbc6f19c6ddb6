-- Cancels a batch of pending withdrawals (Decision D13), one row of result for each, in the caller's
-- transaction, which then writes the events of those cancelled. A transfer returns the money to the
-- partner's cash. The nonces were spent before. Locks and twins as in place_orders; a payout locks the
-- same accounts row first, so either the payout or the cancellation succeeds.
--
-- result: cancelled | replayed | idempotency_key_conflict | not_found | withdrawal_not_cancellable |
-- moved
CREATE OR REPLACE FUNCTION cancel_withdrawals(
  p_partner_ids integer[], p_withdrawal_ids uuid[], p_keys text[], p_parameters text[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, state text, amount bigint,
  iban_of text, reference text, created_ms bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v record;
  v_key record;
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;

  FOR v IN
    SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.parameters) AS fingerprint,
      a.partner_id IS NULL AS is_moved
    FROM unnest(p_partner_ids, p_withdrawal_ids, p_keys, p_parameters) WITH ORDINALITY
      AS u (partner_id, withdrawal_id, key, parameters, item)
    LEFT JOIN accounts a ON a.partner_id = u.partner_id
    ORDER BY u.item
  LOOP
    item := v.item; result := NULL; subject_kind := NULL; subject_id := v.withdrawal_id;
    IF v.is_moved THEN
      result := 'moved';
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO v_key FROM known_key(v.partner_id, v.key_hash) k;
    IF FOUND AND (v_key.resource_kind <> 'withdrawal' OR v_key.fingerprint <> v.fingerprint) THEN
      result := 'idempotency_key_conflict';
      subject_kind := v_key.resource_kind; subject_id := v_key.resource_id;
    ELSIF FOUND THEN
      result := 'replayed';
    END IF;
    SELECT w.status, w.amount_halalas, w.iban, w.client_reference,
      (extract(epoch FROM w.created_at) * 1000)::bigint
    INTO state, amount, iban_of, reference, created_ms
    FROM withdrawals w WHERE w.partner_id = v.partner_id AND w.withdrawal_id = v.withdrawal_id
    FOR UPDATE;
    IF result IS NULL THEN
      result := CASE WHEN state IS NULL THEN 'not_found' WHEN state <> 'pending'
        THEN 'withdrawal_not_cancellable' ELSE 'cancelled' END;
    END IF;
    IF result = 'cancelled' THEN
      UPDATE withdrawals w SET status = 'cancelled'
      WHERE w.partner_id = v.partner_id AND w.withdrawal_id = v.withdrawal_id;
      PERFORM post_transfer(v.partner_id, 'SAR', 'withdrawals', 'cash', amount,
        'withdrawal_return', v.withdrawal_id);
      INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
        resource_kind)
      -- As of the transfer, by whose time a list finds what the key made (`postedByKey`).
      SELECT v.partner_id, v.key_hash, v.fingerprint, v.withdrawal_id, t.posted_at, 'withdrawal'
      FROM accounts a JOIN transfers t ON t.partner_id = a.partner_id AND t.number = a.last_transfer
      WHERE a.partner_id = v.partner_id;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
