-- What is control's is written in control alone (Decision D53): in a cell these tables are empty, or copies,
-- which a subscription writes without firing this. Who is the owner migrates a cell, and is not held back.
CREATE FUNCTION refuse_in_cell() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE cell_id <> 'main') AND NOT pg_has_role(session_user,
    (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER')
  THEN
    RAISE EXCEPTION '% is written in control', TG_TABLE_NAME
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['acts', 'approval_rules', 'approvals', 'authorities', 'cells',
    'certificates', 'client_secrets', 'credential_warnings', 'office', 'operator_challenges',
    'operator_keys', 'operator_links', 'operator_nonces', 'operator_roles', 'operator_sessions',
    'operators', 'partners', 'price_settings', 'register_state', 'revoked_tokens', 'sealed_keys',
    'signing_keys', 'source_addresses', 'token_keys', 'vault', 'vault_bars', 'webhook_secrets']
  LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
  END LOOP;
END $$;
