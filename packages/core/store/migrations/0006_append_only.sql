-- The audit log as a chain (Decision D71). Each field is its length in bytes, a colon, the field and
-- a comma, so that no two entries are written alike; `packages/core/admin/audit_chain.ts` counts the
-- same, and does not use this function.
CREATE FUNCTION audit_entry_hash(
  number bigint, moment timestamptz, actor text, action text, partner integer, detail text,
  previous bytea
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(string_agg(octet_length(field) || ':' || field || ',', '' ORDER BY place), 'UTF8'))
  FROM unnest(ARRAY[
    number::text, (extract(epoch FROM moment) * 1000)::bigint::text, actor, action,
    coalesce(partner::text, ''), detail, encode(previous, 'hex')
  ]) WITH ORDINALITY AS fields (field, place)
$$;--> statement-breakpoint

-- What is there already is chained as it stands. Genesis is a hash of 32 zero bytes.
ALTER TABLE audit_log DISABLE TRIGGER audit_log_immutable;--> statement-breakpoint
DO $$
DECLARE
  entry audit_log;
  last bigint := 0;
  head bytea := decode(repeat('00', 32), 'hex');
  next bytea;
BEGIN
  FOR entry IN SELECT * FROM audit_log ORDER BY audit_id LOOP
    next := audit_entry_hash(entry.audit_id, entry.at, entry.actor, entry.action, entry.partner_id,
      entry.detail, head);
    UPDATE audit_log SET previous_hash = head, hash = next WHERE audit_id = entry.audit_id;
    last := entry.audit_id;
    head := next;
  END LOOP;
  INSERT INTO audit_head (audit_id, hash) VALUES (last, head);
END $$;--> statement-breakpoint
ALTER TABLE audit_log ENABLE TRIGGER audit_log_immutable;--> statement-breakpoint

-- The head's row is locked until the act commits, so entries are chained in the order of commits and
-- their numbers have no gaps from here on.
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE audit_head SET audit_id = audit_id + 1
    RETURNING audit_id, hash INTO STRICT NEW.audit_id, NEW.previous_hash;
  NEW.hash := audit_entry_hash(NEW.audit_id, NEW.at, NEW.actor, NEW.action, NEW.partner_id,
    NEW.detail, NEW.previous_hash);
  UPDATE audit_head SET hash = NEW.hash;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER audit_log_chained BEFORE INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();--> statement-breakpoint
CREATE TRIGGER audit_head_kept BEFORE DELETE OR TRUNCATE ON audit_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- What was agreed and what was said of it does not change (fault F28). The triggers cost nothing
-- where orders are placed: they fire on UPDATE, DELETE and TRUNCATE alone.
CREATE TRIGGER quotes_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON quotes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER orders_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER fundings_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON fundings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- A withdrawal goes through its states (Decision D13); its terms stay, and an end is an end.
CREATE TRIGGER withdrawals_kept BEFORE DELETE OR TRUNCATE ON withdrawals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER withdrawals_terms_immutable
  BEFORE UPDATE OF partner_id, withdrawal_id, amount_halalas, created_at, iban, client_reference
  ON withdrawals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER withdrawals_ended_immutable BEFORE UPDATE ON withdrawals
  FOR EACH ROW WHEN (OLD.status IN ('completed', 'failed', 'cancelled'))
  EXECUTE FUNCTION refuse_change();
