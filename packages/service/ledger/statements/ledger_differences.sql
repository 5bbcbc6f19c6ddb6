-- Recounts the whole ledger (invariants I1 to I4, I14; fault F26) and returns its differences. `subject`
-- names an account, an asset, a table or an id, `expected` the value it should have.
--
-- $1  the partner to count; null = all of them
-- $2  true = only rows since the last recount that was kept (`keep_recount`), starting from its balances
WITH a AS MATERIALIZED (
  SELECT a.*, coalesce(r.since, '-infinity') AS since,
    coalesce(r.first_transfer, 1) AS first_transfer, coalesce(r.first_event, 1) AS first_event,
    -- A generation ends before the next one begins: all generations before one with an old key are older.
    (SELECT coalesce(max(g), 1) FROM generate_series(r.first_generation::integer, key_generation(a.last_key)) g
      WHERE g = r.first_generation OR (SELECT k.created_at FROM trade_keys k
        WHERE k.partner_id = a.partner_id AND k.generation = g LIMIT 1)
          < r.since - interval '10 minutes') AS first_generation,
    -- Ids begin with the time of the request, which may wait for a batch, and clocks differ.
    coalesce((lpad(to_hex((extract(epoch FROM r.since) * 1000)::bigint - 600000), 12, '0')
      || repeat('0', 20)), repeat('0', 32))::uuid AS first_id,
    coalesce(r.cash_halalas, 0) AS cash_before,
    coalesce(r.house_cash_halalas, 0) AS house_cash_before,
    coalesce(r.withdrawals_halalas, 0) AS withdrawals_before,
    coalesce(r.bank_halalas, 0) AS bank_before, coalesce(r.vat_halalas, 0) AS vat_before, coalesce(r.gold_micrograms, 0) AS gold_before,
    coalesce(r.allocation_micrograms, 0) AS allocation_before,
    coalesce(r.vault_micrograms, 0) AS vault_before
  FROM accounts a LEFT JOIN recounts r ON r.partner_id = a.partner_id AND $2::boolean
  WHERE $1::integer IS NULL OR a.partner_id = $1::integer
),

-- A whole recount reads each table in one scan; a recount of new rows looks them up by partner. The planner
-- cannot know how few the new rows are, so OFFSET 0 keeps it from choosing the join itself.
t AS MATERIALIZED (
  SELECT t.* FROM a JOIN transfers t ON t.partner_id = a.partner_id WHERE NOT $2::boolean
  UNION ALL
  SELECT t.* FROM a CROSS JOIN LATERAL (SELECT * FROM transfers t
    WHERE t.partner_id = a.partner_id AND t.number >= a.first_transfer OFFSET 0) t WHERE $2::boolean
), o AS MATERIALIZED (
  SELECT o.*, o.xmin::text AS written_by FROM a JOIN orders o ON o.partner_id = a.partner_id
  WHERE NOT $2::boolean
  UNION ALL
  SELECT o.* FROM a CROSS JOIN LATERAL (SELECT *, xmin::text AS written_by FROM orders o
    WHERE o.partner_id = a.partner_id AND o.order_id >= a.first_id AND o.executed_at >= a.since
    OFFSET 0) o WHERE $2::boolean
), e AS MATERIALIZED (
  SELECT e.partner_id, e.sequence, e.type, e.resource_id, e.xmin::text AS written_by, true AS is_new
  FROM a JOIN events e ON e.partner_id = a.partner_id WHERE NOT $2::boolean
  UNION ALL
  SELECT e.partner_id, e.sequence, e.type, e.resource_id, e.written_by, e.created_at >= a.since
  FROM a CROSS JOIN LATERAL (SELECT *, xmin::text AS written_by FROM events e
    WHERE e.partner_id = a.partner_id AND e.sequence >= a.first_event OFFSET 0) e WHERE $2::boolean
), k AS MATERIALIZED (
  SELECT k.partner_id, k.key_hash, k.resource_kind, k.resource_id
  FROM a JOIN ONLY idempotency_keys k ON k.partner_id = a.partner_id AND k.created_at >= a.since
  UNION ALL
  SELECT k.partner_id, k.key_hash, k.resource_kind, k.resource_id
  FROM a JOIN trade_keys k ON k.partner_id = a.partner_id WHERE NOT $2::boolean
  UNION ALL
  SELECT k.partner_id, k.key_hash, k.resource_kind, k.resource_id
  FROM a CROSS JOIN LATERAL (SELECT * FROM trade_keys k WHERE k.partner_id = a.partner_id
    AND k.generation >= a.first_generation AND k.created_at >= a.since OFFSET 0) k WHERE $2::boolean
),
-- The quotes to be counted, and those that the counted orders took, which may be older.
asked AS MATERIALIZED (
  SELECT q.partner_id, q.quote_id FROM a JOIN quotes q ON q.partner_id = a.partner_id
  WHERE NOT $2::boolean AND q.created_at > now() - interval '30 days'
  UNION ALL
  SELECT q.partner_id, q.quote_id FROM a CROSS JOIN LATERAL (SELECT * FROM quotes q
    WHERE q.partner_id = a.partner_id AND q.quote_id >= a.first_id
      AND q.created_at >= a.since AND q.created_at > now() - interval '30 days' OFFSET 0) q WHERE $2::boolean
), q AS MATERIALIZED (
  SELECT o.order_id, q.* FROM o JOIN quotes q ON q.partner_id = o.partner_id AND q.quote_id = o.quote_id
  WHERE NOT $2::boolean
  UNION ALL
  SELECT o.order_id, q.* FROM o CROSS JOIN LATERAL (SELECT * FROM quotes q
    WHERE q.partner_id = o.partner_id AND q.quote_id = o.quote_id OFFSET 0) q WHERE $2::boolean
),
-- The mid prices that the counted orders' quotes name. A price is gone with its month if that ended over a year ago and
-- has none at all: `maintain_price_partitions` drops no younger ones.
m AS MATERIALIZED (
  SELECT n.price_number, p.mid_ten_thousandths AS mid, p.price_number IS NULL
    AND t.next_ms < extract(epoch FROM now() - interval '365 days') * 1000 AND NOT EXISTS (SELECT FROM prices
      WHERE price_number >= t.first_ms * 1000 AND price_number < t.next_ms * 1000) AS is_gone
  FROM (SELECT DISTINCT q.price_number FROM q) n
  CROSS JOIN LATERAL month_at(n.price_number / 1000) t
  LEFT JOIN LATERAL (SELECT * FROM prices p WHERE p.price_number = n.price_number OFFSET 0) p ON true
),

