-- An auditor's attestation of a reserve (Decision D107), once; what it signed is the day and the reserve's hash.
CREATE TABLE reserve_attestations (
  day date CONSTRAINT reserve_attestations_pk PRIMARY KEY
    CONSTRAINT reserve_attestations_day_fk REFERENCES reserves,
  key_id text NOT NULL CONSTRAINT reserve_attestations_key_fk REFERENCES attestation_keys,
  jws text NOT NULL,
  attested_at timestamptz(3) NOT NULL
);
-- The body of this function is in `../../reserves/check_attestation.sql`.
CREATE OR REPLACE FUNCTION check_attestation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER reserve_attestations_check BEFORE INSERT ON reserve_attestations
  FOR EACH ROW EXECUTE FUNCTION check_attestation();
CREATE TRIGGER reserve_attestations_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON reserve_attestations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reserve_attestations_in_control BEFORE INSERT OR UPDATE OR DELETE ON reserve_attestations
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER reserve_attestations_by_act AFTER INSERT OR UPDATE OR DELETE ON reserve_attestations
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER reserve_attestations_noted AFTER INSERT OR UPDATE OR DELETE ON reserve_attestations
  FOR EACH ROW EXECUTE FUNCTION note_row();
