-- The trigger of `audit_log`: without a person an entry is the owner's, or with its reason one of the role that
-- breaks the glass (Decision D50).
CREATE OR REPLACE FUNCTION demand_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.detail::jsonb ? 'act'
    -- The act that registers the second administrator's key still has no person.
    OR (SELECT coalesce(people_since >= date_trunc('milliseconds', now()), true) FROM office)
    OR pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
    OR (NEW.detail::jsonb ? 'break_glass'
      AND pg_has_role(current_user, to_regrole('sabika_break_glass')::oid, 'USAGE'))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'an act needs a person, or a role that breaks the glass and says why'
    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_person';
END $$;
