-- Facts change by acts alone (Decision D89). Both tables have only rows of transactions that have not ended, and
-- no role may write them.

-- The audit entries of a transaction, by which it may change facts.
CREATE TABLE act_marks (
  transaction_id xid8 NOT NULL,
  action text NOT NULL,
  act_id uuid
);

-- The facts that a transaction has changed: a table, or `cell_acts` with the name of the recorded act.
CREATE TABLE changed_facts (
  transaction_id xid8 NOT NULL,
  fact text NOT NULL,
  CONSTRAINT changed_facts_pk PRIMARY KEY (transaction_id, fact)
);

-- The bodies of these functions are in `../../audit/facts_by_acts.sql`.
CREATE FUNCTION is_owner() RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT true $$;
CREATE FUNCTION note_fact() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE FUNCTION demand_act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE FUNCTION check_decision() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;

CREATE CONSTRAINT TRIGGER changed_facts_by_act AFTER INSERT ON changed_facts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION demand_act();
CREATE TRIGGER approvals_decision BEFORE UPDATE ON approvals
  FOR EACH ROW WHEN (NEW.decision_id IS NOT NULL) EXECUTE FUNCTION check_decision();
CREATE TRIGGER cell_acts_by_act AFTER INSERT ON cell_acts
  FOR EACH ROW WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
-- Not a partner's cell and revision, which a move and other acts change.
CREATE TRIGGER partners_by_act AFTER INSERT OR DELETE OR UPDATE OF client_id, name, status, settlement_iban,
  webhook_url, quote_min_micrograms, quote_max_micrograms, open_quotes_limit, spread_ppm, fee_ppm, vat_ppm,
  rate_limits ON partners
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['approval_rules', 'approvals', 'cells', 'certificates', 'client_secrets',
    'office', 'operator_identities', 'operator_keys', 'operator_links', 'operator_roles', 'operators',
    'price_settings', 'signing_keys', 'source_addresses', 'token_keys', 'vault', 'vault_bars',
    'webhook_secrets']
  LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact()', v_table || '_by_act', v_table);
  END LOOP;
END $$;
