-- Recounts the vault and returns its differences, as ledger_differences.sql does for the ledger.
--
-- $1  the partner to count; null = all partners and the vault
--
-- A pool's totals are the sums of its bars and of its allocations, and the bars cover the allocations: to
-- partners of this database, and by grants to those of other cells, where allocations are the booked grants.
WITH home AS (
  SELECT coalesce((SELECT cell_id FROM deployment), 'main') <> 'main' AS is_cell
), grants AS (
  SELECT c.partner_id,
    sum(CASE WHEN c.name IN ('vault.allocate', 'partner.enter') THEN c.amount ELSE -c.amount END) AS granted
  FROM home, cell_acts c LEFT JOIN booked_acts b USING (partner_id, act_id)
  WHERE c.name IN ('vault.allocate', 'vault.release', 'partner.enter', 'partner.leave')
    -- Control counts a grant from its recording on, unless the cell refuses it.
    -- The allocations of control's own cell are in its accounts.
    AND c.cell_id <> 'main'
    AND 'booked' = CASE WHEN is_cell THEN b.result WHEN c.name IN ('vault.allocate', 'partner.enter')
      THEN coalesce(c.result, 'booked') ELSE c.result END
  GROUP BY c.partner_id
), own AS (
  SELECT v.*, p.pool_number, CASE pool_id WHEN 'main' THEN '' ELSE ' of ' || pool_id END AS of_pool
  FROM home, vault v JOIN pools p USING (pool_id) WHERE $1::integer IS NULL AND NOT is_cell
)

SELECT 'vault' AS "check", NULL::integer AS "partnerId", 'bars' || of_pool AS subject, b.weight::bigint AS expected,
  v.bars_micrograms::bigint AS actual
FROM own v, LATERAL (
  SELECT coalesce(sum(fine_micrograms), 0) AS weight FROM vault_bars
  WHERE pool_id = v.pool_id AND removed_at IS NULL AND encumbrance IS NULL
) b
WHERE v.bars_micrograms <> b.weight
UNION ALL
SELECT 'vault', NULL, 'promises' || of_pool, p.promised::bigint, v.allocated_micrograms::bigint
FROM own v, LATERAL (
  SELECT (SELECT coalesce(sum(gold_micrograms + allocation_micrograms), 0) FROM accounts
      WHERE pool_number = v.pool_number)
    + (SELECT coalesce(sum(granted), 0) FROM grants JOIN partners USING (partner_id)
      WHERE coalesce(partners.pool_number, 1) = v.pool_number) AS promised
) p
WHERE v.allocated_micrograms <> p.promised OR p.promised > v.bars_micrograms
UNION ALL
SELECT 'vault', a.partner_id, 'grants', coalesce(g.granted, 0)::bigint,
  (a.gold_micrograms + a.allocation_micrograms)::bigint
FROM home, accounts a LEFT JOIN grants g USING (partner_id)
WHERE is_cell AND ($1::integer IS NULL OR a.partner_id = $1::integer)
  AND a.gold_micrograms + a.allocation_micrograms <> coalesce(g.granted, 0)
