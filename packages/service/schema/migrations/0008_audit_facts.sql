-- What each act left of the register, for replaying the audit log (Decision D92).

-- The rows that each entry left: a list of [table, key, row as texts or null for none], with hashes in place of
-- secrets. The entry's detail has the SHA-256 of it.
CREATE TABLE audit_facts (
  audit_id bigint CONSTRAINT audit_facts_pk PRIMARY KEY,
  facts text NOT NULL
);
CREATE TRIGGER audit_facts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_facts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The rows that transactions have changed and no entry has taken: those of transaction 0 are for the next entry.
CREATE TABLE changed_rows (
  number bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT changed_rows_pk PRIMARY KEY,
  transaction_id xid8 NOT NULL,
  fact text NOT NULL,
  key text NOT NULL,
  image jsonb
);

-- The body is in `../../audit/audit_facts.sql`, as is the list of these tables.
CREATE FUNCTION note_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['approval_rules', 'authorities', 'cells', 'certificates', 'client_secrets', 'office',
    'operator_identities', 'operator_keys', 'operator_roles', 'operators', 'partners', 'price_settings',
    'signing_keys', 'source_addresses', 'token_keys', 'vault_bars', 'webhook_secrets']
  LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH ROW EXECUTE FUNCTION note_row()', v_table || '_noted', v_table);
  END LOOP;
END $$;
