-- Makes a batch of firm quotes, one row of result for each, in one transaction (Decision D10). Their terms are
-- computed here, from the recorded price that each names and the rates of the partner's row (Decision D88).
-- Locks, twins and steps as in place_orders. `open_quotes` is raised here and lowered by each order, but
-- not when a quote expires, so the open quotes are counted anew before a partner is refused for its
-- limit.
--
-- Each has its gold or the money requested, and bounds for the gold in micrograms.
--
-- result             meaning
-- created            a new quote, or this very quote id made by an earlier attempt whose answer was lost
-- replayed           the quote that this Idempotency-Key made before
-- moved              as in place_orders
-- price_unavailable  no price is named, or one that quotes may not be made at now
-- fee_exceeds_value  a sale of so little gold that it brings nothing
-- others             an error code of Decision D32
CREATE OR REPLACE FUNCTION make_priced_quotes(
  p_partner_ids integer[], p_quote_ids uuid[], p_keys text[], p_parameters text[],
  p_sides text[], p_gold bigint[], p_requested bigint[], p_price_numbers bigint[],
  p_least_gold bigint[], p_most_gold bigint[], p_open_limits integer[]
) RETURNS TABLE (
  item integer, result text, subject_kind text, subject_id uuid, side_of text, gold bigint,
  price bigint, fee bigint, vat_rate bigint, vat bigint, total bigint, requested bigint,
  price_as_of_ms bigint, created_ms bigint, open_now integer, retry_after_seconds integer,
  gold_vat_rate bigint, fee_vat bigint, source text, mid bigint, spread bigint
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
  v_now timestamptz; v_day date;
  -- the prices that quotes may be made at, and between which numbers they are
  v_least bigint := (SELECT min(n) FROM unnest(p_price_numbers) n);
  v_most bigint := (SELECT max(n) FROM unnest(p_price_numbers) n);
  v_numbers bigint[]; v_mids bigint[]; v_times timestamptz[]; v_sources text[];
  -- the batch by columns, in the order of partner and arrival
  r_item integer[]; r_partner integer[]; r_result text[]; r_key bytea[]; r_fingerprint bytea[];
  r_kind text[]; r_subject uuid[]; r_limit integer[]; r_start_open integer[];
  r_generation smallint[]; r_gold bigint[]; r_spread bigint[]; r_fee_rate bigint[]; r_vat_rate bigint[];
  r_price bigint[]; r_fee bigint[]; r_vat bigint[]; r_total bigint[]; r_as_of timestamptz[];
  r_mid bigint[]; r_source text[]; r_gold_vat_rate bigint[]; r_fee_vat bigint[]; r_discloses boolean[];
  -- results of the loop
  r_open integer[]; r_retry integer[];
  -- the quotes of the current partner
  v_partner integer := 0; v_open integer; v_new integer; v_counted boolean; v_oldest timestamptz;
  -- Ids begin with their time: the ids of open quotes are greater than this one.
  v_bound uuid;
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = ANY (p_partner_ids)
    ORDER BY partner_id FOR NO KEY UPDATE;
  v_now := date_trunc('milliseconds', service_time());
  v_day := (v_now AT TIME ZONE 'Asia/Riyadh')::date;
  v_bound := (lpad(to_hex((extract(epoch FROM v_now) * 1000)::bigint - 60000), 12, '0')
    || repeat('0', 20))::uuid;

  SELECT array_agg(p.price_number), array_agg(p.mid_ten_thousandths),
    array_agg(CASE p.source WHEN 'fixed' THEN v_now ELSE p.as_of END), array_agg(p.source)
  INTO v_numbers, v_mids, v_times, v_sources
  FROM (SELECT DISTINCT unnest(p_price_numbers) AS price_number) n
  JOIN prices p USING (price_number) JOIN price_settings_now() s ON is_current_price(p, s, v_now)
  -- The other months' partitions are not opened.
  WHERE p.price_number BETWEEN v_least AND v_most;

  SELECT array_agg(x.item::integer), array_agg(x.partner_id), array_agg(
      CASE
        WHEN x.last_key IS NULL THEN 'moved'
        WHEN x.key_resource IS NULL THEN CASE
          WHEN x.gold < x.least_gold THEN 'amount_below_minimum'
          WHEN x.gold > x.most_gold THEN 'amount_above_maximum'
          WHEN x.total IS NULL THEN 'price_unavailable'
          WHEN x.total <= 0 THEN 'fee_exceeds_value' END
        WHEN x.key_kind <> 'quote' OR x.key_fingerprint <> x.fingerprint
          THEN 'idempotency_key_conflict'
        WHEN x.key_resource = x.quote_id THEN 'created'
        ELSE 'replayed'
      END),
    array_agg(x.key_hash), array_agg(x.fingerprint), array_agg(x.key_kind),
    array_agg(x.key_resource), array_agg(x.open_limit), array_agg(x.open_quotes),
    array_agg(key_generation(x.last_key)), array_agg(x.gold), array_agg(x.spread_ppm),
    array_agg(x.fee_ppm), array_agg(x.fee_vat_ppm), array_agg(x.price), array_agg(x.fee), array_agg(x.vat),
    array_agg(x.total), array_agg(x.as_of), array_agg(x.mid), array_agg(x.source), array_agg(x.gold_vat_ppm),
    array_agg(x.fee_vat), array_agg(x.discloses_spread)
  INTO r_item, r_partner, r_result, r_key, r_fingerprint, r_kind, r_subject, r_limit, r_start_open,
    r_generation, r_gold, r_spread, r_fee_rate, r_vat_rate, r_price, r_fee, r_vat, r_total, r_as_of, r_mid,
    r_source, r_gold_vat_rate, r_fee_vat, r_discloses
  FROM (
    SELECT i.partner_id, i.quote_id, i.item, i.key_hash, i.fingerprint, i.least_gold, i.most_gold,
      i.open_limit, a.open_quotes, a.last_key, k.resource_id AS key_resource,
      k.resource_kind AS key_kind, k.fingerprint AS key_fingerprint, g.gold, p.spread_ppm, p.fee_ppm,
      coalesce(p.discloses_spread, false) AS discloses_spread, v.gold_vat_ppm, v.fee_vat_ppm, m.mid, m.as_of, m.source, t.*
    FROM (
      SELECT u.*, short_hash(u.key) AS key_hash, short_hash(u.parameters) AS fingerprint
      FROM unnest(p_partner_ids, p_quote_ids, p_keys, p_parameters, p_sides, p_gold, p_requested,
          p_price_numbers, p_least_gold, p_most_gold, p_open_limits) WITH ORDINALITY
        AS u (partner_id, quote_id, key, parameters, side, gold, requested, price_number, least_gold,
          most_gold, open_limit, item)
      OFFSET 0
    ) i
    LEFT JOIN accounts a ON a.partner_id = i.partner_id
    LEFT JOIN partners p ON p.partner_id = i.partner_id
    CROSS JOIN LATERAL (SELECT CASE WHEN i.side = 'sell' THEN 0 WHEN p.taxes IS NULL THEN p.vat_ppm
        ELSE tax_rate(p.taxes, v_day, 'gold_ppm', p.vat_ppm) END AS gold_vat_ppm,
      CASE WHEN p.taxes IS NULL THEN p.vat_ppm ELSE tax_rate(p.taxes, v_day, 'fee_ppm', p.vat_ppm) END
        AS fee_vat_ppm OFFSET 0) v
    LEFT JOIN unnest(v_numbers, v_mids, v_times, v_sources) AS m (price_number, mid, as_of, source)
      ON m.price_number = i.price_number
    LEFT JOIN LATERAL known_key(i.partner_id, i.key_hash) k ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN i.requested IS NULL THEN i.gold ELSE gold_for_money(i.side,
      i.requested, i.most_gold, m.mid, p.spread_ppm, p.fee_ppm, v.gold_vat_ppm, v.fee_vat_ppm) END AS gold
      OFFSET 0) g
    CROSS JOIN LATERAL price_terms(i.side,
      CASE WHEN g.gold BETWEEN i.least_gold AND i.most_gold THEN g.gold END::bigint, m.mid,
      p.spread_ppm, p.fee_ppm, v.gold_vat_ppm, v.fee_vat_ppm) t
    ORDER BY i.partner_id, i.item
  ) x;
  -- Filled from the start: the first assignment to an empty array would set its lower bound.
  r_open := array_fill(NULL::integer, ARRAY[cardinality(r_item)]);
  r_retry := r_open;

  FOR i IN 1 .. cardinality(r_item) LOOP
    CONTINUE WHEN r_result[i] IS NOT NULL;
    IF r_partner[i] <> v_partner THEN
      v_partner := r_partner[i]; v_open := r_start_open[i]; v_new := 0; v_counted := false;
      v_oldest := NULL;
    END IF;
    IF v_open >= r_limit[i] AND NOT v_counted THEN
      -- Two index ranges instead of a look-up per quote: cheap for the busiest partner too.
      SELECT v_new
        + (SELECT count(*) FROM quotes q WHERE q.partner_id = v_partner AND q.quote_id > v_bound)
        - (SELECT count(*) FROM orders o WHERE o.partner_id = v_partner AND o.quote_id > v_bound)
      INTO v_open;
      v_counted := true;
    END IF;
    IF v_open >= r_limit[i] THEN
      IF v_oldest IS NULL THEN
        SELECT coalesce(min(x.expires_at), v_now) INTO v_oldest
        FROM (
          SELECT q.quote_id, q.expires_at FROM quotes q
          WHERE q.partner_id = v_partner AND q.quote_id > v_bound ORDER BY q.quote_id LIMIT 1000
        ) x
        WHERE NOT EXISTS (
          SELECT 1 FROM orders o WHERE o.partner_id = v_partner AND o.quote_id = x.quote_id);
      END IF;
      r_result[i] := 'too_many_open_quotes';
      r_retry[i] := greatest(1, ceil(extract(epoch FROM v_oldest - v_now)));
    ELSE
      v_open := v_open + 1;
      v_new := v_new + 1;
      r_result[i] := 'made';
    END IF;
    r_open[i] := v_open;
  END LOOP;

  IF v_partner <> 0 THEN
    UPDATE accounts a SET open_quotes = u.open, last_key = a.last_key + u.made
    FROM (
      SELECT DISTINCT ON (l.partner_id) l.partner_id, l.open,
        count(*) FILTER (WHERE l.result = 'made') OVER (PARTITION BY l.partner_id) AS made
      FROM unnest(r_item, r_partner, r_result, r_open) AS l (item, partner_id, result, open)
      WHERE l.open IS NOT NULL ORDER BY l.partner_id, l.item DESC
    ) u
    WHERE a.partner_id = u.partner_id;

    INSERT INTO quotes (partner_id, quote_id, gold_micrograms, price_ten_thousandths, fee_halalas,
      vat_ppm, vat_halalas, total_halalas, price_as_of, created_at, expires_at, side,
      requested_halalas, price_number, spread_ppm, fee_ppm, mid_ten_thousandths, price_source, gold_vat_ppm,
      fee_vat_halalas, discloses_spread)
    SELECT u.partner_id, p_quote_ids[u.item], u.gold, u.price, u.fee, u.vat_rate, u.vat, u.total,
      u.as_of, v_now, v_now + interval '60 seconds', p_sides[u.item], p_requested[u.item],
      p_price_numbers[u.item], u.spread, u.fee_rate, u.mid, u.source, u.gold_vat_rate, u.fee_vat, u.discloses
    FROM unnest(r_item, r_partner, r_result, r_gold, r_price, r_fee, r_vat_rate, r_vat, r_total, r_as_of,
        r_spread, r_fee_rate, r_mid, r_source, r_gold_vat_rate, r_fee_vat, r_discloses)
      AS u (item, partner_id, result, gold, price, fee, vat_rate, vat, total, as_of, spread, fee_rate, mid, source,
        gold_vat_rate, fee_vat, discloses)
    WHERE u.result = 'made';

    INSERT INTO trade_keys (partner_id, generation, key_hash, fingerprint, resource_id, created_at,
      resource_kind)
    SELECT u.partner_id, u.generation, u.key_hash, u.fingerprint, p_quote_ids[u.item], v_now, 'quote'
    FROM unnest(r_item, r_partner, r_result, r_generation, r_key, r_fingerprint)
      AS u (item, partner_id, result, generation, key_hash, fingerprint)
    WHERE u.result = 'made';
  END IF;

  RETURN QUERY
  SELECT u.item, CASE u.result WHEN 'made' THEN 'created' ELSE u.result END, u.kind,
    coalesce(u.subject, q.quote_id), q.side, q.gold_micrograms, q.price_ten_thousandths, q.fee_halalas, q.vat_ppm,
    q.vat_halalas, q.total_halalas, q.requested_halalas, (extract(epoch FROM q.price_as_of) * 1000)::bigint,
    (extract(epoch FROM q.created_at) * 1000)::bigint, u.open, u.retry, q.gold_vat_ppm, q.fee_vat_halalas,
    q.price_source, CASE WHEN q.discloses_spread THEN q.mid_ten_thousandths END,
    CASE WHEN q.discloses_spread THEN q.spread_ppm END
  FROM unnest(r_item, r_partner, r_result, r_kind, r_subject, r_open, r_retry)
    AS u (item, partner_id, result, kind, subject, open, retry)
  LEFT JOIN quotes q ON q.partner_id = u.partner_id AND q.quote_id = coalesce(u.subject, p_quote_ids[u.item])
    AND u.result IN ('made', 'created', 'replayed');
END $$;
