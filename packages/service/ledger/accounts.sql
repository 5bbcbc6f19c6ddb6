-- Opens a partner's accounts and its webhook lane, once, in the transaction that admits the partner, and
-- only in its own cell (Decision D53).
CREATE OR REPLACE FUNCTION open_accounts(p_partner_id integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM partners p WHERE p.partner_id = p_partner_id
    AND p.cell_id = coalesce((SELECT d.cell_id FROM deployment d), 'main');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'partner % is not of this cell', p_partner_id;
  END IF;
  INSERT INTO accounts (partner_id, pool_number)
  SELECT p_partner_id, coalesce(pool_number, 1) FROM partners WHERE partner_id = p_partner_id;
  INSERT INTO webhook_lanes (partner_id) VALUES (p_partner_id);
END $$;

-- In a cell a partner's row arrives as a copy of control's (Decision D53). For a partner that was admitted to
-- this cell, this trigger then opens its accounts. For a partner that has moved in or out, only the move
-- writes accounts, so the copies may be made anew during a move. Their pool follows: `set_pool_of_accounts`.
CREATE OR REPLACE FUNCTION open_accounts_of_copy() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.cell_id = (SELECT cell_id FROM deployment)
    AND NOT EXISTS (SELECT FROM accounts WHERE partner_id = NEW.partner_id)
    AND NOT EXISTS (SELECT FROM move_ends WHERE partner_id = NEW.partner_id) THEN
    INSERT INTO accounts (partner_id) VALUES (NEW.partner_id);
    INSERT INTO webhook_lanes (partner_id) VALUES (NEW.partner_id);
  END IF;
  RETURN NULL;
END $$;

-- Locks a partner's accounts until the caller's transaction ends. Every transaction takes this lock first.
CREATE OR REPLACE FUNCTION lock_accounts(p_partner_id integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM accounts WHERE partner_id = p_partner_id FOR NO KEY UPDATE;
END $$;

-- Posts one transfer and changes the two balances (Decision D37), outside the hot path.
CREATE OR REPLACE FUNCTION post_transfer(
  p_partner_id integer, p_asset text, p_debit text, p_credit text, p_amount bigint,
  p_source_kind text, p_source_id uuid
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_number bigint;
BEGIN
  IF NOT (ARRAY[p_debit, p_credit] <@ CASE p_asset
      WHEN 'SAR' THEN ARRAY['cash', 'house_cash', 'withdrawals', 'bank']
      ELSE ARRAY['gold', 'allocation', 'vault'] END) THEN
    RAISE EXCEPTION 'no two accounts of %: % and %', p_asset, p_debit, p_credit;
  END IF;
  UPDATE accounts a SET last_transfer = last_transfer + 1,
    cash_halalas = cash_halalas + m.cash, house_cash_halalas = house_cash_halalas + m.house_cash,
    withdrawals_halalas = withdrawals_halalas + m.withdrawals, bank_halalas = bank_halalas + m.bank,
    gold_micrograms = gold_micrograms + m.gold,
    allocation_micrograms = allocation_micrograms + m.allocation,
    vault_micrograms = vault_micrograms + m.vault
  FROM (
    SELECT coalesce(sum(moved) FILTER (WHERE account = 'cash'), 0) AS cash,
      coalesce(sum(moved) FILTER (WHERE account = 'house_cash'), 0) AS house_cash,
      coalesce(sum(moved) FILTER (WHERE account = 'withdrawals'), 0) AS withdrawals,
      coalesce(sum(moved) FILTER (WHERE account = 'bank'), 0) AS bank,
      coalesce(sum(moved) FILTER (WHERE account = 'gold'), 0) AS gold,
      coalesce(sum(moved) FILTER (WHERE account = 'allocation'), 0) AS allocation,
      coalesce(sum(moved) FILTER (WHERE account = 'vault'), 0) AS vault
    FROM (VALUES (p_debit, -p_amount), (p_credit, p_amount)) AS sides (account, moved)
  ) m
  WHERE a.partner_id = p_partner_id RETURNING a.last_transfer INTO v_number;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'partner % has no accounts', p_partner_id;
  END IF;
  INSERT INTO transfers (partner_id, number, amount, posted_at, source_id, asset, debit_account,
    credit_account, source_kind)
  VALUES (p_partner_id, v_number, p_amount, date_trunc('milliseconds', service_time()),
    p_source_id, p_asset, p_debit, p_credit, p_source_kind);
END $$;
