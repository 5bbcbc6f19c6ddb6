-- Records how far a whole recount without differences has counted (Decision D60). It is called in the
-- recount's own transaction and so sees its snapshot. Rows older than a minute are in the snapshot, because
-- no write takes that long; younger rows are counted again. The margins: some events are dated by servers'
-- clocks, and no partner makes five million keys in a minute.
CREATE OR REPLACE FUNCTION keep_recount() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO recounts (partner_id, since, first_transfer, first_event, first_generation, cash_halalas,
    house_cash_halalas, withdrawals_halalas, bank_halalas, vat_halalas, gold_micrograms, allocation_micrograms,
    vault_micrograms)
  SELECT a.partner_id, n.since, f.transfer, first_event_at(a.partner_id, n.since - interval '5 s'),
    key_generation(greatest(0, a.last_key - 5000000)), a.cash_halalas - m.cash,
    a.house_cash_halalas - m.house_cash, a.withdrawals_halalas - m.withdrawals,
    a.bank_halalas - m.bank, a.vat_halalas - m.vat, a.gold_micrograms - m.gold, a.allocation_micrograms - m.allocation,
    a.vault_micrograms - m.vault
  FROM accounts a
  CROSS JOIN (SELECT date_trunc('milliseconds', now()) - interval '1 minute' AS since) n
  CROSS JOIN LATERAL (SELECT first_transfer_at(a.partner_id, n.since) AS transfer) f
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(moved) FILTER (WHERE account = 'cash'), 0) AS cash,
      coalesce(sum(moved) FILTER (WHERE account = 'house_cash'), 0) AS house_cash,
      coalesce(sum(moved) FILTER (WHERE account = 'withdrawals'), 0) AS withdrawals,
      coalesce(sum(moved) FILTER (WHERE account = 'bank'), 0) AS bank,
      coalesce(sum(moved) FILTER (WHERE account = 'vat'), 0) AS vat,
      coalesce(sum(moved) FILTER (WHERE account = 'gold'), 0) AS gold,
      coalesce(sum(moved) FILTER (WHERE account = 'allocation'), 0) AS allocation,
      coalesce(sum(moved) FILTER (WHERE account = 'vault'), 0) AS vault
    FROM transfers t, LATERAL (VALUES
      (t.credit_account, t.amount), (t.debit_account, -t.amount)) AS sides (account, moved)
    WHERE t.partner_id = a.partner_id AND t.number >= f.transfer
  ) m
  ON CONFLICT (partner_id) DO UPDATE SET since = excluded.since,
    first_transfer = excluded.first_transfer, first_event = excluded.first_event,
    first_generation = excluded.first_generation, cash_halalas = excluded.cash_halalas,
    house_cash_halalas = excluded.house_cash_halalas,
    withdrawals_halalas = excluded.withdrawals_halalas, bank_halalas = excluded.bank_halalas,
    vat_halalas = excluded.vat_halalas,
    gold_micrograms = excluded.gold_micrograms,
    allocation_micrograms = excluded.allocation_micrograms,
    vault_micrograms = excluded.vault_micrograms
$$;

-- Keeps the result of a recount of the books, and the 99 results before it (Decision D60).
CREATE OR REPLACE FUNCTION keep_recount_result(p_who text, p_client_id text, p_since timestamptz,
  p_duration_ms integer, p_partners integer, p_difference_count integer, p_differences jsonb)
RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM recount_results WHERE recount_id IN (
    SELECT recount_id FROM recount_results ORDER BY finished_at DESC OFFSET 99);
  INSERT INTO recount_results (who, client_id, since, duration_ms, partners, difference_count,
    differences)
  VALUES (p_who, p_client_id, p_since, p_duration_ms, p_partners, p_difference_count, p_differences)
$$;
