-- Pools of bars, their versions, and title at the time of the trade (Decision D102).
CREATE TABLE pools (
  pool_number smallint CONSTRAINT pools_pk PRIMARY KEY,
  pool_id text NOT NULL CONSTRAINT pools_id_unique UNIQUE,
  -- The version in force: each order reads it.
  version_id integer,
  created_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  CONSTRAINT pools_id CHECK (pool_id ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
  CONSTRAINT pools_number CHECK (pool_number BETWEEN 1 AND 1000)
);

CREATE TABLE pool_versions (
  -- Names pool and number in four bytes of an order.
  version_id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pool_versions_pk PRIMARY KEY,
  pool_id text NOT NULL CONSTRAINT pool_versions_pool_fk REFERENCES pools (pool_id),
  number integer NOT NULL,
  previous_hash text,
  kind text NOT NULL,
  hash text NOT NULL,
  fine_micrograms bigint NOT NULL,
  -- That of the act that was signed; null where nobody signs.
  act_id uuid,
  made_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  CONSTRAINT pool_versions_number_unique UNIQUE (pool_id, number),
  CONSTRAINT pool_versions_kind CHECK (kind IN ('add', 'remove', 'replace')),
  CONSTRAINT pool_versions_hash CHECK (hash ~ '^[0-9a-f]{64}$'),
  CONSTRAINT pool_versions_first CHECK ((number = 1) = (previous_hash IS NULL))
);

-- What each version changed: a bar as it is listed from then on, or one that is not listed any more. A version's
-- list has the last row of each bar up to then. `note_listing` writes them.
CREATE TABLE pool_version_bars (
  pool_id text NOT NULL,
  number integer NOT NULL,
  serial text NOT NULL,
  is_listed boolean NOT NULL,
  refiner text NOT NULL,
  fineness_ten_thousandths integer NOT NULL,
  weight_micrograms bigint NOT NULL,
  fine_micrograms bigint NOT NULL,
  vault text,
  place text,
  documents text[] NOT NULL,
  CONSTRAINT pool_version_bars_pk PRIMARY KEY (pool_id, serial, number),
  CONSTRAINT pool_version_bars_version_fk FOREIGN KEY (pool_id, number) REFERENCES pool_versions (pool_id, number)
    DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX pool_version_bars_version ON pool_version_bars (pool_id, number);

-- Whose bar it is, what is on file about it, and why it does not count.
ALTER TABLE vault_bars ADD COLUMN pool_id text NOT NULL DEFAULT 'main',
  ADD COLUMN vault text, ADD COLUMN documents text[] NOT NULL DEFAULT '{}',
  ADD COLUMN encumbrance text, ADD COLUMN encumbrance_document text;
ALTER TABLE vault_bars ADD CONSTRAINT vault_bars_vault CHECK (vault <> '' AND length(vault) <= 64),
  ADD CONSTRAINT vault_bars_documents
    CHECK (cardinality(documents) <= 16 AND array_to_string(documents, ' ', '') ~ '^([0-9a-f]{64}( [0-9a-f]{64})*)?$'),
  ADD CONSTRAINT vault_bars_encumbrance CHECK (encumbrance <> '' AND length(encumbrance) <= 128),
  ADD CONSTRAINT vault_bars_encumbrance_document CHECK (encumbrance_document ~ '^[0-9a-f]{64}$'),
  ADD CONSTRAINT vault_bars_encumbered CHECK (encumbrance IS NOT NULL OR encumbrance_document IS NULL);

-- The one row becomes that of the pool `main`; `singleton` stays for the release before.
ALTER TABLE vault DROP CONSTRAINT vault_pk, DROP CONSTRAINT vault_singleton,
  ADD COLUMN pool_id text NOT NULL DEFAULT 'main', ADD CONSTRAINT vault_pk PRIMARY KEY (pool_id);

-- Which pool a partner draws on: null is the first, `main`. The trigger takes it to the accounts, in every cell.
ALTER TABLE partners ADD COLUMN pool_number smallint;
ALTER TABLE accounts ADD COLUMN pool_number smallint NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN pool_version_id integer;

-- The canonical JSON of a version (RFC 8785), of which its hash is the SHA-256. It stays as it is for ever.
CREATE OR REPLACE FUNCTION pool_version_text(p_pool_id text, p_number integer, p_previous text, p_kind text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT format('{"bars":[%s],"kind":%s,"number":%s,"pool":%s,"previous":%s}',
    string_agg(format('{"documents":%s,"fine_ug":"%s","fineness":"%s","gross_ug":"%s","place":%s,"refiner":%s,'
      '"serial":%s,"vault":%s}',
      array_to_json(documents), fine_micrograms,
      fineness_ten_thousandths / 10 || coalesce('.' || nullif(fineness_ten_thousandths % 10, 0), ''),
      weight_micrograms, coalesce(to_json(place)::text, 'null'), to_json(refiner), to_json(serial),
      coalesce(to_json(vault)::text, 'null')), ',' ORDER BY refiner COLLATE "C", serial COLLATE "C"),
    to_json(p_kind), p_number, to_json(p_pool_id), coalesce(to_json(p_previous)::text, 'null'))
  FROM (
    SELECT DISTINCT ON (serial) * FROM pool_version_bars
    WHERE pool_id = p_pool_id AND number <= p_number ORDER BY serial, number DESC
  ) last WHERE is_listed
$$;

-- The bodies of these functions are in `../../vault/pools.sql`.
CREATE OR REPLACE FUNCTION open_pool() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE OR REPLACE FUNCTION follow_version() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE OR REPLACE FUNCTION note_listing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE OR REPLACE FUNCTION set_pool_of_accounts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;

-- The bars that are here become version 1 of the pool `main`.
DO $$
DECLARE
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_hash text;
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE cell_id <> 'main') THEN
    RETURN;
  END IF;
  PERFORM set_config('timezone', 'UTC', true);
  INSERT INTO pools (pool_number, pool_id) VALUES (1, 'main');
  IF EXISTS (SELECT FROM vault_bars WHERE removed_at IS NULL) THEN
    INSERT INTO pool_version_bars (pool_id, number, serial, is_listed, refiner, fineness_ten_thousandths,
      weight_micrograms, fine_micrograms, place, documents)
    SELECT 'main', 1, serial, true, refiner, fineness_ten_thousandths, weight_micrograms, fine_micrograms, place, '{}'
    FROM vault_bars WHERE removed_at IS NULL;
    v_hash := encode(sha256(convert_to(pool_version_text('main', 1, NULL, 'add'), 'UTF8')), 'hex');
    INSERT INTO pool_versions (pool_id, number, kind, hash, fine_micrograms, made_at)
    SELECT 'main', 1, 'add', v_hash, bars_micrograms, v_now FROM vault;
    UPDATE pools SET version_id = (SELECT version_id FROM pool_versions);
    SET CONSTRAINTS ALL IMMEDIATE;
  END IF;
  IF EXISTS (SELECT FROM audit_log) THEN
    INSERT INTO changed_rows (transaction_id, fact, key, image)
    SELECT '0', r.fact, r.key, (SELECT jsonb_object_agg(name, value #>> '{}') FROM jsonb_each(r.image) AS m (name, value))
    FROM (
      SELECT 'vault_bars' AS fact, serial AS key, to_jsonb(b) AS image FROM vault_bars b
      UNION ALL SELECT 'pools', pool_id, to_jsonb(p) FROM pools p
      UNION ALL SELECT 'pool_versions', pool_id || '/' || number, to_jsonb(v) FROM pool_versions v
    ) r;
    INSERT INTO audit_log (at, actor, action, detail) VALUES (v_now, 'migration', 'pool.convert',
      json_build_object('from', 'migrate', 'pool', 'main', 'version', (SELECT number FROM pool_versions),
        'hash', v_hash, 'fineMicrograms', (SELECT bars_micrograms::text FROM vault))::text);
  END IF;
END $$;

-- Two people of different roles change a pool: whoever keeps the vault asks. A deployment that is there keeps its rules
-- for the acts that it knows. The next entry takes the new ones.
ALTER TABLE approval_rules DISABLE TRIGGER USER;
INSERT INTO approval_rules (act, conditions, approvers)
SELECT act, '[]', '["treasury", "administrator"]' FROM unnest(ARRAY['vault.bars.add', 'vault.bar.replace',
  'vault.bar.encumber', 'vault.bar.release', 'pool.create', 'partner.pool.set']) AS act;
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'approval_rules', act, jsonb_build_object('act', act, 'conditions', conditions::text, 'approvers', approvers::text)
FROM approval_rules WHERE act LIKE 'vault.bar%' AND act <> 'vault.bar.remove' OR act LIKE '%pool.%';
INSERT INTO approval_rules (act, conditions, approvers)
SELECT 'vault.bar.add', '[]', '["treasury", "administrator"]' WHERE NOT EXISTS (SELECT FROM deployment);
UPDATE approval_rules SET approvers = '["treasury", "administrator"]'
WHERE act = 'vault.bar.remove' AND NOT EXISTS (SELECT FROM deployment);
ALTER TABLE approval_rules ENABLE TRIGGER USER;

ALTER TABLE vault_bars ADD CONSTRAINT vault_bars_pool_fk FOREIGN KEY (pool_id) REFERENCES pools (pool_id);
CREATE TRIGGER pools_open BEFORE INSERT ON pools FOR EACH ROW EXECUTE FUNCTION open_pool();
CREATE TRIGGER pools_kept BEFORE UPDATE OF pool_number, pool_id, created_at ON pools
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER pool_versions_follow BEFORE INSERT ON pool_versions FOR EACH ROW EXECUTE FUNCTION follow_version();
CREATE TRIGGER vault_bars_listed AFTER INSERT OR UPDATE ON vault_bars FOR EACH ROW EXECUTE FUNCTION note_listing();
-- Only a version says what the bars weigh.
CREATE TRIGGER vault_by_version BEFORE UPDATE ON vault FOR EACH ROW
  WHEN (OLD.bars_micrograms <> NEW.bars_micrograms AND NOT is_owner()) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER partners_pool AFTER UPDATE ON partners FOR EACH ROW
  WHEN (OLD.pool_number IS DISTINCT FROM NEW.pool_number) EXECUTE FUNCTION set_pool_of_accounts();
ALTER TABLE partners ENABLE ALWAYS TRIGGER partners_pool;
CREATE TRIGGER partners_pool_by_act AFTER UPDATE OF pool_number ON partners
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['pool_versions', 'pool_version_bars'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', v_table || '_immutable', v_table);
  END LOOP;
  FOREACH v_table IN ARRAY ARRAY['pools', 'pool_versions', 'pool_version_bars'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
  END LOOP;
  FOREACH v_table IN ARRAY ARRAY['pools', 'pool_versions'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact()', v_table || '_by_act', v_table);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH ROW EXECUTE FUNCTION note_row()', v_table || '_noted', v_table);
  END LOOP;
END $$;
