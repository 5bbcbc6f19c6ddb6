-- Credits a batch of fundings (Decision D14), one row of result for each, in one transaction.
-- Locks and twins as in place_orders. An operator's credit has no Idempotency-Key (key and fingerprint
-- are null) but a reference, which is unique for each partner.
--
-- result: credited | replayed | idempotency_key_conflict | moved | reference_used (`subject_id`, `amount`
-- and `created_ms` are then those of the earlier credit)
CREATE OR REPLACE FUNCTION credit_fundings(
  p_partner_ids integer[], p_funding_ids uuid[], p_event_ids uuid[], p_keys text[],
  p_parameters text[], p_amounts bigint[], p_references text[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, amount bigint,
  cash_after bigint, created_ms bigint
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
  v_before record;
  v_after record;
  v_now timestamptz;
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  v_now := date_trunc('milliseconds', service_time());

  FOR v IN
    SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.parameters) AS fingerprint,
      a.partner_id IS NULL AS is_moved
    FROM unnest(p_partner_ids, p_funding_ids, p_event_ids, p_keys, p_parameters, p_amounts,
      p_references) WITH ORDINALITY
      AS u (partner_id, funding_id, event_id, key, parameters, amount, reference, item)
    LEFT JOIN accounts a ON a.partner_id = u.partner_id
    ORDER BY u.item
  LOOP
    item := v.item; result := NULL; subject_kind := NULL; subject_id := v.funding_id;
    IF v.is_moved THEN
      result := 'moved'; amount := NULL; cash_after := NULL; created_ms := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO v_key FROM known_key(v.partner_id, v.key_hash) k;
    IF FOUND AND (v_key.resource_kind <> 'funding' OR v_key.fingerprint <> v.fingerprint) THEN
      result := 'idempotency_key_conflict';
      subject_kind := v_key.resource_kind; subject_id := v_key.resource_id;
      amount := NULL; cash_after := NULL; created_ms := NULL;
      RETURN NEXT;
      CONTINUE;
    ELSIF FOUND THEN
      result := 'replayed'; subject_id := v_key.resource_id;
    ELSE
      SELECT f.funding_id INTO v_before FROM fundings f
      WHERE f.partner_id = v.partner_id AND f.reference = v.reference;
      IF FOUND THEN
        result := 'reference_used'; subject_id := v_before.funding_id;
      END IF;
    END IF;
    IF result IS NOT NULL THEN
      SELECT f.amount_halalas, f.cash_after_halalas, (extract(epoch FROM f.created_at) * 1000)::bigint
      INTO amount, cash_after, created_ms
      FROM fundings f WHERE f.partner_id = v.partner_id AND f.funding_id = subject_id;
      IF subject_id = v.funding_id THEN
        result := 'credited';
      END IF;
      RETURN NEXT;
      CONTINUE;
    END IF;

    UPDATE accounts a SET cash_halalas = a.cash_halalas + v.amount,
      bank_halalas = a.bank_halalas - v.amount, last_transfer = a.last_transfer + 1,
      last_event = a.last_event + 1
    WHERE a.partner_id = v.partner_id
    RETURNING a.cash_halalas, a.last_transfer, a.last_event INTO v_after;
    INSERT INTO fundings (partner_id, funding_id, amount_halalas, cash_after_halalas, created_at,
      reference)
    VALUES (v.partner_id, v.funding_id, v.amount, v_after.cash_halalas, v_now, v.reference);
    INSERT INTO transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
      credit_account, source_kind)
    VALUES (v.partner_id, v_after.last_transfer, v.amount, v_now, v.funding_id, 'SAR', 'bank',
      'cash', 'funding');
    INSERT INTO events (partner_id, sequence, event_id, resource_id, created_at, type)
    VALUES (v.partner_id, v_after.last_event, v.event_id, v.funding_id, v_now, 'funding.completed');
    IF v.key IS NOT NULL THEN
      INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
        resource_kind)
      VALUES (v.partner_id, v.key_hash, v.fingerprint, v.funding_id, v_now, 'funding');
    END IF;
    result := 'credited'; amount := v.amount; cash_after := v_after.cash_halalas;
    created_ms := (extract(epoch FROM v_now) * 1000)::bigint;
    RETURN NEXT;
  END LOOP;
END $$;

-- Credits a batch of fundings that partners asked for, which only a sandbox allows. Servers may call
-- this function but not credit_fundings.
CREATE OR REPLACE FUNCTION fund_sandbox(
  p_partner_ids integer[], p_funding_ids uuid[], p_event_ids uuid[], p_keys text[],
  p_parameters text[], p_amounts bigint[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, amount bigint,
  cash_after bigint, created_ms bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE environment = 'production') THEN
    RAISE EXCEPTION 'production has no sandbox to fund';
  END IF;
  RETURN QUERY SELECT * FROM credit_fundings(p_partner_ids, p_funding_ids, p_event_ids, p_keys,
    p_parameters, p_amounts, array_fill(NULL::text, ARRAY[cardinality(p_amounts)]));
END $$;
