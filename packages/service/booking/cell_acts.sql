-- Acts on partners' rows (Decision D53): control records an act, the partner's cell books it, and control
-- records the result. Control's own cell books the recorded row itself, any other cell the copy that
-- replication brings. These functions book only acts that control has recorded.

-- Books an act in its cell, once, and returns its result; further calls return the same result. Null while
-- the copy of the act or of the partner has not arrived.
--
-- result: booked | repeated (the reference was credited before, with this amount) | reference_used |
-- wrong_status | insufficient_allocation | not_found
CREATE OR REPLACE FUNCTION book_act(p_act_id uuid, p_event_id uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v cell_acts;
  v_now timestamptz;
  v_result text;
  v_amount bigint;
  v_sequence bigint;
BEGIN
  SELECT * INTO v FROM cell_acts
  WHERE act_id = p_act_id AND cell_id = coalesce((SELECT cell_id FROM deployment), 'main');
  PERFORM 1 FROM accounts WHERE partner_id = v.partner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  v_now := date_trunc('milliseconds', service_time());
  SELECT result INTO v_result FROM booked_acts
  WHERE partner_id = v.partner_id AND act_id = v.act_id;
  IF FOUND THEN
    RETURN v_result;
  END IF;

  -- leave_cell and enter_cell book these two.
  IF v.name IN ('partner.leave', 'partner.enter') THEN
    RETURN NULL;
  END IF;

  v_result := 'booked';
  CASE v.name
    WHEN 'funding.credit' THEN
      SELECT f.result, f.amount INTO v_result, v_amount
      FROM credit_fundings(ARRAY[v.partner_id], ARRAY[v.subject_id], ARRAY[p_event_id],
        '{NULL}', '{NULL}', ARRAY[v.amount], ARRAY[v.note]) f;
      v_result := CASE WHEN v_result = 'credited' THEN 'booked'
        WHEN v_amount = v.amount THEN 'repeated' ELSE 'reference_used' END;
    WHEN 'withdrawal.processing', 'withdrawal.completed', 'withdrawal.failed',
      'withdrawal.cancelled' THEN
      UPDATE withdrawals SET status = split_part(v.name, '.', 2), failure = v.note,
        completed_at = CASE v.name WHEN 'withdrawal.completed' THEN v_now END
      WHERE partner_id = v.partner_id AND withdrawal_id = v.subject_id
        AND amount_halalas = coalesce(v.amount, amount_halalas) AND status = CASE WHEN v.name IN ('withdrawal.processing', 'withdrawal.cancelled')
          THEN 'pending' ELSE 'processing' END
      RETURNING amount_halalas INTO v_amount;
      IF NOT FOUND THEN
        v_result := 'wrong_status';
      ELSIF v.name = 'withdrawal.completed' THEN
        PERFORM post_transfer(v.partner_id, 'SAR', 'withdrawals', 'bank', v_amount,
          'withdrawal_payout', v.subject_id);
      ELSIF v.name <> 'withdrawal.processing' THEN
        PERFORM post_transfer(v.partner_id, 'SAR', 'withdrawals', 'cash', v_amount,
          'withdrawal_return', v.subject_id);
      END IF;
    WHEN 'vault.allocate' THEN
      PERFORM post_transfer(v.partner_id, 'XAU', 'vault', 'allocation', v.amount, 'allocation',
        v.act_id);
    WHEN 'vault.release' THEN
      IF v.amount > (SELECT allocation_micrograms FROM accounts WHERE partner_id = v.partner_id) THEN
        v_result := 'insufficient_allocation';
      ELSE
        PERFORM post_transfer(v.partner_id, 'XAU', 'allocation', 'vault', v.amount, 'release',
          v.act_id);
      END IF;
    WHEN 'webhook.set', 'webhook.enable' THEN
      PERFORM enable_webhook(v.partner_id, v_now);
      -- Events from before the partner's first endpoint are not sent.
      UPDATE webhook_lanes l SET in_flight = coalesce(v.amount, l.in_flight),
        next_sequence = CASE WHEN v.note = 'first' THEN a.last_event + 1 ELSE l.next_sequence END
      FROM accounts a WHERE a.partner_id = l.partner_id AND l.partner_id = v.partner_id
        AND (v.amount IS NOT NULL OR v.note IS NOT NULL);
    WHEN 'webhook.disable' THEN
      UPDATE webhook_lanes SET disabled_at = v_now, disabled_reason = v.note, leased_until = NULL,
        leased_by = NULL
      WHERE partner_id = v.partner_id;
    WHEN 'webhook.redeliver' THEN
      SELECT sequence INTO v_sequence FROM events
      WHERE partner_id = v.partner_id AND event_id = v.subject_id;
      IF NOT FOUND THEN
        v_result := 'not_found';
      ELSE
        PERFORM redeliver_events(v.partner_id, v_sequence, v_sequence, v_now);
      END IF;
    WHEN 'webhook.ping' THEN
      PERFORM write_event(v.partner_id, v.subject_id, 'ping', NULL, v_now, v.note);
  END CASE;
  INSERT INTO booked_acts (partner_id, act_id, result, booked_at)
  VALUES (v.partner_id, v.act_id, v_result, v_now);
  RETURN v_result;
END $$;

-- Writes the event of a withdrawal's new status, which the caller's transaction has booked, once.
CREATE OR REPLACE FUNCTION report_act(p_act_id uuid, p_event_id uuid, p_object text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v record;
BEGIN
  SELECT a.* INTO v FROM cell_acts a JOIN booked_acts b USING (partner_id, act_id)
  WHERE a.act_id = p_act_id AND b.result = 'booked' AND a.name LIKE 'withdrawal.%'
    AND a.name <> 'withdrawal.processing';
  PERFORM lock_accounts(v.partner_id);
  PERFORM 1 FROM events WHERE partner_id = v.partner_id AND resource_id = v.subject_id
    AND type = v.name;
  IF v.partner_id IS NOT NULL AND NOT FOUND THEN
    PERFORM write_event(v.partner_id, p_event_id, v.name, v.subject_id,
      date_trunc('milliseconds', service_time()), p_object);
  END IF;
END $$;

-- Records an act's result in control after its cell has booked it. Gold whose release was booked, or whose
-- allocation the cell refused, is no longer counted as allocated. A refusal gets an audit entry. A result
-- that book_act cannot return for this act raises an error, and the act stays open.
CREATE OR REPLACE FUNCTION finish_act(p_act_id uuid, p_result text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v cell_acts;
  v_is_booked boolean := p_result IN ('booked', 'repeated');
BEGIN
  UPDATE cell_acts SET result = p_result,
    finished_at = date_trunc('milliseconds', service_time())
  WHERE act_id = p_act_id AND result IS NULL RETURNING * INTO v;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF (p_result = 'booked' OR p_result = ANY (CASE
    WHEN v.name = 'funding.credit' THEN ARRAY['repeated', 'reference_used']
    WHEN v.name LIKE 'withdrawal.%' THEN ARRAY['wrong_status']
    WHEN v.name = 'vault.release' THEN ARRAY['insufficient_allocation']
    WHEN v.name = 'webhook.redeliver' THEN ARRAY['not_found']
    ELSE '{}' END)) IS NOT TRUE
  THEN
    RAISE EXCEPTION 'no cell says "%" of %', p_result, v.name;
  END IF;
  IF (v.name = 'vault.release' AND v_is_booked) OR (v.name = 'vault.allocate' AND NOT v_is_booked)
  THEN
    UPDATE vault SET allocated_micrograms = allocated_micrograms - v.amount
    WHERE pool_id = (SELECT p.pool_id FROM pools p JOIN partners ON coalesce(partners.pool_number, 1) = p.pool_number
      WHERE partner_id = v.partner_id);
  END IF;
  IF NOT v_is_booked THEN
    INSERT INTO audit_log (at, actor, action, partner_id, detail)
    VALUES (v.finished_at, 'cells', 'act.refused', v.partner_id, json_build_object(
      'from', 'cell ' || v.cell_id, 'refused', v.name, 'of', v.act_id, 'reason', p_result)::text);
  END IF;
END $$;
