-- Moving a partner's rows from one cell to another (Decision D53). A partner is at home in the cell that has
-- its accounts row, of which there is at most one. `leave_cell` deletes it in the cell that the partner
-- leaves; `enter_cell` makes it again in the other, once, and only if control's directory names that cell.
-- Rows that never change also stay in the old cell, where nothing reads them.

-- Raises an error unless control has recorded a move of the partner (null for any partner) to this cell, or from
-- it, which has not been carried out here: `p_side` is `entered` or `left`, `p_move_id` null for any move. Whoever
-- recorded the move needed an act (Decision D89). The owner is not held back. Nor is anybody else moving the partner
-- (`hold_moves.sql`).
CREATE OR REPLACE FUNCTION demand_move(p_move_id uuid, p_partner_id integer, p_side text) RETURNS void
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_partner_id IS NOT NULL THEN
    PERFORM demand_hold(p_partner_id);
  END IF;
  IF NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'move_ends'::regclass), 'MEMBER')
    AND NOT EXISTS (SELECT FROM partner_moves m
      WHERE m.move_id = coalesce(p_move_id, m.move_id) AND m.step <> 'cancelled'
        AND m.partner_id = coalesce(p_partner_id, m.partner_id)
        AND CASE p_side WHEN 'left' THEN m.from_cell ELSE m.to_cell END
          = coalesce((SELECT cell_id FROM deployment), 'main')
        AND NOT EXISTS (SELECT FROM move_ends e WHERE e.move_id = m.move_id AND e.side = p_side))
  THEN
    RAISE EXCEPTION 'no act moves partner %', p_partner_id
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'facts_by_acts';
  END IF;
END $$;

