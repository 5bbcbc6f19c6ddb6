-- The trigger of `audit_log`. The owner writes any entry; another role writes that of a signed act if a role of who
-- signed opens the act now, and without a person, as the role that breaks the glass, one with the reason
-- (Decision D50). `packages/terms/rights.ts` has the same roles and acts.
CREATE OR REPLACE FUNCTION demand_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c_acts_of CONSTANT jsonb := '{
    "administrator": ["approval.approve", "approval.reject", "attestation-key.add", "attestation-key.end", "authority.export", "authority.install",
      "authority.request", "cell.add", "cell.drain", "cell.mend", "cell.remove", "certificate.revoke", "credential.refuse",
      "master-key.reseal", "master-key.rotate", "operator.add", "operator.disable", "operator.enable",
      "operator.identity.add", "operator.identity.end", "operator.key.add", "operator.key.end",
      "operator.link", "operator.role.add", "operator.role.remove", "partner.move", "partner.suspend",
      "policy.administrators", "policy.remove", "policy.set", "policy.time", "price.pause", "receipt-key.rotate", "refiner.unlisted",
      "schema.migrate", "signing-key.retire", "token-key.rotate", "token.revoke"],
    "auditor": ["reserve.attest"],
    "custodian": ["vault.bar.add", "vault.bar.encumber", "vault.bar.move", "vault.bar.release", "vault.bar.remove",
      "vault.bar.replace", "vault.bars.add", "vault.count", "vault.count.inspect"],
    "everybody": ["operator.key.rotate", "operator.passkey.add"],
    "partners": ["address.add", "address.remove", "approval.approve", "approval.reject", "certificate.issue",
      "certificate.revoke", "certificate.rotate", "certificate.update", "client-secret.rotate", "credential.refuse", "iban.set",
      "partner.contact.remove", "partner.contact.set", "partner.create", "partner.document.remove",
      "partner.document.set", "partner.resume", "partner.suspend", "partner.update", "signing-key.add",
      "signing-key.retire", "signing-key.rotate", "tax.set", "token.revoke", "webhook-secret.rotate", "webhook.disable",
      "webhook.enable", "webhook.ping", "webhook.redeliver", "webhook.set"],
    "prices": ["approval.approve", "approval.reject", "price.pause", "price.resume", "price.set"],
    "support": ["webhook.enable", "webhook.ping", "webhook.redeliver"],
    "treasury": ["approval.approve", "approval.reject", "funding.credit", "price.pause", "reserve.attest", "reserve.bank.set",
      "tax.set", "withdrawal.cancelled", "withdrawal.completed", "withdrawal.failed", "withdrawal.processing"],
    "vault": ["approval.approve", "approval.reject", "partner.pool.set", "pool.create", "refiner.add", "refiner.end", "vault.allocate",
      "vault.bar.add", "vault.bar.encumber", "vault.bar.move", "vault.bar.release", "vault.bar.remove",
      "vault.bar.replace", "vault.bars.add", "vault.count", "vault.count.accept", "vault.count.inspect",
      "vault.release"]
  }';
BEGIN
  IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN NEW;
  END IF;
  IF NEW.detail::jsonb ? 'act' THEN
    PERFORM 1 FROM acts a JOIN operators o USING (operator_id)
    WHERE a.act_id = (NEW.detail::jsonb ->> 'act')::uuid AND (c_acts_of -> 'everybody' ? a.name
      OR EXISTS (SELECT FROM operator_roles r
        WHERE r.operator_id = a.operator_id AND c_acts_of -> r.role ? a.name)
      -- Who gives up the role that opened this has lost it by now.
      OR a.name = 'operator.role.remove' AND a.arguments::jsonb ->> 'operator' = o.name
        AND c_acts_of -> (a.arguments::jsonb ->> 'role') ? a.name);
    IF NOT FOUND THEN
      RAISE EXCEPTION 'no role of the person opens the act'
        USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'acts_right';
    END IF;
    RETURN NEW;
  END IF;
  -- The act that registers the second administrator's key still has no person.
  IF (SELECT coalesce(people_since >= date_trunc('milliseconds', now()), true) FROM office)
    OR (NEW.detail::jsonb ? 'break_glass'
      AND pg_has_role(current_user, to_regrole('sabika_break_glass')::oid, 'USAGE'))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'an act needs a person, or a role that breaks the glass and says why'
    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_person';
END $$;
