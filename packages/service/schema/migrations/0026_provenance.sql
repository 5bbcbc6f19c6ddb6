-- Where bars come from (Decision D109): the lists that their refiners are on. Receipt keys are in the audit replay.

-- A refiner is on a list from one day to another, both in it. Two people keep the lists; nothing is ever taken out.
CREATE TABLE refiners (
  list text NOT NULL,
  -- As bars name it.
  refiner text NOT NULL,
  from_day date NOT NULL,
  until_day date,
  -- Of the document about its responsible sourcing.
  document_sha256 text NOT NULL,
  listed_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  -- That of the act that was signed; null where nobody signs.
  act_id uuid,
  CONSTRAINT refiners_pk PRIMARY KEY (refiner, list, from_day),
  CONSTRAINT refiners_list CHECK (list IN ('good_delivery', 'own')),
  CONSTRAINT refiners_refiner CHECK (refiner <> '' AND length(refiner) <= 128),
  CONSTRAINT refiners_period CHECK (until_day >= from_day),
  CONSTRAINT refiners_document CHECK (document_sha256 ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX refiners_one_open ON refiners (refiner, list) WHERE until_day IS NULL;
CREATE TRIGGER refiners_kept BEFORE UPDATE OF list, refiner, from_day, document_sha256, listed_at, act_id OR DELETE
  OR TRUNCATE ON refiners FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refiners_ended BEFORE UPDATE ON refiners
  FOR EACH ROW WHEN (OLD.until_day IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refiners_in_control BEFORE INSERT OR UPDATE OR DELETE ON refiners
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER refiners_by_act AFTER INSERT OR UPDATE OR DELETE ON refiners
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER refiners_noted AFTER INSERT OR UPDATE OR DELETE ON refiners
  FOR EACH ROW EXECUTE FUNCTION note_row();

-- What becomes of a bar whose refiner is on no list; null: a sandbox takes it in, production refuses it. A deployment that
-- has bars takes it in as before.
ALTER TABLE office ADD COLUMN unlisted_bars text CONSTRAINT office_unlisted_bars CHECK (unlisted_bars IN ('refuse', 'take_in'));
SELECT set_config('timezone', 'UTC', true);
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'office', o.singleton::text,
  (SELECT jsonb_object_agg(name, value #>> '{}') FROM jsonb_each(to_jsonb(o) || '{"unlisted_bars": "take_in"}') AS m (name, value))
FROM office o WHERE EXISTS (SELECT FROM vault_bars);
ALTER TABLE office DISABLE TRIGGER USER;
UPDATE office SET unlisted_bars = 'take_in' WHERE EXISTS (SELECT FROM vault_bars);
ALTER TABLE office ENABLE TRIGGER USER;

-- What a bar's refiner was on the day of the bar's intake, the sourcing document then, and the year that is stamped on
-- the bar. Null for bars of before.
ALTER TABLE vault_bars ADD COLUMN refiner_list text
    CONSTRAINT vault_bars_refiner_list CHECK (refiner_list IN ('good_delivery', 'own', 'unlisted')),
  ADD COLUMN sourcing_sha256 text, ADD COLUMN year smallint
    CONSTRAINT vault_bars_year CHECK (year BETWEEN 1800 AND 2200);
-- The body of this function is in `../../vault/refiners.sql`.
CREATE OR REPLACE FUNCTION note_provenance() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER vault_bars_provenance BEFORE INSERT OR UPDATE ON vault_bars
  FOR EACH ROW EXECUTE FUNCTION note_provenance();

CREATE TRIGGER receipt_keys_noted AFTER INSERT OR UPDATE OR DELETE ON receipt_keys
  FOR EACH ROW EXECUTE FUNCTION note_row();
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'receipt_keys', key_id, (SELECT jsonb_object_agg(name, CASE WHEN name LIKE 'sealed%'
    THEN 'sha256:' || encode(sha256(convert_to(value #>> '{}', 'UTF8')), 'hex') ELSE value #>> '{}' END)
  FROM jsonb_each(to_jsonb(k)) AS m (name, value))
FROM receipt_keys k;

-- Two people of different roles keep the lists. The next entry takes the rules.
ALTER TABLE approval_rules DISABLE TRIGGER USER;
INSERT INTO approval_rules (act, conditions, approvers)
VALUES ('refiner.add', '[]', '["treasury", "administrator"]'), ('refiner.end', '[]', '["treasury", "administrator"]'),
  ('refiner.unlisted', '[]', '["treasury"]');
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'approval_rules', act, jsonb_build_object('act', act, 'conditions', conditions::text, 'approvers', approvers::text)
FROM approval_rules WHERE act LIKE 'refiner.%';
ALTER TABLE approval_rules ENABLE TRIGGER USER;