-- Writes rows of one table from the cell that the partner is to leave; `p_rows` is a JSON array as text. Rows
-- that exist already stay; where rows may change, the later state is kept. Raises an error if the partner is
-- at home here. Returns how many of the rows are now here exactly as passed.
CREATE OR REPLACE FUNCTION receive_rows(p_partner_id integer, p_table text, p_rows text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_key text := CASE p_table
    WHEN 'quotes' THEN 'quote_id' WHEN 'orders' THEN 'order_id' WHEN 'transfers' THEN 'number'
    WHEN 'events' THEN 'sequence' WHEN 'trade_keys' THEN 'generation, key_hash'
    WHEN 'idempotency_keys' THEN 'key_hash' WHEN 'nonces' THEN 'timestamp_seconds, nonce_hash'
    WHEN 'fundings' THEN 'funding_id' WHEN 'withdrawals' THEN 'withdrawal_id'
    WHEN 'day_closings' THEN 'next_number' WHEN 'balance_checkpoints' THEN 'partner_id'
    WHEN 'receipts' THEN 'order_id' WHEN 'evidence' THEN 'evidence_id' WHEN 'evidence_days' THEN 'day'
    WHEN 'event_deliveries' THEN 'sequence' WHEN 'webhook_attempts' THEN 'sequence, attempted_at'
  END;
  v_change text;
  v_same bigint;
BEGIN
  IF v_key IS NULL THEN
    RAISE EXCEPTION 'no rows of % are moved', p_table;
  END IF;
  IF EXISTS (SELECT FROM accounts WHERE partner_id = p_partner_id) THEN
    RAISE EXCEPTION 'partner % is at home here', p_partner_id;
  END IF;
  PERFORM demand_move(NULL, p_partner_id, 'entered');
  IF p_table = 'nonces' THEN
    PERFORM ensure_nonce_partition(u.start) FROM (SELECT DISTINCT
      r.timestamp_seconds - r.timestamp_seconds % 21600 AS start FROM unnest(p_rows::nonces[]) r) u;
  ELSIF p_table = 'evidence' THEN
    PERFORM ensure_evidence_partition(moment_of_id(r.evidence_id)) FROM unnest(p_rows::evidence[]) r;
  ELSIF p_table = 'webhook_attempts' THEN
    PERFORM ensure_attempt_partition(u.day) FROM (SELECT DISTINCT
      (r.attempted_at AT TIME ZONE 'UTC')::date AS day FROM unnest(p_rows::webhook_attempts[]) r) u;
  END IF;
  IF p_table IN ('withdrawals', 'event_deliveries', 'balance_checkpoints') THEN
    SELECT format('(partner_id, %s) DO UPDATE SET %s WHERE t IS DISTINCT FROM excluded',
      nullif(v_key, 'partner_id'), string_agg(format('%1$I = excluded.%1$I', attname), ', '))
    INTO v_change FROM pg_attribute
    WHERE attrelid = p_table::regclass AND attnum > 0 AND NOT attisdropped
      AND (p_table <> 'withdrawals' OR attname IN ('status', 'failure', 'completed_at'));
    v_change := replace(v_change, '(partner_id, )', '(partner_id)');
  END IF;
  EXECUTE format('INSERT INTO %1$I AS t SELECT r.* FROM unnest($1::%1$I[]) r WHERE r.partner_id = $2
    ON CONFLICT %2$s', p_table, coalesce(v_change, 'DO NOTHING')) USING p_rows, p_partner_id;
  EXECUTE format('SELECT count(*) FROM unnest($1::%1$I[]) r JOIN %2$s%1$I t USING (partner_id%3$s)
    WHERE t IS NOT DISTINCT FROM r', p_table,
    CASE p_table WHEN 'idempotency_keys' THEN 'ONLY ' ELSE '' END,
    coalesce(', ' || nullif(v_key, 'partner_id'), '')) INTO v_same USING p_rows;
  RETURN v_same;
END $$;

-- Stores the accounts and the lane that a partner will have here, as they are in the cell that it is about
-- to leave; that cell has locked them meanwhile.
CREATE OR REPLACE FUNCTION await_partner(
  p_move_id uuid, p_partner_id integer, p_accounts text, p_lane text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM demand_move(p_move_id, p_partner_id, 'entered');
  IF (p_accounts::accounts).partner_id <> p_partner_id OR (p_lane::webhook_lanes).partner_id <> p_partner_id
  THEN
    RAISE EXCEPTION 'these are not of partner %', p_partner_id;
  END IF;
  -- A move that was aborted before the partner left begins anew.
  INSERT INTO move_ends AS e (move_id, partner_id, side, accounts, lane)
  VALUES (p_move_id, p_partner_id, 'awaited', p_accounts, p_lane)
  ON CONFLICT (move_id, side) DO UPDATE SET accounts = excluded.accounts, lane = excluded.lane;
END $$;

-- Deletes a partner's accounts here, in the caller's transaction, which has locked them. `p_act_id` is the act
-- by which control takes back the gold granted to this cell for the partner; null if there is none.
CREATE OR REPLACE FUNCTION leave_cell(p_move_id uuid, p_partner_id integer, p_act_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM demand_move(p_move_id, p_partner_id, 'left');
  INSERT INTO move_ends (move_id, partner_id, side, accounts, lane)
  SELECT p_move_id, p_partner_id, 'left', a::text, l::text
  FROM accounts a JOIN webhook_lanes l USING (partner_id) WHERE a.partner_id = p_partner_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'partner % is not at home here', p_partner_id;
  END IF;
  DELETE FROM webhook_lanes WHERE partner_id = p_partner_id;
  DELETE FROM accounts WHERE partner_id = p_partner_id;
  INSERT INTO booked_acts (partner_id, act_id, result, booked_at)
  SELECT p_partner_id, p_act_id, 'booked', date_trunc('milliseconds', clock_timestamp())
  WHERE p_act_id IS NOT NULL;
END $$;

-- Makes this cell the home of an awaited partner, once. Returns false if control's directory, or this cell's
-- copy of it, does not name this cell yet.
CREATE OR REPLACE FUNCTION enter_cell(p_move_id uuid, p_partner_id integer, p_act_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v move_ends;
  v_accounts accounts;
  v_lane webhook_lanes;
BEGIN
  SELECT * INTO STRICT v FROM move_ends
  WHERE move_id = p_move_id AND partner_id = p_partner_id AND side = 'awaited' FOR UPDATE;
  IF EXISTS (SELECT FROM move_ends WHERE move_id = p_move_id AND side = 'entered') THEN
    RETURN true;
  END IF;
  PERFORM demand_move(p_move_id, p_partner_id, 'entered');
  v_accounts := v.accounts;
  -- Of its pool control may have learned since, if this cell was restored.
  SELECT coalesce(p.pool_number, 1) INTO v_accounts.pool_number FROM partners p WHERE p.partner_id = p_partner_id
    AND p.cell_id = coalesce((SELECT d.cell_id FROM deployment d), 'main');
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  -- Keys are digested anew here; until then every generation is searched.
  v_accounts.digested_parts := 0;
  v_lane := v.lane;
  v_lane.leased_until := NULL;
  v_lane.leased_by := NULL;
  INSERT INTO accounts SELECT v_accounts.*;
  INSERT INTO webhook_lanes SELECT v_lane.*;
  INSERT INTO booked_acts (partner_id, act_id, result, booked_at)
  SELECT p_partner_id, p_act_id, 'booked', date_trunc('milliseconds', clock_timestamp())
  WHERE p_act_id IS NOT NULL;
  INSERT INTO move_ends (move_id, partner_id, side) VALUES (p_move_id, p_partner_id, 'entered');
  RETURN true;
END $$;

-- Deletes the rows of a partner that has left which would be wrong if it came back.
CREATE OR REPLACE FUNCTION clear_after_move(p_move_id uuid, p_partner_id integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM demand_hold(p_partner_id);
  PERFORM 1 FROM move_ends WHERE move_id = p_move_id AND partner_id = p_partner_id AND side = 'left'
    AND NOT EXISTS (SELECT FROM accounts WHERE partner_id = p_partner_id);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'partner % has not left', p_partner_id;
  END IF;
  DELETE FROM event_deliveries WHERE partner_id = p_partner_id;
  DELETE FROM balance_checkpoints WHERE partner_id = p_partner_id;
  DELETE FROM recounts WHERE partner_id = p_partner_id;
  DELETE FROM key_digests WHERE partner_id = p_partner_id;
  DELETE FROM margin_hours WHERE partner_id = p_partner_id;
  DELETE FROM margin_marks WHERE partner_id = p_partner_id;
END $$;

-- Records in control that the gold granted to the cell that a partner has left is no longer granted there. The
-- vault's total stays the same, because the caller's transaction grants the gold to another cell.
CREATE OR REPLACE FUNCTION finish_leaving(p_act_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE cell_acts SET result = 'booked', finished_at = date_trunc('milliseconds', clock_timestamp())
  WHERE act_id = p_act_id AND name = 'partner.leave' AND result IS NULL;
END $$;
