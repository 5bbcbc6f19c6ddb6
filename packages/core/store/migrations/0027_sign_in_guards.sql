-- What a passkey is bound to never changes, and a link is used once (Decision D82).
CREATE TRIGGER operator_keys_passkey_kept BEFORE UPDATE OF credential_id, rp_id ON operator_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operator_links_kept
  BEFORE UPDATE OF link_hash, operator_id, expires_at OR DELETE OR TRUNCATE ON operator_links
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operator_links_used_once BEFORE UPDATE ON operator_links
  FOR EACH ROW WHEN (OLD.used_at IS NOT NULL) EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Whoever has a link registers a passkey in a person's name.
INSERT INTO approval_rules (act, conditions, approvers) VALUES
  ('operator.link', '[]', '["administrator"]');