-- Each balance is the sum of its transfers, and each asset sums to zero.
kept AS (
  SELECT a.partner_id, b.asset, b.account, b.balance, b.before FROM a, LATERAL (VALUES
    ('SAR', 'cash', cash_halalas, cash_before),
    ('SAR', 'house_cash', house_cash_halalas, house_cash_before),
    ('SAR', 'withdrawals', withdrawals_halalas, withdrawals_before),
    ('SAR', 'bank', bank_halalas, bank_before), ('SAR', 'vat', vat_halalas, vat_before),
    ('XAU', 'gold', gold_micrograms, gold_before),
    ('XAU', 'allocation', allocation_micrograms, allocation_before),
    ('XAU', 'vault', vault_micrograms, vault_before)) AS b (asset, account, balance, before)
), moved AS (
  SELECT m.partner_id, m.asset, m.account, sum(m.amount) AS balance FROM (
    SELECT t.partner_id, t.asset, t.credit_account AS account, t.amount FROM t
    UNION ALL SELECT t.partner_id, t.asset, t.debit_account, -t.amount FROM t
    UNION ALL SELECT k.partner_id, k.asset, k.account, k.before FROM kept k
  ) m GROUP BY 1, 2, 3
), wrong_balances AS (
  SELECT 'balance', partner_id, account, m.balance, coalesce(k.balance, 0)
  FROM moved m LEFT JOIN kept k USING (partner_id, asset, account) WHERE m.balance IS DISTINCT FROM k.balance
  UNION ALL
  SELECT 'sum', NULL, k.asset, 0, sum(k.balance) FROM kept k
  GROUP BY k.asset HAVING sum(k.balance) <> 0
),

-- Transfers and events are numbered without gaps.
numbers AS (
  SELECT 'transfers' AS subject, t.partner_id, count(*) AS n, max(t.number) AS last
  FROM t GROUP BY t.partner_id
  UNION ALL
  SELECT 'events', e.partner_id, count(*), max(e.sequence) FROM e GROUP BY e.partner_id
), wrong_numbers AS (
  SELECT 'numbers', c.partner_id, subject, c.last, c.before + coalesce(n.n, 0)
  FROM (
    SELECT a.partner_id, 'transfers' AS subject, a.last_transfer AS last,
      a.first_transfer - 1 AS before FROM a
    UNION ALL SELECT a.partner_id, 'events', a.last_event, a.first_event - 1 FROM a
  ) c LEFT JOIN numbers n USING (partner_id, subject)
  WHERE c.last <> c.before + coalesce(n.n, 0) OR c.last <> coalesce(n.last, c.before)
),

