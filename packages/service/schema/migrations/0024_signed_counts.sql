-- An inspector's signature under a count (Decision D106), once; what it signed is the count's canonical JSON.
CREATE TABLE vault_count_signatures (
  count_id uuid CONSTRAINT vault_count_signatures_pk PRIMARY KEY
    CONSTRAINT vault_count_signatures_count_fk REFERENCES vault_counts,
  key_id text NOT NULL CONSTRAINT vault_count_signatures_key_fk REFERENCES attestation_keys,
  jws text NOT NULL,
  inspected_at timestamptz(3) NOT NULL
);
-- The body of this function is in `../../vault/count_signatures.sql`.
CREATE OR REPLACE FUNCTION check_count_signature() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER vault_count_signatures_check BEFORE INSERT ON vault_count_signatures
  FOR EACH ROW EXECUTE FUNCTION check_count_signature();
CREATE TRIGGER vault_count_signatures_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON vault_count_signatures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER vault_count_signatures_in_control BEFORE INSERT OR UPDATE OR DELETE ON vault_count_signatures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER vault_count_signatures_by_act AFTER INSERT OR UPDATE OR DELETE ON vault_count_signatures
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER vault_count_signatures_noted AFTER INSERT OR UPDATE OR DELETE ON vault_count_signatures
  FOR EACH ROW EXECUTE FUNCTION note_row();

-- Whether a count settles earlier differences only once an inspector has signed it: true for all from now on, null for
-- those from before, which go on settling what they settled.
ALTER TABLE vault_counts ADD COLUMN needs_inspector boolean;
