-- Executes a batch of signed orders, one row of result for each, in one transaction.
--
-- All accounts rows of the batch are locked first, in the order of partner_id: that one lock keeps
-- a partner's balances, quotes, nonces and keys still while the batch decides, and the order keeps
-- batches of several instances from deadlocking. Then everything the decisions need is read in one
-- statement, the orders are decided one after the other, and what was accepted is written in one
-- statement a table. Business never raises: it returns a code.
--
-- The caller keeps twins (same partner and same key, nonce or quote) out of one batch: were there
-- any, a unique constraint would fail the whole batch, and nothing would be booked twice.
--
-- result     meaning
-- executed   a new order, or this very order id booked by an earlier attempt whose answer was lost
-- replayed   the order that this Idempotency-Key made before
-- else       an error code of Decision D32; `subject_kind` and `subject_id` name what it is about
CREATE FUNCTION place_orders(
  p_partner_ids integer[], p_order_ids uuid[], p_event_ids uuid[], p_keys text[],
  p_fingerprints text[], p_quote_ids uuid[], p_references text[], p_nonces text[],
  p_timestamps bigint[], p_received_ms bigint[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, quote_of uuid, side_of text,
  gold bigint, price bigint, fee bigint, vat bigint, total bigint, cash_after bigint,
  gold_after bigint, executed_ms bigint, reference text, available bigint, needed bigint
)
LANGUAGE plpgsql
-- Tables may be empty when a session first plans and huge later: always the indexes, never JIT.
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v record;
  v_now timestamptz;
  v_now_ms bigint;
  v_start bigint;
  -- the accounts of the partner at hand
  v_partner integer := 0;
  v_cash bigint; v_house bigint; v_gold bigint; v_allocation bigint;
  v_transfer bigint; v_event bigint; v_open integer;
  v_changed boolean := false;
  -- what is to be written, a column each
  n integer := 0;
  o_item integer[] := '{}'; o_partner integer[] := '{}'; o_key bytea[] := '{}';
  o_gold bigint[] := '{}'; o_price bigint[] := '{}'; o_fee bigint[] := '{}';
  o_vat bigint[] := '{}'; o_total bigint[] := '{}'; o_cash bigint[] := '{}';
  o_gold_after bigint[] := '{}'; o_side text[] := '{}'; o_reference text[] := '{}';
  o_transfer bigint[] := '{}'; o_event bigint[] := '{}'; o_fingerprint bytea[] := '{}';
  m integer := 0;
  a_partner integer[] := '{}'; a_cash bigint[] := '{}'; a_house bigint[] := '{}';
  a_gold bigint[] := '{}'; a_allocation bigint[] := '{}'; a_transfer bigint[] := '{}';
  a_event bigint[] := '{}'; a_open integer[] := '{}';
  s integer := 0;
  s_partner integer[] := '{}'; s_timestamp bigint[] := '{}'; s_nonce bytea[] := '{}';
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  v_now := date_trunc('milliseconds', clock_timestamp());
  v_now_ms := (extract(epoch FROM v_now) * 1000)::bigint;

  FOR v IN
    SELECT i.*, a.partner_id AS account, a.cash_halalas, a.house_cash_halalas, a.gold_micrograms,
      a.allocation_micrograms, a.last_transfer, a.last_event, a.open_quotes,
      EXISTS (SELECT 1 FROM nonces s WHERE s.partner_id = i.partner_id AND s.nonce_hash = i.nonce_hash)
        AS nonce_spent,
      k.resource_id AS key_resource, k.resource_kind AS key_kind, k.fingerprint AS key_fingerprint,
      q.side, q.gold_micrograms AS quote_gold, q.price_ten_thousandths, q.fee_halalas, q.vat_halalas,
      q.total_halalas, q.expires_at, o.order_id AS used_by
    FROM (
      SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.nonce) AS nonce_hash,
        decode(u.fingerprint_hex, 'hex') AS fingerprint
      FROM unnest(p_partner_ids, p_order_ids, p_keys, p_fingerprints, p_quote_ids, p_references,
        p_nonces, p_timestamps, p_received_ms) WITH ORDINALITY
        AS u (partner_id, order_id, key, fingerprint_hex, quote_id, client_reference, nonce,
          timestamp_seconds, received_ms, item)
      OFFSET 0
    ) i
    LEFT JOIN accounts a ON a.partner_id = i.partner_id
    LEFT JOIN idempotency_keys k ON k.partner_id = i.partner_id AND k.key_hash = i.key_hash
    LEFT JOIN quotes q ON q.partner_id = i.partner_id AND q.quote_id = i.quote_id
    LEFT JOIN orders o ON o.partner_id = i.partner_id AND o.quote_id = i.quote_id
    ORDER BY i.partner_id, i.item
  LOOP
    IF v.partner_id <> v_partner THEN
      IF v_changed THEN
        m := m + 1;
        a_partner[m] := v_partner; a_cash[m] := v_cash; a_house[m] := v_house; a_gold[m] := v_gold;
        a_allocation[m] := v_allocation; a_transfer[m] := v_transfer; a_event[m] := v_event;
        a_open[m] := v_open;
        v_changed := false;
      END IF;
      IF v.account IS NULL THEN
        RAISE EXCEPTION 'partner % has no accounts', v.partner_id;
      END IF;
      v_partner := v.partner_id;
      v_cash := v.cash_halalas; v_house := v.house_cash_halalas; v_gold := v.gold_micrograms;
      v_allocation := v.allocation_micrograms; v_transfer := v.last_transfer;
      v_event := v.last_event; v_open := v.open_quotes;
    END IF;

    item := v.item; result := NULL; subject_kind := NULL; subject_id := NULL; quote_of := NULL;
    side_of := NULL; gold := NULL; price := NULL; fee := NULL; vat := NULL; total := NULL;
    cash_after := NULL; gold_after := NULL; executed_ms := NULL; reference := NULL;
    available := NULL; needed := NULL;

    IF v.key_resource IS NOT NULL AND (v.key_resource = v.order_id OR NOT v.nonce_spent) THEN
      -- The key made something before; a lost answer to this very order comes back as it was.
      IF NOT v.nonce_spent THEN
        s := s + 1;
        s_partner[s] := v_partner; s_timestamp[s] := v.timestamp_seconds; s_nonce[s] := v.nonce_hash;
      END IF;
      IF v.key_kind <> 'order' OR v.key_fingerprint <> v.fingerprint THEN
        result := 'idempotency_key_conflict'; subject_kind := v.key_kind; subject_id := v.key_resource;
      ELSE
        SELECT r.quote_id, r.side, r.gold_micrograms, r.price_ten_thousandths, r.fee_halalas,
          r.vat_halalas, r.total_halalas, r.cash_after_halalas, r.gold_after_micrograms,
          (extract(epoch FROM r.executed_at) * 1000)::bigint, r.client_reference
        INTO quote_of, side_of, gold, price, fee, vat, total, cash_after, gold_after, executed_ms,
          reference
        FROM orders r WHERE r.partner_id = v_partner AND r.order_id = v.key_resource;
        subject_id := v.key_resource;
        result := CASE WHEN v.key_resource = v.order_id THEN 'executed' ELSE 'replayed' END;
      END IF;
      RETURN NEXT;
      CONTINUE;
    END IF;

    IF v.nonce_spent THEN
      result := 'nonce_reused';
      RETURN NEXT;
      CONTINUE;
    END IF;
    s := s + 1;
    s_partner[s] := v_partner; s_timestamp[s] := v.timestamp_seconds; s_nonce[s] := v.nonce_hash;

    IF v.side IS NULL THEN
      result := 'quote_not_found';
    ELSIF v.used_by IS NOT NULL THEN
      result := 'quote_already_used'; subject_id := v.used_by;
    ELSIF to_timestamp(v.received_ms / 1000.0) >= v.expires_at THEN
      result := 'quote_expired'; executed_ms := (extract(epoch FROM v.expires_at) * 1000)::bigint;
    ELSIF v.side = 'buy' AND v_cash < v.total_halalas THEN
      result := 'insufficient_funds'; available := v_cash; needed := v.total_halalas;
    ELSIF v.side = 'buy' AND v_allocation < v.quote_gold THEN
      result := 'inventory_unavailable';
    ELSIF v.side = 'sell' AND v_gold < v.quote_gold THEN
      result := 'insufficient_gold'; available := v_gold; needed := v.quote_gold;
    END IF;
    IF result IS NOT NULL THEN
      RETURN NEXT;
      CONTINUE;
    END IF;

    side_of := v.side; gold := v.quote_gold; price := v.price_ten_thousandths; fee := v.fee_halalas;
    vat := v.vat_halalas; total := v.total_halalas;
    IF side_of = 'buy' THEN
      v_cash := v_cash - total; v_house := v_house + total;
      v_gold := v_gold + gold; v_allocation := v_allocation - gold;
    ELSE
      v_cash := v_cash + total; v_house := v_house - total;
      v_gold := v_gold - gold; v_allocation := v_allocation + gold;
    END IF;
    v_transfer := v_transfer + 2;
    v_event := v_event + 1;
    IF v_open > 0 THEN
      v_open := v_open - 1;
    END IF;
    v_changed := true;

    n := n + 1;
    o_item[n] := v.item; o_partner[n] := v_partner; o_key[n] := v.key_hash;
    o_fingerprint[n] := v.fingerprint; o_gold[n] := gold; o_price[n] := price; o_fee[n] := fee;
    o_vat[n] := vat; o_total[n] := total; o_cash[n] := v_cash; o_gold_after[n] := v_gold;
    o_side[n] := side_of; o_reference[n] := v.client_reference; o_transfer[n] := v_transfer;
    o_event[n] := v_event;

    result := 'executed'; subject_id := v.order_id; quote_of := v.quote_id; cash_after := v_cash;
    gold_after := v_gold; executed_ms := v_now_ms; reference := v.client_reference;
    RETURN NEXT;
  END LOOP;
  IF v_changed THEN
    m := m + 1;
    a_partner[m] := v_partner; a_cash[m] := v_cash; a_house[m] := v_house; a_gold[m] := v_gold;
    a_allocation[m] := v_allocation; a_transfer[m] := v_transfer; a_event[m] := v_event;
    a_open[m] := v_open;
  END IF;

  IF s > 0 THEN
    FOR v_start IN SELECT DISTINCT t - t % 21600 FROM unnest(s_timestamp) AS t ORDER BY 1 LOOP
      IF to_regclass('nonces_' || v_start) IS NULL THEN
        PERFORM ensure_nonce_partition(v_start);
      END IF;
    END LOOP;
    INSERT INTO nonces (partner_id, timestamp_seconds, nonce_hash)
    SELECT * FROM unnest(s_partner, s_timestamp, s_nonce);
  END IF;

  IF n > 0 THEN
    UPDATE accounts a SET cash_halalas = u.cash, house_cash_halalas = u.house,
      gold_micrograms = u.gold, allocation_micrograms = u.allocation, last_transfer = u.transfer,
      last_event = u.event, open_quotes = u.open
    FROM unnest(a_partner, a_cash, a_house, a_gold, a_allocation, a_transfer, a_event, a_open)
      AS u (partner_id, cash, house, gold, allocation, transfer, event, open)
    WHERE a.partner_id = u.partner_id;

    INSERT INTO orders (partner_id, order_id, quote_id, gold_micrograms, price_ten_thousandths,
      fee_halalas, vat_halalas, total_halalas, cash_after_halalas, gold_after_micrograms,
      executed_at, side, client_reference)
    SELECT u.partner_id, p_order_ids[u.item], p_quote_ids[u.item], u.gold, u.price, u.fee, u.vat,
      u.total, u.cash, u.gold_after, v_now, u.side, u.reference
    FROM unnest(o_item, o_partner, o_gold, o_price, o_fee, o_vat, o_total, o_cash, o_gold_after,
      o_side, o_reference)
      AS u (item, partner_id, gold, price, fee, vat, total, cash, gold_after, side, reference);

    INSERT INTO transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
      credit_account, source_kind)
    SELECT u.partner_id, u.transfer + l.leg, CASE l.leg WHEN 0 THEN u.gold ELSE u.total END, v_now,
      p_order_ids[u.item], l.asset, CASE u.side WHEN 'buy' THEN l.buy_debit ELSE l.buy_credit END,
      CASE u.side WHEN 'buy' THEN l.buy_credit ELSE l.buy_debit END, 'order'
    FROM unnest(o_item, o_partner, o_gold, o_total, o_transfer, o_side)
      AS u (item, partner_id, gold, total, transfer, side),
      (VALUES (-1, 'SAR', 'cash', 'house_cash'), (0, 'XAU', 'allocation', 'gold'))
      AS l (leg, asset, buy_debit, buy_credit);

    INSERT INTO events (partner_id, sequence, event_id, resource_id, created_at, type)
    SELECT u.partner_id, u.event, p_event_ids[u.item], p_order_ids[u.item], v_now, 'order.executed'
    FROM unnest(o_item, o_partner, o_event) AS u (item, partner_id, event);

    INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
      resource_kind)
    SELECT u.partner_id, u.key_hash, u.fingerprint, p_order_ids[u.item], v_now, 'order'
    FROM unnest(o_item, o_partner, o_key, o_fingerprint)
      AS u (item, partner_id, key_hash, fingerprint);
  END IF;
END $$;
