-- Writes the closing balances of the oldest open day of some partners. Days are Riyadh's (UTC+3, Decision
-- D7); a day is closed if it has transfers and ended ten minutes ago, which is more than clocks differ
-- and orders take. Returns how many closings it wrote; zero if no day is open. A call ends once it has summed
-- `p_transfers`, since no statement may take long; so a busy day has several closings, each of a number.
CREATE OR REPLACE FUNCTION close_days(p_limit integer, p_transfers integer DEFAULT 100000) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_over timestamptz := date_trunc('day', service_time() - interval '10 minutes' + interval '3 hours', 'UTC')
    - interval '3 hours';
  v_open record;
  v_end timestamptz;
  v_next bigint;
  v_summed bigint := 0;
  v_closed integer := 0;
BEGIN
  FOR v_open IN
    SELECT a.partner_id, t.number, t.posted_at,
      coalesce(c.cash_halalas, 0) AS cash, coalesce(c.gold_micrograms, 0) AS gold
    FROM accounts a
    LEFT JOIN LATERAL (
      SELECT d.* FROM day_closings d WHERE d.partner_id = a.partner_id
      ORDER BY d.next_number DESC LIMIT 1
    ) c ON true
    JOIN transfers t ON t.partner_id = a.partner_id AND t.number = coalesce(c.next_number, 1)
    WHERE t.posted_at < v_over
    LIMIT p_limit
  LOOP
    v_end := date_trunc('day', v_open.posted_at + interval '3 hours', 'UTC') + interval '21 hours';
    v_next := least(greatest(first_transfer_at(v_open.partner_id, v_end), v_open.number + 1),
      v_open.number + p_transfers);
    INSERT INTO day_closings (partner_id, next_number, cash_halalas, gold_micrograms)
    SELECT v_open.partner_id, v_next,
      v_open.cash + coalesce(sum(CASE WHEN t.credit_account = 'cash' THEN t.amount
        WHEN t.debit_account = 'cash' THEN -t.amount END), 0),
      v_open.gold + coalesce(sum(CASE WHEN t.credit_account = 'gold' THEN t.amount
        WHEN t.debit_account = 'gold' THEN -t.amount END), 0)
    FROM transfers t
    WHERE t.partner_id = v_open.partner_id AND t.number >= v_open.number AND t.number < v_next
    ON CONFLICT DO NOTHING;
    v_closed := v_closed + 1;
    v_summed := v_summed + v_next - v_open.number;
    EXIT WHEN v_summed >= p_transfers;
  END LOOP;
  RETURN v_closed;
END $$;