-- Each order has its transfers of money and gold, in the right direction, and one of its VAT, if there is any. Those
-- from before VAT had an account, and those of their quotes, may have none.
booked AS (
  -- The cash that the partner paid and the gold it got; negative for a sale.
  SELECT t.partner_id, t.source_id, count(*) AS n,
    sum(CASE WHEN (asset, debit_account, credit_account) = ('SAR', 'cash', 'house_cash')
        THEN amount
      WHEN (asset, debit_account, credit_account) = ('SAR', 'house_cash', 'cash')
        THEN -amount END) AS paid,
    sum(CASE WHEN (asset, debit_account, credit_account) = ('XAU', 'allocation', 'gold')
        THEN amount
      WHEN (asset, debit_account, credit_account) = ('XAU', 'gold', 'allocation')
        THEN -amount END) AS got,
    sum(amount) FILTER (WHERE (asset, debit_account, credit_account) = ('SAR', 'house_cash', 'vat')) AS taxed
  FROM t WHERE source_kind = 'order' GROUP BY 1, 2
), wrong_orders AS (
  SELECT 'orders', o.partner_id, o.order_id::text, o.total_halalas, coalesce(abs(b.paid), 0)
  FROM (SELECT o.*, CASE side WHEN 'buy' THEN 1 ELSE -1 END AS sign FROM o) o
  LEFT JOIN booked b ON b.partner_id = o.partner_id AND b.source_id = o.order_id
  WHERE b.n IS DISTINCT FROM 2 + (b.taxed IS NOT NULL)::integer
    OR (b.taxed IS DISTINCT FROM nullif(o.vat_halalas, 0)
      AND (b.taxed IS NOT NULL OR o.fee_vat_halalas IS NOT NULL))
    OR b.paid IS DISTINCT FROM o.sign * o.total_halalas
    OR b.got IS DISTINCT FROM o.sign * o.gold_micrograms
),

-- Each order has the terms of its quote.
wrong_terms AS (
  SELECT 'terms', o.partner_id, o.order_id::text, coalesce(q.total_halalas, 0), o.total_halalas
  FROM o LEFT JOIN q ON q.partner_id = o.partner_id AND q.order_id = o.order_id
  WHERE (q.side, q.gold_micrograms, q.price_ten_thousandths, q.fee_halalas, q.vat_halalas,
      q.total_halalas)
    IS DISTINCT FROM (o.side, o.gold_micrograms, o.price_ten_thousandths, o.fee_halalas,
      o.vat_halalas, o.total_halalas)
    -- Orders from before parts were kept have none.
    OR o.fee_vat_ppm IS NOT NULL AND (q.price_number, q.mid_ten_thousandths, q.spread_ppm, q.fee_ppm, q.gold_vat_ppm,
      q.vat_ppm, q.fee_vat_halalas, q.price_as_of, q.price_source, q.discloses_spread)
    IS DISTINCT FROM (o.price_number, o.mid_ten_thousandths, o.spread_ppm, o.fee_ppm, o.gold_vat_ppm,
      o.fee_vat_ppm, o.fee_vat_halalas, o.price_as_of, o.price_source, o.discloses_spread)
),

-- Each order names a version that was in force then, by clocks that may differ; a cell gets versions a moment later.
wrong_titles AS (
  SELECT 'titles', o.partner_id, o.order_id::text, coalesce(v.version_id, 0), o.pool_version_id
  FROM o LEFT JOIN pool_versions v ON v.version_id = o.pool_version_id
  LEFT JOIN pool_versions later ON later.pool_id = v.pool_id AND later.number = v.number + 1
  WHERE o.pool_version_id IS NOT NULL AND (v.version_id IS NULL OR v.made_at > o.executed_at + interval '10 minutes'
    OR later.made_at < o.executed_at - interval '10 minutes')
),

