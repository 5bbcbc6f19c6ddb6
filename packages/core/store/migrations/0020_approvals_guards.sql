-- What needs two people from the beginning (Decision D81).
INSERT INTO approval_rules (act, conditions, approvers) VALUES
  ('withdrawal.processing', '[]', '["treasury", "administrator"]'),
  ('withdrawal.completed', '[]', '["treasury", "administrator"]'),
  ('withdrawal.failed', '[]', '["treasury", "administrator"]'),
  ('funding.credit', '["amount_sar above 100000"]', '["treasury", "administrator"]'),
  ('iban.set', '[]', '["partners", "administrator"]'),
  ('webhook.set', '[]', '["partners", "administrator"]'),
  ('partner.update', '["spread_percent outside 0.1..2", "fee_percent outside 0..1"]',
    '["partners", "prices", "administrator"]'),
  ('signing-key.add', '[]', '["partners", "administrator"]'),
  ('signing-key.rotate', '[]', '["partners", "administrator"]'),
  ('price.set', '["source is fixed"]', '["prices", "administrator"]'),
  ('vault.bar.remove', '[]', '["vault", "administrator"]'),
  ('operator.add', '[]', '["administrator"]'),
  ('operator.enable', '[]', '["administrator"]'),
  ('operator.role.add', '[]', '["administrator"]'),
  ('operator.role.remove', '[]', '["administrator"]'),
  ('operator.key.add', '[]', '["administrator"]'),
  ('operator.key.rotate', '[]', '["administrator"]'),
  ('policy.set', '[]', '["administrator"]'),
  ('policy.remove', '[]', '["administrator"]'),
  ('policy.time', '[]', '["administrator"]');--> statement-breakpoint

-- The policy itself always needs two.
CREATE TRIGGER approval_rules_of_policy BEFORE UPDATE OR DELETE ON approval_rules FOR EACH ROW
  WHEN (OLD.act LIKE 'policy.%') EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER approval_rules_kept BEFORE TRUNCATE ON approval_rules
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- A request keeps its terms, and an end is an end.
CREATE TRIGGER approvals_kept BEFORE DELETE OR TRUNCATE ON approvals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER approvals_terms_immutable
  BEFORE UPDATE OF request_id, requester_id, requested_from, requested_at, expires_at, facts
  ON approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER approvals_ended_immutable BEFORE UPDATE ON approvals
  FOR EACH ROW WHEN (OLD.state <> 'waiting') EXECUTE FUNCTION refuse_change();
