-- What a cell's partners have now, the pool that each drew on right before a moment, and the first and last of the
-- transfers since, by which the balances are counted back to it. A pool changes only without gold (Decision D102), so
-- that of the moment is the first order's since, or if there is none, that of now.
CREATE OR REPLACE FUNCTION accounts_since(p_moment timestamptz)
RETURNS TABLE (
  partner integer, client text, pool smallint, cash bigint, in_transit bigint, gold bigint, first_since bigint,
  last_since bigint
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT a.partner_id, p.client_id, coalesce(o.pool_number, a.pool_number), a.cash_halalas,
    a.withdrawals_halalas, a.gold_micrograms, f.number, a.last_transfer
  FROM accounts a JOIN partners p USING (partner_id)
  CROSS JOIN LATERAL (SELECT first_transfer_at(a.partner_id, p_moment) AS number OFFSET 0) f
  LEFT JOIN LATERAL (
    SELECT t.source_id FROM transfers t
    WHERE t.partner_id = a.partner_id AND t.number >= f.number AND 'gold' IN (t.credit_account, t.debit_account)
    ORDER BY t.number LIMIT 1
  ) t ON true
  LEFT JOIN LATERAL (
    SELECT s.pool_number FROM orders JOIN pool_versions v ON v.version_id = pool_version_id
    JOIN pools s ON s.pool_id = v.pool_id
    WHERE orders.partner_id = a.partner_id AND orders.order_id = t.source_id
  ) o ON true;
END $$;

-- The commitment to a partner's balances, as `commitBalances` makes it.
CREATE OR REPLACE FUNCTION reserve_commitment(p_salt bytea, p_client text, p_day date, p_cash bigint, p_gold bigint)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(p_salt || convert_to(
    concat_ws(E'\n', p_client, to_char(p_day, 'YYYY-MM-DD'), p_cash, p_gold, ''), 'UTF8')), 'hex')
$$;

-- Keeps the reserve of a day that ended an hour ago, and what its commitments hide: of every partner that there is.
-- It follows the reserve before, and has exactly these commitments and their sum. Returns whether it was kept.
CREATE OR REPLACE FUNCTION keep_reserve(
  p_day date, p_body text, p_partner_ids integer[], p_pool_ids text[], p_cash bigint[], p_gold bigint[], p_salts text[]
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_body jsonb := p_body::jsonb;
  v_last reserves;
  v_hash text := encode(sha256(convert_to(p_body, 'UTF8')), 'hex');
BEGIN
  IF service_time() < (p_day + 1)::timestamp AT TIME ZONE 'UTC' - interval '2 hours' THEN
    RAISE EXCEPTION 'the day % has not ended an hour ago', p_day;
  END IF;
  PERFORM pg_advisory_xact_lock(7322);
  SELECT * INTO v_last FROM reserves ORDER BY day DESC LIMIT 1;
  IF v_last.day >= p_day THEN
    RETURN false;
  END IF;
  INSERT INTO reserves (day, previous_hash, hash, body) VALUES (p_day, v_last.hash, v_hash, p_body);
  INSERT INTO reserve_openings (day, partner_id, client_id, pool_id, cash_halalas, gold_micrograms, salt)
  SELECT p_day, u.partner_id, p.client_id, u.pool_id, u.cash, u.gold, decode(u.salt, 'hex')
  FROM unnest(p_partner_ids, p_pool_ids, p_cash, p_gold, p_salts) AS u (partner_id, pool_id, cash, gold, salt)
  JOIN partners p USING (partner_id);
  IF v_last.day + 1 <> p_day OR v_body ->> 'day' IS DISTINCT FROM to_char(p_day, 'YYYY-MM-DD')
    OR v_body ->> 'previous' IS DISTINCT FROM v_last.hash
    OR (v_body #>> '{cash,bank}')::numeric * 100 IS DISTINCT FROM
      (SELECT amount_halalas FROM reserve_banks WHERE day = p_day)
    OR (SELECT count(*) FROM partners) <> cardinality(p_partner_ids)
    OR (
      SELECT (coalesce(jsonb_agg(to_jsonb(c.text) ORDER BY c.text COLLATE "C"), '[]'), coalesce(sum(cash_halalas), 0))
          IS DISTINCT FROM
        (v_body -> 'commitments', (v_body #>> '{cash,obligations}')::numeric * 100)
      FROM reserve_openings o, reserve_commitment(o.salt, o.client_id, o.day, o.cash_halalas, o.gold_micrograms) AS c (text)
      WHERE o.day = p_day
    )
    OR EXISTS (
      SELECT FROM (SELECT pool_id, sum(gold_micrograms) AS gold FROM reserve_openings WHERE day = p_day GROUP BY 1) o
      FULL JOIN (SELECT p ->> 'id' AS pool_id, (p ->> 'obligations_ug')::numeric AS gold
        FROM jsonb_array_elements(v_body -> 'pools') AS p) b USING (pool_id)
      WHERE coalesce(o.gold, 0) <> coalesce(b.gold, 0)
    )
  THEN
    RAISE EXCEPTION 'the reserve of % does not follow, or is not what its openings say', p_day;
  END IF;
  INSERT INTO audit_log (actor, action, detail)
  VALUES ('servers', 'reserve.made', json_build_object('from', 'the day''s closing', 'day', p_day,
    'partners', cardinality(p_partner_ids), 'sha256', v_hash)::text);
  RETURN true;
END $$;

-- What a partner's commitment of a day hides.
CREATE OR REPLACE FUNCTION find_reserve_opening(p_day date, p_partner_id integer)
RETURNS TABLE (client text, pool text, cash bigint, gold bigint, salt text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT client_id, pool_id, cash_halalas, gold_micrograms, encode(salt, 'hex') FROM reserve_openings
  WHERE day = p_day AND partner_id = p_partner_id
$$;

-- Keeps the operator's signature of a reserve, once.
CREATE OR REPLACE FUNCTION keep_reserve_signature(p_day date, p_jws text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO reserve_signatures (day, signer, jws) VALUES (p_day, 'operator', p_jws) ON CONFLICT DO NOTHING
$$;
