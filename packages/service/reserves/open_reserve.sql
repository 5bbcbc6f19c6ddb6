-- What all commitments of a day hide, for an auditor: whoever opens them is in the audit log, in the same transaction.
-- Where nobody signs acts yet, anybody with the operator's role may.
CREATE OR REPLACE FUNCTION open_reserve(p_day date, p_who text, p_from text)
RETURNS TABLE (client text, pool text, cash bigint, gold bigint, salt text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_hash text := (SELECT hash FROM reserves WHERE day = p_day);
BEGIN
  IF (SELECT people_since IS NOT NULL FROM office) AND NOT EXISTS (
    SELECT FROM operators JOIN operator_roles USING (operator_id) WHERE name = p_who AND enabled AND role = 'auditor')
  THEN
    RAISE EXCEPTION '"%" is no auditor', p_who
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'reserve_open';
  END IF;
  IF v_hash IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO audit_log (actor, action, detail)
  VALUES (p_who, 'reserve.open', json_build_object('from', p_from, 'day', p_day, 'sha256', v_hash)::text);
  RETURN QUERY SELECT o.client_id, o.pool_id, o.cash_halalas, o.gold_micrograms, encode(o.salt, 'hex')
  FROM reserve_openings o WHERE o.day = p_day ORDER BY o.client_id COLLATE "C";
END $$;

-- What the commitments of a day hide, and these made again, but no salt: for a recount, whose role reads all balances.
CREATE OR REPLACE FUNCTION recount_openings(p_day date)
RETURNS TABLE (partner integer, pool text, cash bigint, gold bigint, commitment text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT o.partner_id, o.pool_id, o.cash_halalas, o.gold_micrograms,
    reserve_commitment(o.salt, o.client_id, o.day, o.cash_halalas, o.gold_micrograms)
  FROM reserve_openings o WHERE o.day = p_day;
END $$;
