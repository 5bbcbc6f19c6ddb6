-- Places a batch of withdrawals (Decision D13), one row of result for each, in one transaction: the
-- money is held at once. The nonces were spent before, in a transaction of their own (Decision
-- D25). Locks and twins as in place_orders. The money goes to the registered IBAN, whatever `p_ibans`
-- says: a caller with a stolen role must not be able to name another.
--
-- result: created | replayed | idempotency_key_conflict | insufficient_funds | moved
CREATE OR REPLACE FUNCTION place_withdrawals(
  p_partner_ids integer[], p_withdrawal_ids uuid[], p_event_ids uuid[], p_keys text[],
  p_parameters text[], p_amounts bigint[], p_ibans text[], p_references text[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, amount bigint, iban_of text,
  reference text, created_ms bigint, available bigint, needed bigint
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
  v_account record;
  v_now timestamptz;
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  v_now := date_trunc('milliseconds', service_time());

  FOR v IN
    SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.parameters) AS fingerprint,
      p.settlement_iban AS iban, a.partner_id IS NULL AS is_moved
    FROM unnest(p_partner_ids, p_withdrawal_ids, p_event_ids, p_keys, p_parameters, p_amounts,
      p_references) WITH ORDINALITY
      AS u (partner_id, withdrawal_id, event_id, key, parameters, amount, client_reference, item)
    LEFT JOIN partners p ON p.partner_id = u.partner_id
    LEFT JOIN accounts a ON a.partner_id = u.partner_id
    ORDER BY u.item
  LOOP
    item := v.item; subject_kind := NULL; subject_id := v.withdrawal_id; amount := v.amount;
    iban_of := v.iban; reference := v.client_reference; available := NULL; needed := NULL;
    created_ms := (extract(epoch FROM v_now) * 1000)::bigint;

    IF v.is_moved THEN
      result := 'moved';
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO v_key FROM known_key(v.partner_id, v.key_hash) k;
    IF FOUND THEN
      subject_id := v_key.resource_id;
      IF v_key.resource_kind <> 'withdrawal' OR v_key.fingerprint <> v.fingerprint THEN
        result := 'idempotency_key_conflict'; subject_kind := v_key.resource_kind;
      ELSE
        SELECT w.amount_halalas, w.iban, w.client_reference,
          (extract(epoch FROM w.created_at) * 1000)::bigint
        INTO amount, iban_of, reference, created_ms
        FROM withdrawals w WHERE w.partner_id = v.partner_id AND w.withdrawal_id = subject_id;
        result := CASE WHEN subject_id = v.withdrawal_id THEN 'created' ELSE 'replayed' END;
      END IF;
      RETURN NEXT;
      CONTINUE;
    END IF;

    UPDATE accounts a SET cash_halalas = a.cash_halalas - v.amount,
      withdrawals_halalas = a.withdrawals_halalas + v.amount, last_transfer = a.last_transfer + 1,
      last_event = a.last_event + 1
    WHERE a.partner_id = v.partner_id AND a.cash_halalas >= v.amount
    RETURNING a.last_transfer, a.last_event INTO v_account;
    IF NOT FOUND THEN
      SELECT a.cash_halalas INTO v_account FROM accounts a WHERE a.partner_id = v.partner_id;
      result := 'insufficient_funds'; available := v_account.cash_halalas; needed := v.amount;
      RETURN NEXT;
      CONTINUE;
    END IF;
    INSERT INTO withdrawals (partner_id, withdrawal_id, amount_halalas, created_at, status, iban,
      client_reference)
    VALUES (v.partner_id, v.withdrawal_id, v.amount, v_now, 'pending', v.iban, v.client_reference);
    INSERT INTO transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
      credit_account, source_kind)
    VALUES (v.partner_id, v_account.last_transfer, v.amount, v_now, v.withdrawal_id, 'SAR', 'cash',
      'withdrawals', 'withdrawal');
    INSERT INTO events (partner_id, sequence, event_id, resource_id, created_at, type)
    VALUES (v.partner_id, v_account.last_event, v.event_id, v.withdrawal_id, v_now,
      'withdrawal.created');
    INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
      resource_kind)
    VALUES (v.partner_id, v.key_hash, v.fingerprint, v.withdrawal_id, v_now, 'withdrawal');
    result := 'created';
    RETURN NEXT;
  END LOOP;
END $$;
