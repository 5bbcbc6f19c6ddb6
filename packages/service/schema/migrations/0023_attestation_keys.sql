-- Keys of inspectors and auditors, who sign what the operator says of its gold (Decision D106).

-- No key is ever taken out, so that what it signed can be verified for ever.
CREATE TABLE attestation_keys (
  key_id text CONSTRAINT attestation_keys_pk PRIMARY KEY,
  role text NOT NULL,
  holder text NOT NULL,
  public_key jsonb NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  -- That of the act that was signed; null where nobody signs.
  act_id uuid,
  CONSTRAINT attestation_keys_role CHECK (role IN ('inspector', 'auditor')),
  CONSTRAINT attestation_keys_holder CHECK (holder <> '' AND length(holder) <= 256),
  CONSTRAINT attestation_keys_period CHECK (valid_until >= valid_from)
);
CREATE TRIGGER attestation_keys_kept BEFORE UPDATE OF key_id, role, holder, public_key, valid_from, act_id OR DELETE
  OR TRUNCATE ON attestation_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER attestation_keys_ended BEFORE UPDATE ON attestation_keys
  FOR EACH ROW WHEN (OLD.valid_until IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER attestation_keys_in_control BEFORE INSERT OR UPDATE OR DELETE ON attestation_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER attestation_keys_by_act AFTER INSERT OR UPDATE OR DELETE ON attestation_keys
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER attestation_keys_noted AFTER INSERT OR UPDATE OR DELETE ON attestation_keys
  FOR EACH ROW EXECUTE FUNCTION note_row();

-- Treasury approves what an administrator asks for. The next entry takes the rules.
ALTER TABLE approval_rules DISABLE TRIGGER USER;
INSERT INTO approval_rules (act, conditions, approvers)
VALUES ('attestation-key.add', '[]', '["treasury"]'), ('attestation-key.end', '[]', '["treasury"]');
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'approval_rules', act, jsonb_build_object('act', act, 'conditions', conditions::text, 'approvers', approvers::text)
FROM approval_rules WHERE act LIKE 'attestation-key.%';
ALTER TABLE approval_rules ENABLE TRIGGER USER;
