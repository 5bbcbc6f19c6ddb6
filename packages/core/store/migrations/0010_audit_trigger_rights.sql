-- The trigger writes the audit log's head, which whoever writes an entry may not (Decision D48).
ALTER FUNCTION chain_audit_entry() SECURITY DEFINER;--> statement-breakpoint
ALTER FUNCTION chain_audit_entry() SET search_path = public, pg_temp;