-- Each quote has the terms that follow from the price it names (Decision D88), or from its own once that is gone. Only
-- those name none that were made before prices were recorded here, or in the cell that the partner came from.
priced AS (
  SELECT q.*, CASE WHEN m.is_gone THEN q.mid_ten_thousandths ELSE m.mid END AS mid,
    (m.is_gone AND q.mid_ten_thousandths IS NULL) IS TRUE
    OR q.price_number IS NULL AND NOT coalesce(q.created_at > greatest(s.began,
      (SELECT max(e.at) FROM move_ends e WHERE e.partner_id = q.partner_id AND e.side = 'entered')), false) AS is_old
  FROM q LEFT JOIN m USING (price_number) CROSS JOIN (
    -- The first price may be gone.
    SELECT least((SELECT arrived_at + interval '1 minute' FROM prices WHERE price_number % 1000 = place_of_cell()
        ORDER BY price_number LIMIT 1),
      (SELECT applied_at + interval '1 day' FROM schema_steps WHERE name = '0003_recorded_prices')) AS began
  ) s
), wrong_prices AS (
  SELECT 'prices', q.partner_id, q.order_id::text, coalesce(t.total, 0), q.total_halalas
  FROM priced q
  CROSS JOIN LATERAL price_terms(q.side, q.gold_micrograms, q.mid, q.spread_ppm, q.fee_ppm,
    coalesce(q.gold_vat_ppm, q.vat_ppm), q.vat_ppm) t
  WHERE NOT q.is_old AND (t.price, t.fee, t.fee_vat, t.vat, t.total, q.mid) IS DISTINCT FROM
    (q.price_ten_thousandths, q.fee_halalas, coalesce(q.fee_vat_halalas, t.fee_vat), q.vat_halalas, q.total_halalas,
      coalesce(q.mid_ten_thousandths, q.mid))
),
-- Not a difference: how many orders have no price to be recounted against.
unpriced AS (
  SELECT 'unpriced', q.partner_id, 'orders', 0, count(*) FROM priced q WHERE q.is_old GROUP BY q.partner_id
),

-- The balances that an order or a funding shows are those after its transfers.
running AS (
  SELECT t.partner_id, t.source_id, t.source_kind, t.asset,
    a.cash_before + coalesce(sum(CASE 'cash' WHEN t.credit_account THEN t.amount
      WHEN t.debit_account THEN -t.amount END) OVER numbered, 0) AS cash,
    a.gold_before + coalesce(sum(CASE 'gold' WHEN t.credit_account THEN t.amount
      WHEN t.debit_account THEN -t.amount END) OVER numbered, 0) AS gold
  FROM t JOIN a ON a.partner_id = t.partner_id WINDOW numbered AS (PARTITION BY t.partner_id ORDER BY t.number ROWS UNBOUNDED PRECEDING)
), wrong_answers AS (
  SELECT 'answers', o.partner_id, s.account || ' after order ' || o.order_id, s.there, s.shown
  FROM o
  -- An order's cash transfer comes before its gold transfer.
  JOIN running r ON r.partner_id = o.partner_id AND r.source_id = o.order_id
    AND r.source_kind = 'order' AND r.asset = 'XAU'
  CROSS JOIN LATERAL (VALUES
    ('cash', r.cash, o.cash_after_halalas), ('gold', r.gold, o.gold_after_micrograms)) AS s (account, there, shown)
  WHERE s.there <> s.shown
  UNION ALL
  SELECT 'answers', f.partner_id, 'cash after funding ' || f.funding_id, r.cash, f.cash_after_halalas
  FROM fundings f
  JOIN running r ON r.partner_id = f.partner_id AND r.source_id = f.funding_id
    AND r.source_kind = 'funding'
  WHERE r.cash <> f.cash_after_halalas
),

-- Each order was received before its quote's end (Decision D12): its id begins with that moment, in
-- milliseconds.
wrong_times AS (
  SELECT 'times', r.partner_id, r.order_id::text, r.expires_ms, r.received_ms
  FROM (
    SELECT q.partner_id, q.order_id, (extract(epoch FROM q.expires_at) * 1000)::bigint AS expires_ms,
      ('x' || replace(q.order_id::text, '-', ''))::bit(48)::bigint AS received_ms
    FROM q
  ) r
  WHERE r.received_ms >= r.expires_ms
),

