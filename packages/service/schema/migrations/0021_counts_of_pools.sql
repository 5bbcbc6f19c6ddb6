-- A count names the pool and the version that it counted, and a difference stops allocation (Decision D104). Counts
-- from before name none.
ALTER TABLE vault_counts ADD COLUMN pool_id text CONSTRAINT vault_counts_pool_fk REFERENCES pools (pool_id),
  ADD COLUMN version integer, ADD COLUMN is_whole boolean;
CREATE INDEX vault_counts_of_pool ON vault_counts (pool_id, counted_at DESC) WHERE is_whole;

-- Two people have decided that what a count found stops nothing any more, and why.
CREATE TABLE vault_count_acceptances (
  count_id uuid CONSTRAINT vault_count_acceptances_pk PRIMARY KEY
    CONSTRAINT vault_count_acceptances_count_fk REFERENCES vault_counts,
  reason text NOT NULL,
  accepted_at timestamptz(3) NOT NULL,
  CONSTRAINT vault_count_acceptances_reason CHECK (reason <> '' AND length(reason) <= 256)
);
CREATE TRIGGER vault_count_acceptances_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON vault_count_acceptances
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER vault_count_acceptances_in_control BEFORE INSERT OR UPDATE OR DELETE ON vault_count_acceptances
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER vault_count_acceptances_by_act AFTER INSERT OR UPDATE OR DELETE ON vault_count_acceptances
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER vault_count_acceptances_noted AFTER INSERT OR UPDATE OR DELETE ON vault_count_acceptances
  FOR EACH ROW EXECUTE FUNCTION note_row();

-- The body of this function is in `../../vault/vault_counts.sql`.
CREATE OR REPLACE FUNCTION stop_allocation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER vault_counted BEFORE UPDATE ON vault FOR EACH ROW
  WHEN (NEW.allocated_micrograms > OLD.allocated_micrograms) EXECUTE FUNCTION stop_allocation();

-- Two people of different roles accept a difference. The next entry takes the rule.
ALTER TABLE approval_rules DISABLE TRIGGER USER;
INSERT INTO approval_rules (act, conditions, approvers)
VALUES ('vault.count.accept', '[]', '["treasury", "administrator"]');
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'approval_rules', act, jsonb_build_object('act', act, 'conditions', conditions::text, 'approvers', approvers::text)
FROM approval_rules WHERE act = 'vault.count.accept';
ALTER TABLE approval_rules ENABLE TRIGGER USER;
