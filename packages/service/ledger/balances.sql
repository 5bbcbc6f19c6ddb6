-- Returns whether the caller may compare all balances now (Decision D48): no other instance is doing so,
-- and the last round began long enough ago. The turn lasts until the caller's transaction ends and is
-- recorded when that commits. The row is the lock: an advisory lock would exclude nobody in the
-- embedded database, where all callers share a session.
CREATE OR REPLACE FUNCTION take_balance_round(p_seconds_apart double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  PERFORM 1 FROM balance_round WHERE finished_at IS NULL
    OR abs(extract(epoch FROM v_now - finished_at)) >= p_seconds_apart
    FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  v_now := clock_timestamp();
  UPDATE balance_round SET finished_at = v_now;
  RETURN true;
END $$;

-- Compares the balances of the partners after a number, or of one partner, with the sums of their transfers,
-- and keeps the sums as a checkpoint, which only moves forward. It is one statement and so sees one
-- snapshot, in which a partner's accounts row and transfers agree: trading under way never
-- appears as a difference. `is_behind`: more than `p_transfers` transfers were left to count.
-- `differences`: rows of [account, sum of the transfers, balance]; also for the number of transfers, or
-- for their last number if that alone is wrong.
CREATE OR REPLACE FUNCTION check_balances(
  p_after integer, p_only integer, p_partners integer, p_transfers bigint
) RETURNS TABLE (partner integer, is_behind boolean, is_wrong boolean, is_new boolean, differences json)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET jit = off
AS $$
  WITH page AS MATERIALIZED (
    SELECT a.*, coalesce(c.up_to, 0) AS up_to, c.differs_since,
      coalesce(c.cash_halalas, 0) AS cash_before,
      coalesce(c.house_cash_halalas, 0) AS house_cash_before,
      coalesce(c.withdrawals_halalas, 0) AS withdrawals_before,
      coalesce(c.bank_halalas, 0) AS bank_before, coalesce(c.vat_halalas, 0) AS vat_before,
      coalesce(c.gold_micrograms, 0) AS gold_before,
      coalesce(c.allocation_micrograms, 0) AS allocation_before,
      coalesce(c.vault_micrograms, 0) AS vault_before
    FROM (
      SELECT * FROM accounts
      WHERE partner_id > p_after AND (p_only IS NULL OR partner_id = p_only)
      ORDER BY partner_id LIMIT p_partners
    ) a LEFT JOIN balance_checkpoints c USING (partner_id)
  ), counted AS MATERIALIZED (
    SELECT p.*, t.n, t.last, t.n = p_transfers AND up_to + t.n < last_transfer
        AND t.last = up_to + t.n AS is_behind,
      t.last <> up_to + t.n AS has_gap,
      cash_before + t.cash AS cash, house_cash_before + t.house_cash AS house_cash,
      withdrawals_before + t.withdrawals AS withdrawals, bank_before + t.bank AS bank,
      vat_before + t.vat AS vat, gold_before + t.gold AS gold, allocation_before + t.allocation AS allocation,
      vault_before + t.vault AS vault
    FROM page p, LATERAL (
      SELECT coalesce(sum(s.n), 0)::bigint AS n, coalesce(max(s.last), p.up_to) AS last,
        coalesce(sum(s.amount) FILTER (WHERE account = 'cash'), 0)::bigint AS cash,
        coalesce(sum(s.amount) FILTER (WHERE account = 'house_cash'), 0)::bigint AS house_cash,
        coalesce(sum(s.amount) FILTER (WHERE account = 'withdrawals'), 0)::bigint AS withdrawals,
        coalesce(sum(s.amount) FILTER (WHERE account = 'bank'), 0)::bigint AS bank,
        coalesce(sum(s.amount) FILTER (WHERE account = 'vat'), 0)::bigint AS vat,
        coalesce(sum(s.amount) FILTER (WHERE account = 'gold'), 0)::bigint AS gold,
        coalesce(sum(s.amount) FILTER (WHERE account = 'allocation'), 0)::bigint AS allocation,
        coalesce(sum(s.amount) FILTER (WHERE account = 'vault'), 0)::bigint AS vault
      FROM (
        SELECT asset, debit_account, credit_account, sum(amount) AS amount, count(*) AS n,
          max(number) AS last
        FROM (
          SELECT * FROM transfers t WHERE t.partner_id = p.partner_id
            AND t.number > p.up_to
          ORDER BY t.number LIMIT p_transfers
        ) later GROUP BY 1, 2, 3
      ) g, LATERAL (VALUES
        (g.credit_account, g.amount, g.n, g.last), (g.debit_account, -g.amount, 0, NULL)
      ) AS s (account, amount, n, last)
    ) t
  ), judged AS MATERIALIZED (
    SELECT *, NOT is_behind AND (has_gap OR up_to + n <> last_transfer
      OR (cash_halalas, house_cash_halalas, withdrawals_halalas, bank_halalas, vat_halalas, gold_micrograms,
          allocation_micrograms, vault_micrograms)
        <> (cash, house_cash, withdrawals, bank, vat, gold, allocation, vault)) AS is_wrong
    FROM counted
  ), kept AS (
    INSERT INTO balance_checkpoints (partner_id, up_to, cash_halalas, house_cash_halalas,
      withdrawals_halalas, bank_halalas, vat_halalas, gold_micrograms, allocation_micrograms, vault_micrograms,
      differs_since)
    SELECT partner_id, CASE WHEN is_wrong THEN up_to ELSE up_to + n END,
      CASE WHEN is_wrong THEN cash_before ELSE cash END,
      CASE WHEN is_wrong THEN house_cash_before ELSE house_cash END,
      CASE WHEN is_wrong THEN withdrawals_before ELSE withdrawals END,
      CASE WHEN is_wrong THEN bank_before ELSE bank END,
      CASE WHEN is_wrong THEN vat_before ELSE vat END,
      CASE WHEN is_wrong THEN gold_before ELSE gold END,
      CASE WHEN is_wrong THEN allocation_before ELSE allocation END,
      CASE WHEN is_wrong THEN vault_before ELSE vault END,
      CASE WHEN is_wrong THEN coalesce(differs_since, clock_timestamp())
        WHEN is_behind THEN differs_since END
    FROM judged
    WHERE CASE WHEN is_wrong THEN differs_since IS NULL ELSE n > 0 OR differs_since IS NOT NULL END
    ON CONFLICT (partner_id) DO UPDATE SET up_to = excluded.up_to,
      cash_halalas = excluded.cash_halalas, house_cash_halalas = excluded.house_cash_halalas,
      withdrawals_halalas = excluded.withdrawals_halalas, bank_halalas = excluded.bank_halalas,
      vat_halalas = excluded.vat_halalas, gold_micrograms = excluded.gold_micrograms,
      allocation_micrograms = excluded.allocation_micrograms,
      vault_micrograms = excluded.vault_micrograms, differs_since = excluded.differs_since
    WHERE balance_checkpoints.up_to <= excluded.up_to
  )
  SELECT partner_id, is_behind, is_wrong, differs_since IS NULL, CASE WHEN is_wrong THEN (
    SELECT json_agg(json_build_array(name, expected::text, actual::text))
    FROM (VALUES
      ('transfers', CASE WHEN up_to + n = last_transfer THEN last ELSE up_to + n END, last_transfer),
      ('cash', cash, cash_halalas), ('house_cash', house_cash, house_cash_halalas),
      ('withdrawals', withdrawals, withdrawals_halalas), ('bank', bank, bank_halalas),
      ('vat', vat, vat_halalas),
      ('gold', gold, gold_micrograms), ('allocation', allocation, allocation_micrograms),
      ('vault', vault, vault_micrograms)
    ) AS balances (name, expected, actual) WHERE expected <> actual
  ) END
  FROM judged ORDER BY partner_id
$$;

-- Suspends a partner whose balances are not the sums of its transfers (fault F26), in control, and writes
-- an audit entry with the caller's detail. For a partner of another cell the caller has compared the
-- balances there. Returns false and does nothing if the partner is suspended already or its balances are
-- right again.
CREATE OR REPLACE FUNCTION suspend_for_balances(p_partner_id integer, p_detail text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_revision bigint;
  v_cell text;
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE cell_id <> 'main') THEN
    RAISE EXCEPTION 'partners are suspended in control';
  END IF;
  SELECT cell_id INTO v_cell FROM partners WHERE partner_id = p_partner_id AND status = 'active'
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF v_cell = 'main' THEN
    -- This lock stops the partner's transfers; the balances may have been corrected meanwhile.
    PERFORM 1 FROM accounts WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
    PERFORM 1 FROM check_balances(-1, p_partner_id, 1, 20000) WHERE is_wrong;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
  END IF;
  UPDATE register_state SET revision = revision + 1 RETURNING revision INTO v_revision;
  UPDATE partners SET status = 'suspended', revision = v_revision WHERE partner_id = p_partner_id;
  INSERT INTO audit_log (at, actor, action, partner_id, detail)
  VALUES (date_trunc('milliseconds', clock_timestamp()), 'reconcile', 'partner.suspend',
    p_partner_id, p_detail);
  RETURN true;
END $$;
