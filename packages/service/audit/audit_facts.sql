-- What each act left of the register (Decision D92): triggers note the rows that a transaction changes, and its
-- entry takes them along. `replay_facts.ts` reads the rows themselves, without these functions.

-- The tables, each with the columns that name a row.
CREATE OR REPLACE FUNCTION fact_tables() RETURNS TABLE (fact text, key_columns text[])
LANGUAGE sql IMMUTABLE AS $$
  SELECT * FROM (VALUES
    ('approval_rules', '{act}'::text[]), ('attestation_keys', '{key_id}'), ('authorities', '{name}'), ('cells', '{cell_id}'),
    ('certificates', '{certificate_hash}'), ('client_secrets', '{secret_id}'), ('office', '{singleton}'),
    ('operator_identities', '{identity_id}'), ('operator_keys', '{key_id}'),
    ('operator_roles', '{operator_id,role}'), ('operators', '{operator_id}'), ('partner_contacts', '{partner_id,name}'),
    ('partner_documents', '{partner_id,reference}'), ('partners', '{partner_id}'),
    ('pool_versions', '{pool_id,number}'), ('pools', '{pool_id}'), ('price_settings', '{singleton}'), ('receipt_keys', '{key_id}'), ('refiners', '{refiner,list,from_day}'), ('reserve_attestations', '{day}'), ('reserve_banks', '{day}'), ('signing_keys', '{partner_id,key_id}'),
    ('source_addresses', '{partner_id,cidr}'), ('token_keys', '{key_id}'), ('vault_bars', '{serial}'),
    ('vault_count_acceptances', '{count_id}'),
    ('vault_count_lines', '{count_id,serial}'), ('vault_count_signatures', '{count_id}'), ('vault_counts', '{count_id}'), ('webhook_secrets', '{secret_id}')
  ) AS tables (fact, key_columns)
$$;

-- A row as texts: hashes in place of what is secret or long, and without what changes without an act.
CREATE OR REPLACE FUNCTION fact_image(p_row jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(name, CASE
    WHEN name ~ '^(sealed_.*|secret_hash|.*pem)$'
    THEN 'sha256:' || encode(sha256(convert_to(value #>> '{}', 'UTF8')), 'hex')
    ELSE value #>> '{}' END)
  FROM jsonb_each(p_row) AS members (name, value)
  WHERE name NOT IN ('revision', 'revocation_list_pem') AND NOT (name = 'cell_id' AND p_row ? 'client_id')
$$;

CREATE OR REPLACE FUNCTION fact_key(p_columns text[], p_row jsonb) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(p_row ->> name, '/' ORDER BY place) FROM unnest(p_columns) WITH ORDINALITY AS c (name, place)
$$;

CREATE OR REPLACE FUNCTION note_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  v_row jsonb;
  v_image jsonb;
  v_key text;
  v_transaction xid8 := pg_current_xact_id();
BEGIN
  IF TG_OP = 'DELETE' THEN
    v_row := to_jsonb(OLD);
  ELSE
    v_row := to_jsonb(NEW);
    v_image := fact_image(v_row);
  END IF;
  IF (TG_OP = 'UPDATE' AND fact_image(to_jsonb(OLD)) = v_image)
    OR EXISTS (SELECT FROM deployment WHERE cell_id <> 'main')
  THEN
    RETURN NULL;
  END IF;
  SELECT fact_key(key_columns, v_row) INTO v_key FROM fact_tables() WHERE fact = TG_TABLE_NAME;
  -- A deployment's first keys are nobody's act.
  IF TG_TABLE_NAME IN ('authorities', 'token_keys') AND NOT EXISTS (SELECT FROM partners) THEN
    v_transaction := '0';
  ELSIF TG_TABLE_NAME = 'receipt_keys' AND TG_OP = 'INSERT' AND (SELECT count(*) FROM receipt_keys) = 1 THEN
    v_transaction := '0';
  END IF;
  IF TG_OP = 'UPDATE' THEN
    -- A row that gets another key.
    INSERT INTO changed_rows (transaction_id, fact, key)
    SELECT v_transaction, fact, fact_key(key_columns, to_jsonb(OLD)) FROM fact_tables()
    WHERE fact = TG_TABLE_NAME AND fact_key(key_columns, to_jsonb(OLD)) <> v_key;
  END IF;
  INSERT INTO changed_rows (transaction_id, fact, key, image) VALUES (v_transaction, TG_TABLE_NAME, v_key, v_image);
  RETURN NULL;
END $$;

-- Notes all rows as they are now, for the next entry.
CREATE OR REPLACE FUNCTION note_all_rows() RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  v record;
BEGIN
  -- A migration comes before those that make the later tables.
  FOR v IN SELECT * FROM fact_tables() WHERE to_regclass(fact) IS NOT NULL LOOP
    EXECUTE format('INSERT INTO changed_rows (transaction_id, fact, key, image)
      SELECT ''0'', %L, fact_key(%L, to_jsonb(t)), fact_image(to_jsonb(t)) FROM %I t', v.fact, v.key_columns, v.fact);
  END LOOP;
END $$;

-- Takes the rows that this transaction has changed for an entry: the detail with their hash. The first entry of
-- all takes every row, since what was before is in no entry.
CREATE OR REPLACE FUNCTION take_facts(p_audit_id bigint, p_detail text) RETURNS text
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_facts text;
BEGIN
  IF NOT EXISTS (SELECT FROM audit_facts) AND NOT EXISTS (SELECT FROM deployment WHERE cell_id <> 'main') THEN
    PERFORM note_all_rows();
  END IF;
  SELECT json_agg(json_build_array(fact, key, image) ORDER BY fact, key)::text INTO v_facts
  FROM (
    SELECT DISTINCT ON (fact, key) fact, key, image FROM changed_rows
    WHERE transaction_id IN ('0', pg_current_xact_id()) ORDER BY fact, key, number DESC
  ) last;
  -- And what other transactions changed without an entry.
  DELETE FROM changed_rows;
  IF v_facts IS NULL THEN
    RETURN p_detail;
  END IF;
  INSERT INTO audit_facts (audit_id, facts) VALUES (p_audit_id, v_facts);
  RETURN regexp_replace(p_detail, '\s*\}\s*$', '') || CASE WHEN p_detail ~ '^\s*\{\s*\}\s*$' THEN '' ELSE ',' END
    || format('"rows_sha256":"%s"}', encode(sha256(convert_to(v_facts, 'UTF8')), 'hex'));
END $$;
