-- Makes a batch of firm quotes, one row of result for each, in one transaction (Decision D10).
-- Locks and twins as in place_orders. `open_quotes` counts up here and down with each order; it
-- never counts an expiry, so it is counted anew before a partner is refused for its limit.
--
-- result     meaning
-- created    a new quote, or this very quote id made by an earlier attempt whose answer was lost
-- replayed   the quote that this Idempotency-Key made before
-- else       an error code of Decision D32
CREATE FUNCTION create_quotes(
  p_partner_ids integer[], p_quote_ids uuid[], p_keys text[], p_parameters text[],
  p_sides text[], p_gold bigint[], p_prices bigint[], p_fees bigint[], p_vat_ppm bigint[],
  p_vats bigint[], p_totals bigint[], p_price_as_of_ms bigint[], p_open_limits integer[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, side_of text, gold bigint,
  price bigint, fee bigint, vat_rate bigint, vat bigint, total bigint, price_as_of_ms bigint,
  created_ms bigint, open_now integer, retry_after_seconds integer
)
LANGUAGE plpgsql
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
  v_partner integer := 0;
  v_open integer;
  v_new integer := 0;
  v_counted boolean;
  v_oldest timestamptz;
  n integer := 0;
  o_item integer[] := '{}'; o_key bytea[] := '{}'; o_fingerprint bytea[] := '{}';
  m integer := 0;
  a_partner integer[] := '{}'; a_open integer[] := '{}';
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  v_now := date_trunc('milliseconds', clock_timestamp());
  v_now_ms := (extract(epoch FROM v_now) * 1000)::bigint;

  FOR v IN
    SELECT i.*, a.partner_id AS account, a.open_quotes, k.resource_id AS key_resource,
      k.resource_kind AS key_kind, k.fingerprint AS key_fingerprint
    FROM (
      SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.parameters) AS fingerprint
      FROM unnest(p_partner_ids, p_quote_ids, p_keys, p_parameters, p_open_limits) WITH ORDINALITY
        AS u (partner_id, quote_id, key, parameters, open_limit, item)
      OFFSET 0
    ) i
    LEFT JOIN accounts a ON a.partner_id = i.partner_id
    LEFT JOIN idempotency_keys k ON k.partner_id = i.partner_id AND k.key_hash = i.key_hash
    ORDER BY i.partner_id, i.item
  LOOP
    IF v.partner_id <> v_partner THEN
      IF v_partner <> 0 THEN
        m := m + 1; a_partner[m] := v_partner; a_open[m] := v_open;
      END IF;
      IF v.account IS NULL THEN
        RAISE EXCEPTION 'partner % has no accounts', v.partner_id;
      END IF;
      v_partner := v.partner_id; v_open := v.open_quotes; v_new := 0; v_counted := false;
    END IF;

    item := v.item; subject_kind := NULL; side_of := NULL; gold := NULL; price := NULL; fee := NULL;
    vat_rate := NULL; vat := NULL; total := NULL; price_as_of_ms := NULL; open_now := NULL;
    retry_after_seconds := NULL; created_ms := v_now_ms; subject_id := v.quote_id;

    IF v.key_resource IS NOT NULL THEN
      subject_id := v.key_resource;
      IF v.key_kind <> 'quote' OR v.key_fingerprint <> v.fingerprint THEN
        result := 'idempotency_key_conflict'; subject_kind := v.key_kind;
      ELSE
        SELECT q.side, q.gold_micrograms, q.price_ten_thousandths, q.fee_halalas, q.vat_ppm,
          q.vat_halalas, q.total_halalas, (extract(epoch FROM q.price_as_of) * 1000)::bigint,
          (extract(epoch FROM q.created_at) * 1000)::bigint
        INTO side_of, gold, price, fee, vat_rate, vat, total, price_as_of_ms, created_ms
        FROM quotes q WHERE q.partner_id = v_partner AND q.quote_id = v.key_resource;
        result := CASE WHEN v.key_resource = v.quote_id THEN 'created' ELSE 'replayed' END;
      END IF;
      RETURN NEXT;
      CONTINUE;
    END IF;

    IF v_open >= v.open_limit AND NOT v_counted THEN
      -- Quote ids carry their time: those of the last two minutes hold every open one.
      SELECT count(*), min(q.expires_at) INTO v_open, v_oldest
      FROM quotes q
      WHERE q.partner_id = v_partner AND q.expires_at > v_now
        AND q.quote_id > (lpad(to_hex(v_now_ms - 120000), 12, '0') || '00000000000000000000')::uuid
        AND NOT EXISTS (
          SELECT 1 FROM orders o WHERE o.partner_id = v_partner AND o.quote_id = q.quote_id);
      v_open := v_open + v_new;
      v_counted := true;
    END IF;
    IF v_open >= v.open_limit THEN
      result := 'too_many_open_quotes';
      open_now := v_open;
      retry_after_seconds := greatest(1,
        ceil(extract(epoch FROM coalesce(v_oldest, v_now + interval '60 seconds') - v_now)));
      RETURN NEXT;
      CONTINUE;
    END IF;

    v_open := v_open + 1;
    v_new := v_new + 1;
    n := n + 1;
    o_item[n] := v.item; o_key[n] := v.key_hash; o_fingerprint[n] := v.fingerprint;
    result := 'created';
    RETURN NEXT;
  END LOOP;
  IF v_partner <> 0 THEN
    m := m + 1; a_partner[m] := v_partner; a_open[m] := v_open;
  END IF;

  IF n > 0 THEN
    UPDATE accounts a SET open_quotes = u.open
    FROM unnest(a_partner, a_open) AS u (partner_id, open)
    WHERE a.partner_id = u.partner_id;

    INSERT INTO quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
      vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side)
    SELECT p_partner_ids[i], p_quote_ids[i], p_gold[i], p_prices[i], p_fees[i], p_vat_ppm[i],
      p_vats[i], p_totals[i], to_timestamp(p_price_as_of_ms[i] / 1000.0), v_now,
      v_now + interval '60 seconds', p_sides[i]
    FROM unnest(o_item) AS i;

    INSERT INTO idempotency_keys (partner_id, key_hash, fingerprint, resource_id, created_at,
      resource_kind)
    SELECT p_partner_ids[u.item], u.key_hash, u.fingerprint, p_quote_ids[u.item], v_now, 'quote'
    FROM unnest(o_item, o_key, o_fingerprint) AS u (item, key_hash, fingerprint);
  END IF;
END $$;
