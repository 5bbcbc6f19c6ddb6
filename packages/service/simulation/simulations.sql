-- Changes for failures on demand (Decision D55) that trading itself does not make. In production these
-- functions raise an error, whoever calls them.

-- Copies a quote as if it had been made 61 seconds earlier, unless the Idempotency-Key has been used.
CREATE OR REPLACE FUNCTION simulate_old_quote(
  p_partner_id integer, p_quote_id uuid, p_old_quote_id uuid, p_key text, p_parameters text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE environment = 'production') THEN
    RAISE EXCEPTION 'production simulates nothing';
  END IF;
  PERFORM lock_accounts(p_partner_id);
  INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
    resource_kind)
  SELECT p_partner_id, short_hash(p_key), short_hash(p_parameters), p_old_quote_id, service_time(), 'quote'
  WHERE NOT EXISTS (SELECT FROM known_key(p_partner_id, short_hash(p_key)) k);
  IF FOUND THEN
    INSERT INTO quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
      vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side,
      requested_halalas, price_number, spread_ppm, fee_ppm, mid_ten_thousandths, price_source, gold_vat_ppm,
      fee_vat_halalas, discloses_spread)
    SELECT partner_id, p_old_quote_id, gold_micrograms, price_ten_thousandths, fee_halalas, vat_ppm,
      vat_halalas, total_halalas, price_as_of - interval '61 seconds',
      created_at - interval '61 seconds', expires_at - interval '61 seconds', side,
      requested_halalas, price_number, spread_ppm, fee_ppm, mid_ten_thousandths, price_source, gold_vat_ppm,
      fee_vat_halalas, discloses_spread
    FROM quotes WHERE partner_id = p_partner_id AND quote_id = p_quote_id;
  END IF;
END $$;

-- Makes a quote of gold for a halala, under the quote's id as its Idempotency-Key. The caller orders more than is
-- allocated, so that the order is refused.
CREATE OR REPLACE FUNCTION simulate_giveaway(
  p_partner_id integer, p_quote_id uuid, p_gold_micrograms bigint
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE environment = 'production') THEN
    RAISE EXCEPTION 'production simulates nothing';
  END IF;
  PERFORM lock_accounts(p_partner_id);
  INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
    resource_kind)
  VALUES (p_partner_id, short_hash(p_quote_id::text), short_hash(p_quote_id::text), p_quote_id, service_time(), 'quote');
  INSERT INTO quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
    vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side)
  VALUES (p_partner_id, p_quote_id, p_gold_micrograms, 0, 0, 0, 0, 1, service_time(), service_time(),
    service_time() + interval '60 seconds', 'buy');
END $$;

-- Changes an open withdrawal's status to `p_status`, with transfer and event as in the operator's act
-- (Decision D13); `processing` has neither. Returns false and does nothing if the withdrawal has ended.
CREATE OR REPLACE FUNCTION simulate_withdrawal(
  p_partner_id integer, p_withdrawal_id uuid, p_status text, p_failure text, p_at timestamptz,
  p_event_id uuid, p_object text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_amount bigint;
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE environment = 'production') THEN
    RAISE EXCEPTION 'production simulates nothing';
  END IF;
  PERFORM lock_accounts(p_partner_id);
  UPDATE withdrawals SET status = p_status, failure = p_failure,
    completed_at = CASE p_status WHEN 'completed' THEN p_at END
  WHERE partner_id = p_partner_id AND withdrawal_id = p_withdrawal_id
    AND status IN ('pending', 'processing') RETURNING amount_halalas INTO v_amount;
  IF NOT FOUND OR p_status = 'processing' THEN
    RETURN FOUND;
  END IF;
  PERFORM post_transfer(p_partner_id, 'SAR', 'withdrawals',
    CASE p_status WHEN 'completed' THEN 'bank' ELSE 'cash' END, v_amount,
    CASE p_status WHEN 'completed' THEN 'withdrawal_payout' ELSE 'withdrawal_return' END,
    p_withdrawal_id);
  PERFORM write_event(p_partner_id, p_event_id, 'withdrawal.' || p_status, p_withdrawal_id, p_at,
    p_object);
  RETURN true;
END $$;