-- Each resource that a partner created has its Idempotency-Key; a withdrawal that it cancelled has a
-- second one. Keys of quotes and sandbox fundings are kept for at least 30 days (Decision D29).
wrong_keys AS (
  SELECT 'keys', m.partner_id, m.kind || ' ' || m.id, 1, coalesce(k.n, 0)
  FROM (
    SELECT o.partner_id, 'order' AS kind, o.order_id AS id, 1 AS most FROM o
    UNION ALL
    SELECT w.partner_id, 'withdrawal', w.withdrawal_id,
      CASE w.status WHEN 'cancelled' THEN 2 ELSE 1 END
    FROM a JOIN withdrawals w ON w.partner_id = a.partner_id AND w.created_at >= a.since
    UNION ALL
    SELECT f.partner_id, 'funding', f.funding_id, 1
    FROM a JOIN fundings f ON f.partner_id = a.partner_id AND f.created_at >= a.since
    WHERE f.reference IS NULL AND f.created_at > now() - interval '30 days'
    UNION ALL
    SELECT q.partner_id, 'quote', q.quote_id, 1 FROM asked q
  ) m
  LEFT JOIN (
    SELECT k.partner_id, k.resource_kind, k.resource_id, count(*) AS n FROM k GROUP BY 1, 2, 3
  ) k ON (k.partner_id, k.resource_kind, k.resource_id) = (m.partner_id, m.kind, m.id)
  WHERE k.n IS NULL OR k.n > m.most
),

-- A key exists in one generation only.
wrong_key_counts AS (
  SELECT 'keys', k.partner_id, 'key ' || encode(k.key_hash, 'hex'), 1, count(*) FROM k
  GROUP BY k.partner_id, k.key_hash HAVING count(*) > 1
),

-- Each order has its nonce as long as nonces are retained: one transaction wrote both, and their rows carry
-- its number (xmin). After a copy by rows the numbers of an order and its event differ, and such orders are
-- not checked.
wrong_nonces AS (
  SELECT 'nonces', b.partner_id, 'orders of transaction ' || b.xmin, b.n, coalesce(s.n, 0)
  FROM (
    SELECT o.partner_id, o.written_by AS xmin, count(*) AS n
    FROM o
    JOIN e ON e.partner_id = o.partner_id AND e.resource_id = o.order_id
      AND e.type = 'order.executed' AND e.written_by = o.written_by
    WHERE o.order_id >= (
      SELECT (lpad(to_hex((min(substr(c.relname, 8)::bigint) + 600) * 1000), 12, '0')
        || repeat('0', 20))::uuid
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'nonces'::regclass
    )
    GROUP BY 1, 2
  ) b
  LEFT JOIN (
    SELECT s.partner_id, s.xmin::text AS xmin, count(*) AS n FROM nonces s
    WHERE ($1::integer IS NULL OR s.partner_id = $1::integer)
      -- A signed timestamp is at most five minutes off.
      AND s.timestamp_seconds >=
        (SELECT extract(epoch FROM greatest(min(a.since), 'epoch')) - 600 FROM a)::bigint
    GROUP BY 1, 2
  ) s ON s.partner_id = b.partner_id AND s.xmin = b.xmin
  WHERE s.n IS NULL OR b.n > s.n
),

-- Each day's closing balances are those of the day before plus the day's transfers.
closed AS (
  SELECT d.*, lag(next_number, 1, 1::bigint) OVER days AS first_number,
    cash_halalas - lag(cash_halalas, 1, 0::bigint) OVER days AS cash,
    gold_micrograms - lag(gold_micrograms, 1, 0::bigint) OVER days AS gold
  FROM day_closings d WHERE $1::integer IS NULL OR d.partner_id = $1::integer
  WINDOW days AS (PARTITION BY d.partner_id ORDER BY d.next_number)
), wrong_closings AS (
  SELECT 'closings', c.partner_id, k.account || ' before ' || c.next_number,
    coalesce(sum(CASE WHEN t.credit_account = k.account THEN t.amount
      WHEN t.debit_account = k.account THEN -t.amount END), 0), k.moved
  FROM closed c JOIN a ON a.partner_id = c.partner_id AND a.first_transfer <= c.first_number
  CROSS JOIN LATERAL (VALUES ('cash', c.cash), ('gold', c.gold)) AS k (account, moved)
  LEFT JOIN t ON t.partner_id = c.partner_id
    AND t.number >= c.first_number AND t.number < c.next_number
  GROUP BY c.partner_id, c.next_number, k.account, k.moved
  HAVING coalesce(sum(CASE WHEN t.credit_account = k.account THEN t.amount
    WHEN t.debit_account = k.account THEN -t.amount END), 0) <> k.moved
),

