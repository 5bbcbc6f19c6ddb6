-- Executes a batch of signed orders, one row of result for each, in one transaction, and keeps the evidence of
-- those it executes (Decision D86).
--
-- All accounts rows of the batch are locked first, in the order of partner_id. That one lock protects a
-- partner's balances, quotes, nonces and keys while the batch is decided, and the order of locking keeps
-- batches of several instances from deadlocking. Then one statement reads everything and decides
-- what does not depend on balances, a loop over plain arrays decides the rest one order after
-- the other, and one statement per table writes the results. A refused order never raises an error.
--
-- The caller keeps twins (same partner and same key, nonce or quote) out of one batch: with twins a
-- unique constraint would fail the whole batch, so nothing could be booked twice.
--
-- result     meaning
-- executed   a new order, or this very order id booked by an earlier attempt whose answer was lost
-- replayed   the order that this Idempotency-Key made before
-- moved      the partner's accounts are not in this cell (Decision D53): nothing was done, no nonce spent
-- others     an error code of Decision D32. `subject_kind` and `subject_id` name the conflicting
--            resource; `cash_after` and `gold_after` are the balances if they are insufficient;
--            `executed_ms` is the quote's expiry if the order came too late
CREATE OR REPLACE FUNCTION place_signed_orders(
  p_partner_ids integer[], p_order_ids uuid[], p_event_ids uuid[], p_keys text[],
  p_parameters text[], p_quote_ids uuid[], p_references text[], p_nonces text[],
  p_timestamps bigint[], p_received_ms bigint[], p_urls text[], p_bodies text[], p_key_ids text[],
  p_signatures text[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, side_of text, gold bigint,
  price bigint, fee bigint, vat bigint, total bigint, cash_after bigint, gold_after bigint,
  executed_ms bigint, gold_vat_rate bigint, fee_vat_rate bigint, fee_vat bigint, source text,
  price_as_of_ms bigint, mid bigint, spread bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
-- Tables may be empty when a session first plans and huge later, so plans always use the indexes, and never
-- JIT. Each session makes one generic plan: by default PostgreSQL would plan small batches anew each time,
-- which costs more than executing them.
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_now_ms bigint;
  -- the batch by columns, in the order of partner and arrival
  r_item integer[]; r_partner integer[]; r_result text[]; r_spend boolean[]; r_timestamp bigint[];
  r_nonce bytea[]; r_key bytea[]; r_fingerprint bytea[]; r_kind text[]; r_subject uuid[];
  r_buy boolean[]; r_gold bigint[]; r_vat bigint[]; r_total bigint[]; r_expires timestamptz[];
  r_start_cash bigint[]; r_start_gold bigint[]; r_start_allocation bigint[];
  r_start_transfer bigint[]; r_start_event bigint[]; r_generation smallint[]; r_pool smallint[];
  -- results of the loop
  r_cash_after bigint[]; r_gold_after bigint[]; r_vat_after bigint[]; r_transfer bigint[]; r_event bigint[];
  -- the accounts of the current partner, and its last booked item
  v_partner integer := 0; v_cash bigint; v_gold bigint; v_allocation bigint;
  v_vat bigint; v_final integer;
  v_transfer bigint; v_event bigint; v_total bigint; v_moved bigint;
  v_booked integer := 0; v_taxed boolean := false;
  v_finals integer[] := '{}'; -- each partner's last booked item, which has its new balances
  v_first bigint; v_last bigint;
  v_versions integer[];
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  v_now := date_trunc('milliseconds', service_time());
  v_now_ms := (extract(epoch FROM v_now) * 1000)::bigint;

  SELECT array_agg(x.item::integer), array_agg(x.partner_id), array_agg(
      CASE
        WHEN x.last_key IS NULL THEN 'moved'
        WHEN x.key_resource IS NOT NULL AND (x.key_resource = x.order_id OR NOT x.nonce_spent) THEN
          CASE
            WHEN x.key_kind <> 'order' OR x.key_fingerprint <> x.fingerprint
              THEN 'idempotency_key_conflict'
            WHEN x.key_resource = x.order_id THEN 'executed'
            ELSE 'replayed'
          END
        WHEN x.nonce_spent THEN 'nonce_reused'
        WHEN x.side IS NULL THEN 'quote_not_found'
        WHEN x.used_by IS NOT NULL THEN 'quote_already_used'
        WHEN to_timestamp(x.received_ms / 1000.0) >= x.expires_at THEN 'quote_expired'
      END),
    array_agg(x.last_key IS NOT NULL AND NOT x.nonce_spent), array_agg(x.timestamp_seconds), array_agg(x.nonce_hash),
    array_agg(x.key_hash), array_agg(x.fingerprint), array_agg(x.key_kind),
    array_agg(coalesce(x.key_resource, x.used_by)), array_agg(x.side = 'buy'),
    array_agg(x.quote_gold), array_agg(x.vat_halalas), array_agg(x.total_halalas), array_agg(x.expires_at),
    array_agg(x.cash_halalas), array_agg(x.gold_micrograms), array_agg(x.allocation_micrograms),
    array_agg(x.last_transfer), array_agg(x.last_event), array_agg(key_generation(x.last_key)),
    array_agg(x.pool_number), min(x.timestamp_seconds), max(x.timestamp_seconds)
  INTO r_item, r_partner, r_result, r_spend, r_timestamp, r_nonce, r_key, r_fingerprint, r_kind,
    r_subject, r_buy, r_gold, r_vat, r_total, r_expires, r_start_cash,
    r_start_gold, r_start_allocation, r_start_transfer, r_start_event, r_generation, r_pool, v_first, v_last
  FROM (
    SELECT i.*, a.cash_halalas, a.gold_micrograms, a.allocation_micrograms, a.last_transfer,
      a.last_event, a.last_key, a.pool_number,
      -- EXISTS would allow the planner to read all nonces into a hash table.
      (SELECT true FROM nonces s WHERE s.partner_id = i.partner_id AND s.nonce_hash = i.nonce_hash
        LIMIT 1) IS NOT NULL AS nonce_spent,
      k.resource_id AS key_resource, k.resource_kind AS key_kind, k.fingerprint AS key_fingerprint,
      q.side, q.gold_micrograms AS quote_gold, q.vat_halalas, q.total_halalas, q.expires_at,
      o.order_id AS used_by
    FROM (
      SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.nonce) AS nonce_hash,
        short_hash(u.parameters) AS fingerprint
      FROM unnest(p_partner_ids, p_order_ids, p_keys, p_parameters, p_quote_ids, p_nonces,
        p_timestamps, p_received_ms) WITH ORDINALITY
        AS u (partner_id, order_id, key, parameters, quote_id, nonce, timestamp_seconds,
          received_ms, item)
      OFFSET 0
    ) i
    LEFT JOIN accounts a ON a.partner_id = i.partner_id
    LEFT JOIN LATERAL known_key(i.partner_id, i.key_hash) k ON true
    LEFT JOIN quotes q ON q.partner_id = i.partner_id AND q.quote_id = i.quote_id
    LEFT JOIN orders o ON o.partner_id = i.partner_id AND o.quote_id = i.quote_id
    ORDER BY i.partner_id, i.item
  ) x;
  -- Filled from the start: the first assignment to an empty array would set its lower bound.
  r_cash_after := array_fill(NULL::bigint, ARRAY[cardinality(r_item)]);
  r_gold_after := r_cash_after; r_transfer := r_cash_after; r_event := r_cash_after;
  r_vat_after := r_cash_after;

  FOR i IN 1 .. cardinality(r_item) LOOP
    CONTINUE WHEN r_result[i] IS NOT NULL;
    IF r_partner[i] <> v_partner THEN
      v_finals := v_finals || v_final; v_final := NULL;
      v_partner := r_partner[i];
      v_cash := r_start_cash[i]; v_gold := r_start_gold[i]; v_allocation := r_start_allocation[i];
      v_transfer := r_start_transfer[i]; v_event := r_start_event[i]; v_vat := 0;
    END IF;
    v_total := r_total[i];
    v_moved := r_gold[i];
    IF r_buy[i] THEN
      IF v_cash < v_total THEN
        r_result[i] := 'insufficient_funds'; r_cash_after[i] := v_cash;
        CONTINUE;
      ELSIF v_allocation < v_moved THEN
        r_result[i] := 'inventory_unavailable';
        CONTINUE;
      END IF;
      v_cash := v_cash - v_total; v_gold := v_gold + v_moved; v_allocation := v_allocation - v_moved;
    ELSE
      IF v_gold < v_moved THEN
        r_result[i] := 'insufficient_gold'; r_gold_after[i] := v_gold;
        CONTINUE;
      END IF;
      v_cash := v_cash + v_total; v_gold := v_gold - v_moved; v_allocation := v_allocation + v_moved;
    END IF;
    v_transfer := v_transfer + 2;
    IF r_vat[i] > 0 THEN
      v_transfer := v_transfer + 1; v_vat := v_vat + r_vat[i]; v_taxed := true;
    END IF;
    v_event := v_event + 1;
    v_booked := v_booked + 1; v_final := i;
    r_result[i] := 'booked'; r_cash_after[i] := v_cash; r_gold_after[i] := v_gold;
    r_transfer[i] := v_transfer; r_event[i] := v_event; r_vat_after[i] := v_vat;
  END LOOP;
  v_finals := v_finals || v_final;

  IF v_first / 21600 <> v_last / 21600 OR NOT knows_partition('nonces', (v_first - v_first % 21600)::text) THEN
    PERFORM ensure_nonce_partition(start)
    FROM (SELECT DISTINCT t - t % 21600 AS start FROM unnest(p_timestamps) AS t ORDER BY 1) s;
  END IF;
  INSERT INTO nonces (partner_id, timestamp_seconds, nonce_hash)
  SELECT u.partner_id, u.timestamp_seconds, u.nonce_hash
  FROM unnest(r_partner, r_timestamp, r_nonce, r_spend)
    AS u (partner_id, timestamp_seconds, nonce_hash, spend)
  WHERE u.spend;

  IF v_booked > 0 THEN
    -- The house's accounts mirror the partner's.
    UPDATE accounts a SET cash_halalas = u.cash,
      house_cash_halalas = a.house_cash_halalas + a.cash_halalas - u.cash - u.vat,
      vat_halalas = a.vat_halalas + u.vat,
      gold_micrograms = u.gold,
      allocation_micrograms = a.allocation_micrograms + a.gold_micrograms - u.gold,
      last_transfer = u.transfer, last_event = u.event,
      last_key = a.last_key + u.event - a.last_event,
      open_quotes = greatest(0, a.open_quotes - (u.event - a.last_event)::integer)
    FROM (
      SELECT r_partner[i] AS partner_id, r_cash_after[i] AS cash, r_gold_after[i] AS gold, r_vat_after[i] AS vat,
        r_transfer[i] AS transfer, r_event[i] AS event
      FROM unnest(v_finals) AS i
      WHERE i IS NOT NULL OFFSET 0
    ) u
    WHERE a.partner_id = u.partner_id;

    -- Title (Decision D102): the version in force of each pool, by the pool's number.
    SELECT array_agg(version_id ORDER BY pool_number) INTO v_versions FROM pools;

    -- An order keeps all of its quote's terms, whatever becomes of the quote. It is answered as it was inserted: a
    -- join that reads it back would go by any index of the partner's orders as long as the table has no statistics.
    RETURN QUERY WITH booked AS (
      INSERT INTO orders (partner_id, order_id, quote_id, gold_micrograms, price_ten_thousandths,
        fee_halalas, vat_halalas, total_halalas, cash_after_halalas, gold_after_micrograms,
        executed_at, side, client_reference, price_number, mid_ten_thousandths, spread_ppm, fee_ppm, gold_vat_ppm,
        fee_vat_ppm, fee_vat_halalas, price_as_of, price_source, discloses_spread, pool_version_id)
      SELECT u.partner_id, p_order_ids[u.item], q.quote_id, q.gold_micrograms, q.price_ten_thousandths,
        q.fee_halalas, q.vat_halalas, q.total_halalas, u.cash, u.gold_after, v_now, q.side, p_references[u.item],
        q.price_number, q.mid_ten_thousandths, q.spread_ppm, q.fee_ppm, q.gold_vat_ppm, q.vat_ppm,
        q.fee_vat_halalas, q.price_as_of, q.price_source, q.discloses_spread, v_versions[u.pool]
      FROM unnest(r_item, r_partner, r_result, r_cash_after, r_gold_after, r_pool)
        AS u (item, partner_id, result, cash, gold_after, pool)
      JOIN quotes q ON q.partner_id = u.partner_id AND q.quote_id = p_quote_ids[u.item]
      WHERE u.result = 'booked'
      RETURNING *
    )
    SELECT array_position(p_order_ids, o.order_id), 'executed', NULL, o.order_id, o.side, o.gold_micrograms,
      o.price_ten_thousandths, o.fee_halalas, o.vat_halalas, o.total_halalas, o.cash_after_halalas,
      o.gold_after_micrograms, v_now_ms, o.gold_vat_ppm, o.fee_vat_ppm, o.fee_vat_halalas, o.price_source,
      (date_part('epoch', o.price_as_of) * 1000)::bigint,
      CASE WHEN o.discloses_spread THEN o.mid_ten_thousandths END, CASE WHEN o.discloses_spread THEN o.spread_ppm END
    FROM booked o;

    INSERT INTO transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
      credit_account, source_kind)
    SELECT u.partner_id, u.transfer + l.leg - CASE u.vat WHEN 0 THEN 0 ELSE 1 END,
      CASE l.leg WHEN 0 THEN u.gold ELSE u.total END, v_now, p_order_ids[u.item], l.asset,
      CASE WHEN u.buy THEN l.buy_debit ELSE l.buy_credit END,
      CASE WHEN u.buy THEN l.buy_credit ELSE l.buy_debit END, 'order'
    FROM unnest(r_item, r_partner, r_result, r_gold, r_vat, r_total, r_transfer, r_buy)
      AS u (item, partner_id, result, gold, vat, total, transfer, buy),
      (VALUES (-1, 'SAR', 'cash', 'house_cash'), (0, 'XAU', 'allocation', 'gold'))
      AS l (leg, asset, buy_debit, buy_credit)
    WHERE u.result = 'booked';
    IF v_taxed THEN
      -- The house owes the VAT that is in the total, of a buy and of a sale.
      INSERT INTO transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
        credit_account, source_kind)
      SELECT u.partner_id, u.transfer, u.vat, v_now, p_order_ids[u.item], 'SAR', 'house_cash', 'vat', 'order'
      FROM unnest(r_item, r_partner, r_result, r_vat, r_transfer) AS u (item, partner_id, result, vat, transfer)
      WHERE u.result = 'booked' AND u.vat > 0;
    END IF;

    INSERT INTO events (partner_id, sequence, event_id, resource_id, created_at, type)
    SELECT u.partner_id, u.event, p_event_ids[u.item], p_order_ids[u.item], v_now, 'order.executed'
    FROM unnest(r_item, r_partner, r_result, r_event) AS u (item, partner_id, result, event)
    WHERE u.result = 'booked';

    INSERT INTO trade_keys (partner_id, generation, key_hash, fingerprint, resource_id, created_at,
      resource_kind)
    SELECT u.partner_id, u.generation, u.key_hash, u.fingerprint, p_order_ids[u.item], v_now, 'order'
    FROM unnest(r_item, r_partner, r_result, r_generation, r_key, r_fingerprint)
      AS u (item, partner_id, result, generation, key_hash, fingerprint)
    WHERE u.result = 'booked';

    IF p_urls IS NULL AND v_now >= evidence_since() THEN
      RAISE EXCEPTION 'an order needs its evidence' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Made ahead; a clock that was set may come before.
    IF NOT knows_partition('evidence', to_char(v_now AT TIME ZONE 'UTC', 'YYYYMM')) THEN
      PERFORM ensure_evidence_partition(ms) FROM unnest(p_received_ms || v_now_ms) AS ms;
    END IF;
    INSERT INTO evidence (partner_id, evidence_id, timestamp_seconds, nonce, url, body, key_id,
      signature)
    SELECT u.partner_id, p_order_ids[u.item], p_timestamps[u.item], p_nonces[u.item], p_urls[u.item],
      p_bodies[u.item], p_key_ids[u.item], p_signatures[u.item]
    FROM unnest(r_item, r_partner, r_result) AS u (item, partner_id, result)
    WHERE u.result = 'booked' AND p_urls IS NOT NULL;
  END IF;

  IF v_booked = cardinality(r_item) THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT u.item, u.result, u.kind, u.subject, o.side, coalesce(o.gold_micrograms, u.gold), o.price_ten_thousandths,
    o.fee_halalas, o.vat_halalas, coalesce(o.total_halalas, u.total), coalesce(o.cash_after_halalas, u.cash_after),
    coalesce(o.gold_after_micrograms, u.gold_after),
    (extract(epoch FROM CASE u.result WHEN 'quote_expired' THEN u.expires ELSE o.executed_at END) * 1000)::bigint,
    o.gold_vat_ppm, o.fee_vat_ppm, o.fee_vat_halalas, o.price_source,
    (extract(epoch FROM o.price_as_of) * 1000)::bigint,
    CASE WHEN o.discloses_spread THEN o.mid_ten_thousandths END, CASE WHEN o.discloses_spread THEN o.spread_ppm END
  FROM unnest(r_item, r_partner, r_result, r_kind, r_subject, r_gold, r_total, r_cash_after, r_gold_after, r_expires)
    AS u (item, partner_id, result, kind, subject, gold, total, cash_after, gold_after, expires)
  LEFT JOIN orders o ON o.partner_id = u.partner_id AND o.order_id = u.subject
    AND u.result IN ('executed', 'replayed')
  WHERE u.result <> 'booked';
END $$;

-- Like place_signed_orders, for servers of the release before, which hand over no evidence: it is refused from
-- the moment when each order must have it.
CREATE OR REPLACE FUNCTION place_orders(
  p_partner_ids integer[], p_order_ids uuid[], p_event_ids uuid[], p_keys text[],
  p_parameters text[], p_quote_ids uuid[], p_references text[], p_nonces text[],
  p_timestamps bigint[], p_received_ms bigint[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, side_of text, gold bigint,
  price bigint, fee bigint, vat bigint, total bigint, cash_after bigint, gold_after bigint,
  executed_ms bigint
)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT item, result, subject_kind, subject_id, side_of, gold, price, fee, vat, total, cash_after, gold_after,
    executed_ms
  FROM place_signed_orders(p_partner_ids, p_order_ids, p_event_ids, p_keys, p_parameters,
    p_quote_ids, p_references, p_nonces, p_timestamps, p_received_ms, NULL, NULL, NULL, NULL)
$$;
