-- No person's act leaves fewer administrators than the policy says (Decision D87): people who are enabled and have
-- the role and a valid key. Whoever breaks the glass may.
CREATE OR REPLACE FUNCTION keep_administrators() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_least integer;
  v_operator_id integer := (to_jsonb(OLD) ->> 'operator_id')::integer;
BEGIN
  IF NOT EXISTS (SELECT FROM act_marks WHERE transaction_id = pg_current_xact_id() AND act_id IS NOT NULL)
    OR (TG_TABLE_NAME IN ('operators', 'operator_keys') AND NOT EXISTS (SELECT FROM operator_roles
      WHERE operator_id = v_operator_id AND role = 'administrator'))
  THEN
    RETURN NULL;
  END IF;
  -- Whoever acts at the same time is counted after this one.
  SELECT least_administrators INTO v_least FROM office WHERE people_since IS NOT NULL FOR NO KEY UPDATE;
  IF v_least > (
    SELECT count(*) FROM operators o WHERE enabled
      AND EXISTS (SELECT FROM operator_roles r
        WHERE r.operator_id = o.operator_id AND role = 'administrator')
      AND EXISTS (SELECT FROM operator_keys k
        WHERE k.operator_id = o.operator_id AND coalesce(valid_until > clock_timestamp(), true)))
  THEN
    RAISE EXCEPTION 'fewer than % administrators would be left', v_least
      USING ERRCODE = 'check_violation', CONSTRAINT = 'administrators_least';
  END IF;
  RETURN NULL;
END $$;
