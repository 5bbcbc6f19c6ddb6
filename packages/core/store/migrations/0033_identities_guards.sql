-- Who somebody is at the company's provider is never rewritten, and an end is an end (Decision D84).
CREATE TRIGGER operator_identities_kept
  BEFORE UPDATE OF identity_id, operator_id, issuer, subject, valid_from OR DELETE OR TRUNCATE
  ON operator_identities FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operator_identities_end_once BEFORE UPDATE ON operator_identities
  FOR EACH ROW WHEN (OLD.valid_until IS NOT NULL) EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operator_identities_in_control BEFORE INSERT OR UPDATE OR DELETE
  ON operator_identities FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();--> statement-breakpoint

-- Whoever has an identity looks at everything that the person's roles open.
INSERT INTO approval_rules (act, conditions, approvers) VALUES
  ('operator.identity.add', '[]', '["administrator"]');
