-- What people and their acts may never become (Decisions D50, D79), whoever tries.
INSERT INTO office DEFAULT VALUES;--> statement-breakpoint
CREATE TRIGGER acts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operators_kept BEFORE UPDATE OF operator_id, name, created_at OR DELETE OR TRUNCATE
  ON operators FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operator_keys_kept
  BEFORE UPDATE OF key_id, operator_id, public_jwk, valid_from OR DELETE OR TRUNCATE
  ON operator_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER operator_keys_end_later BEFORE UPDATE ON operator_keys FOR EACH ROW
  WHEN (OLD.valid_until < coalesce(NEW.valid_until, 'infinity'))
  EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER office_kept BEFORE DELETE OR TRUNCATE ON office
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER office_goes_one_way BEFORE UPDATE ON office FOR EACH ROW
  WHEN (OLD.people_since IS NOT NULL AND OLD.people_since IS DISTINCT FROM NEW.people_since)
  EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Acts need a person as soon as two administrators have keys, and ever after.
CREATE FUNCTION begin_people() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE office SET people_since = clock_timestamp() WHERE people_since IS NULL AND 2 <= (
    SELECT count(DISTINCT operator_id) FROM operator_roles JOIN operator_keys USING (operator_id)
    WHERE role = 'administrator');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER operator_roles_begin_people AFTER INSERT ON operator_roles
  FOR EACH STATEMENT EXECUTE FUNCTION begin_people();--> statement-breakpoint
CREATE TRIGGER operator_keys_begin_people AFTER INSERT ON operator_keys
  FOR EACH STATEMENT EXECUTE FUNCTION begin_people();--> statement-breakpoint

-- Whose key signs is enabled, the key is theirs now, and they signed it just now.
CREATE FUNCTION check_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM operators JOIN operator_keys USING (operator_id)
    WHERE operator_id = NEW.operator_id AND key_id = NEW.key_id AND enabled
      AND valid_from <= clock_timestamp() AND coalesce(valid_until > clock_timestamp(), true)
      AND NEW.signed_at BETWEEN clock_timestamp() - interval '301 seconds'
        AND clock_timestamp() + interval '301 seconds'
    FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the key that signed is not an enabled person''s now'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'acts_signer';
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER acts_signer BEFORE INSERT ON acts
  FOR EACH ROW EXECUTE FUNCTION check_act();--> statement-breakpoint

-- Without a person an entry is the owner's alone: its own programs', or somebody broke the glass.
CREATE FUNCTION demand_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.detail::jsonb ? 'act'
    -- The act that begins it is the last without a person.
    OR (SELECT coalesce(people_since >= date_trunc('milliseconds', now()), true) FROM office)
    OR pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'an act needs a person, or the owner who breaks the glass'
    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_person';
END $$;--> statement-breakpoint
CREATE TRIGGER audit_log_person BEFORE INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION demand_person();--> statement-breakpoint

-- As before, and the head counts the broken glasses, for whoever watches it.
CREATE OR REPLACE FUNCTION chain_audit_entry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE audit_head SET audit_id = audit_id + 1
    RETURNING audit_id, hash INTO STRICT NEW.audit_id, NEW.previous_hash;
  NEW.hash := audit_entry_hash(NEW.audit_id, NEW.at, NEW.actor, NEW.action, NEW.partner_id,
    NEW.detail, NEW.previous_hash);
  UPDATE audit_head SET hash = NEW.hash,
    break_glasses = break_glasses + (NEW.detail::jsonb ? 'break_glass')::integer;
  RETURN NEW;
END $$;