-- Each order has its event.
wrong_events AS (
  SELECT 'events', partner_id, 'order.executed', made.n, coalesce(written.n, 0)
  FROM (SELECT o.partner_id, count(*) AS n FROM o GROUP BY 1) made
  LEFT JOIN (
    SELECT e.partner_id, count(DISTINCT e.resource_id) AS n FROM e
    WHERE e.type = 'order.executed' AND e.is_new GROUP BY 1
  ) written USING (partner_id)
  WHERE made.n IS DISTINCT FROM written.n
),

-- Each funding has its transfer, and each withdrawal those of its status.
banked AS (
  SELECT t.partner_id, t.source_id, count(*) AS n,
    sum(amount) FILTER (WHERE (source_kind, debit_account, credit_account)
      = ('funding', 'bank', 'cash')) AS funded,
    sum(amount) FILTER (WHERE (source_kind, debit_account, credit_account)
      = ('withdrawal', 'cash', 'withdrawals')) AS held,
    sum(amount) FILTER (WHERE (source_kind, debit_account, credit_account)
      = ('withdrawal_payout', 'withdrawals', 'bank')) AS paid,
    sum(amount) FILTER (WHERE (source_kind, debit_account, credit_account)
      = ('withdrawal_return', 'withdrawals', 'cash')) AS returned
  FROM t WHERE source_kind IN
    ('funding', 'withdrawal', 'withdrawal_payout', 'withdrawal_return') GROUP BY 1, 2
), wrong_fundings AS (
  SELECT 'fundings', f.partner_id, f.funding_id::text, f.amount_halalas, coalesce(b.funded, 0)
  FROM a JOIN fundings f ON f.partner_id = a.partner_id AND f.created_at >= a.since
  LEFT JOIN banked b ON b.partner_id = f.partner_id AND b.source_id = f.funding_id
  WHERE (b.n, b.funded) IS DISTINCT FROM (1, f.amount_halalas)
), wrong_withdrawals AS (
  SELECT 'withdrawals', w.partner_id, w.withdrawal_id::text, w.amount_halalas,
    coalesce(b.held, 0)
  FROM a JOIN withdrawals w ON w.partner_id = a.partner_id AND w.created_at >= a.since
  LEFT JOIN banked b ON b.partner_id = w.partner_id AND b.source_id = w.withdrawal_id
  WHERE (b.held, b.paid, b.returned, b.n) IS DISTINCT FROM (w.amount_halalas,
      CASE WHEN w.status = 'completed' THEN w.amount_halalas END,
      CASE WHEN w.status IN ('failed', 'cancelled') THEN w.amount_halalas END,
      CASE WHEN w.status IN ('pending', 'processing') THEN 1 ELSE 2 END)
),

-- The cash held for withdrawals is the sum of the open withdrawals.
wrong_holds AS (
  SELECT 'withdrawals', a.partner_id, 'held', coalesce(w.held, 0), a.withdrawals_halalas
  FROM a LEFT JOIN (
    SELECT w.partner_id, sum(w.amount_halalas) AS held FROM withdrawals w
    WHERE w.status IN ('pending', 'processing') GROUP BY 1
  ) w ON w.partner_id = a.partner_id
  WHERE a.withdrawals_halalas <> coalesce(w.held, 0)
)

SELECT d."check", d.partner_id AS "partnerId", d.subject, d.expected::bigint,
  d.actual::bigint
FROM (
  SELECT * FROM wrong_balances
  UNION ALL SELECT * FROM wrong_numbers
  UNION ALL SELECT * FROM wrong_orders
  UNION ALL SELECT * FROM wrong_terms
  UNION ALL SELECT * FROM wrong_titles
  UNION ALL SELECT * FROM wrong_prices
  UNION ALL SELECT * FROM unpriced
  UNION ALL SELECT * FROM wrong_answers
  UNION ALL SELECT * FROM wrong_times
  UNION ALL SELECT * FROM wrong_keys
  UNION ALL SELECT * FROM wrong_key_counts
  UNION ALL SELECT * FROM wrong_nonces
  UNION ALL SELECT * FROM wrong_closings
  UNION ALL SELECT * FROM wrong_events
  UNION ALL SELECT * FROM wrong_fundings
  UNION ALL SELECT * FROM wrong_withdrawals
  UNION ALL SELECT * FROM wrong_holds
) AS d ("check", partner_id, subject, expected, actual)
