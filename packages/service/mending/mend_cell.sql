-- Mending a cell that was restored to an earlier time (Decision D53). Acts and moves that control knows to
-- have ended are recorded here again without being booked, because the partner is at home in another cell.

-- Records the result of an act of which this cell has a copy.
CREATE OR REPLACE FUNCTION recall_act(p_act_id uuid, p_result text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v cell_acts;
BEGIN
  SELECT * INTO v FROM cell_acts
  WHERE act_id = p_act_id AND cell_id = (SELECT cell_id FROM deployment);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no copy of the act %', p_act_id;
  END IF;
  IF EXISTS (SELECT FROM accounts WHERE partner_id = v.partner_id) THEN
    RAISE EXCEPTION 'partner % is at home here: its acts are booked', v.partner_id;
  END IF;
  INSERT INTO booked_acts (partner_id, act_id, result, booked_at)
  VALUES (v.partner_id, v.act_id, p_result, date_trunc('milliseconds', clock_timestamp()))
  ON CONFLICT DO NOTHING;
END $$;

-- Records that a partner entered this cell or left it; `p_side` is `entered` or `left`.
CREATE OR REPLACE FUNCTION recall_move(p_move_id uuid, p_partner_id integer, p_side text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM accounts WHERE partner_id = p_partner_id) THEN
    RAISE EXCEPTION 'partner % is at home here: it is moved', p_partner_id;
  END IF;
  PERFORM demand_move(p_move_id, p_partner_id, p_side);
  INSERT INTO move_ends (move_id, partner_id, side) VALUES (p_move_id, p_partner_id, p_side)
  ON CONFLICT DO NOTHING;
END $$;
