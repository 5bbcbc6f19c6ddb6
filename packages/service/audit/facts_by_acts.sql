-- Facts change by acts alone (Decision D89): at its commit a transaction that changed one must have the audit entry
-- of an act that changes such facts, and the act must be signed (`check_act`) once there are people. The owner
-- and functions with its rights are not held back.

-- Whether the current user owns the tables, or may act as who does.
CREATE OR REPLACE FUNCTION is_owner() RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass), 'USAGE')
$$;

-- Notes that this transaction changes facts.
CREATE OR REPLACE FUNCTION note_fact() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- A deployment's first token key is nobody's act.
  IF TG_TABLE_NAME = 'token_keys' AND TG_OP = 'INSERT' AND (SELECT count(*) FROM token_keys) = 1 THEN
    RETURN NULL;
  -- Nor its first receipt key.
  ELSIF TG_TABLE_NAME = 'receipt_keys' AND TG_OP = 'INSERT' AND (SELECT count(*) FROM receipt_keys) = 1 THEN
    RETURN NULL;
  ELSIF TG_TABLE_NAME = 'sealed_keys' AND TG_OP = 'INSERT' THEN
    -- Nor is the key that client secrets are hashed with.
    IF NEW.name = 'client_secret_hashing' THEN
      RETURN NULL;
    END IF;
  ELSIF TG_TABLE_NAME = 'authorities' AND TG_OP = 'INSERT' THEN
    -- Nor the first authorities.
    IF NOT EXISTS (SELECT FROM authorities WHERE name = 'issuing') THEN
      RETURN NULL;
    END IF;
  ELSIF TG_TABLE_NAME = 'authorities' AND TG_OP = 'UPDATE' THEN
    IF OLD.name = 'issuing-requested' THEN
      RETURN NULL;
    END IF;
  ELSIF TG_TABLE_NAME = 'cell_acts' THEN
    -- A move, which is an act, records what it grants.
    IF EXISTS (SELECT FROM partner_moves m WHERE m.partner_id = NEW.partner_id AND m.ended_at IS NULL
      AND (NEW.name, NEW.act_id, NEW.cell_id) IN (('partner.leave', m.leave_act_id, m.from_cell),
        ('partner.enter', m.enter_act_id, m.to_cell)))
    THEN
      RETURN NULL;
    END IF;
  END IF;
  INSERT INTO changed_facts (transaction_id, fact)
  VALUES (pg_current_xact_id(), CASE TG_TABLE_NAME WHEN 'cell_acts' THEN to_jsonb(NEW) ->> 'name'
    ELSE TG_TABLE_NAME END)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Whether an act changes such facts: those of a table, or a recorded act on a partner's rows.
CREATE OR REPLACE FUNCTION changes_fact(p_action text, p_fact text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_fact
    WHEN 'partner_contacts' THEN p_action LIKE 'partner.contact.%'
    WHEN 'partner_documents' THEN p_action LIKE 'partner.document.%'
    -- Not an act on what belongs to a partner, such as `partner.contact.set`.
    WHEN 'partners' THEN p_action = 'partner.pool.set' OR (p_action LIKE 'partner.%' AND p_action NOT LIKE 'partner.%.%') OR p_action IN ('iban.set', 'tax.set', 'webhook.set')
    WHEN 'source_addresses' THEN p_action LIKE 'address.%' OR p_action = 'partner.create'
    WHEN 'certificates' THEN p_action LIKE 'certificate.%' OR p_action = 'partner.create'
    WHEN 'signing_keys' THEN p_action LIKE 'signing-key.%' OR p_action = 'partner.create'
    WHEN 'credential_requests' THEN p_action IN ('certificate.rotate', 'signing-key.rotate', 'credential.refuse')
    WHEN 'client_secrets' THEN p_action LIKE 'client-secret.%' OR p_action = 'partner.create'
    WHEN 'webhook_secrets' THEN p_action LIKE 'webhook-secret.%' OR p_action LIKE 'master-key.%'
      OR p_action = 'partner.create'
    WHEN 'token_keys' THEN p_action LIKE 'token-key.%' OR p_action LIKE 'master-key.%'
    WHEN 'receipt_keys' THEN p_action LIKE 'receipt-key.%' OR p_action LIKE 'master-key.%'
    WHEN 'vault' THEN p_action LIKE 'vault.%'
    WHEN 'vault_bars' THEN p_action LIKE 'vault.bar.%' OR p_action = 'vault.bars.add'
    WHEN 'pool_versions' THEN p_action LIKE 'vault.bar.%' OR p_action = 'vault.bars.add'
    WHEN 'pools' THEN p_action = 'pool.create'
    WHEN 'vault_counts' THEN p_action = 'vault.count'
    WHEN 'vault_count_acceptances' THEN p_action = 'vault.count.accept'
    WHEN 'vault_count_lines' THEN p_action = 'vault.count'
    WHEN 'vault_count_signatures' THEN p_action = 'vault.count.inspect'
    WHEN 'attestation_keys' THEN p_action LIKE 'attestation-key.%'
    WHEN 'refiners' THEN p_action IN ('refiner.add', 'refiner.end')
    WHEN 'reserve_attestations' THEN p_action = 'reserve.attest'
    WHEN 'reserve_banks' THEN p_action = 'reserve.bank.set'
    WHEN 'price_settings' THEN p_action LIKE 'price.%'
    WHEN 'approval_rules' THEN p_action IN ('policy.set', 'policy.remove')
    WHEN 'office' THEN p_action IN ('policy.time', 'policy.administrators', 'refiner.unlisted')
    WHEN 'approvals' THEN p_action LIKE 'approval.%'
    WHEN 'cells' THEN p_action LIKE 'cell.%'
    WHEN 'authorities' THEN p_action LIKE 'authority.%' OR p_action LIKE 'master-key.%'
    WHEN 'sealed_keys' THEN p_action = 'price.set' OR p_action LIKE 'master-key.%'
    WHEN 'partner_moves' THEN p_action = 'partner.move'
    WHEN 'revoked_tokens' THEN p_action = 'token.revoke'
    ELSE p_action = p_fact OR (p_fact LIKE 'operator%' AND p_action LIKE 'operator.%')
  END
$$;

CREATE OR REPLACE FUNCTION demand_act() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM act_marks WHERE transaction_id = NEW.transaction_id
    AND changes_fact(action, NEW.fact))
  THEN
    RAISE EXCEPTION '% is changed by its acts alone', NEW.fact
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'facts_by_acts';
  END IF;
  IF EXISTS (SELECT FROM act_marks m JOIN approvals a ON a.request_id = m.act_id
    WHERE m.transaction_id = NEW.transaction_id AND m.action NOT LIKE 'approval.%' AND a.state <> 'done')
  THEN
    RAISE EXCEPTION 'the act waits for a second person'
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'facts_by_acts';
  END IF;
  IF EXISTS (SELECT FROM act_marks m JOIN acts a USING (act_id), office,
      find_rule(a.act_id, a.name, a.arguments::jsonb, a.operator_id, a.signed_at)
    WHERE m.transaction_id = NEW.transaction_id AND m.action NOT LIKE 'approval.%'
      -- The act that registers the second administrator's key still has no rule.
      AND people_since < date_trunc('milliseconds', now())
      AND NOT EXISTS (SELECT FROM approvals WHERE request_id = a.act_id))
  THEN
    RAISE EXCEPTION 'a rule asks for a second person'
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'acts_second_person';
  END IF;
  DELETE FROM changed_facts WHERE transaction_id = NEW.transaction_id AND fact = NEW.fact;
  RETURN NULL;
END $$;

-- The directory names another cell only as a move that control recorded leads.
CREATE OR REPLACE FUNCTION check_home() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM partner_moves WHERE partner_id = NEW.partner_id AND ended_at IS NULL
    AND from_cell = OLD.cell_id AND to_cell = NEW.cell_id)
  THEN
    RAISE EXCEPTION 'partner % is not being moved there', NEW.partner_id
      USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'facts_by_acts';
  END IF;
  PERFORM demand_hold(NEW.partner_id);
  RETURN NEW;
END $$;

-- A request is decided by an act that names it, and approved by somebody whom its act's rule names.
CREATE OR REPLACE FUNCTION check_decision() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD.decision_id IS NULL AND (NOT EXISTS (SELECT FROM acts WHERE act_id = NEW.decision_id
    AND name = CASE NEW.state WHEN 'rejected' THEN 'approval.reject' ELSE 'approval.approve' END
    AND arguments::jsonb ->> 'request' = NEW.request_id::text)
    OR NEW.state = 'done' AND EXISTS (SELECT FROM approval_rules r JOIN acts a ON a.name = r.act
      WHERE a.act_id = NEW.request_id AND NOT EXISTS (SELECT FROM operator_roles
        WHERE operator_id = NEW.decider_id AND r.approvers ? role)))
  THEN
    RAISE EXCEPTION 'another act decides this request'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'approvals_decision';
  END IF;
  RETURN NEW;
END $$;

-- The head's row is locked until the transaction commits, so entries are chained in the order of commits and
-- their numbers have no gaps. The function updates the head, which no role may write (Decision D48), and
-- counts there the acts by which somebody broke the glass, for monitoring. The entry takes along the rows that the
-- transaction has changed (`audit_facts.sql`). A signed act has no entry but its own.
CREATE OR REPLACE FUNCTION chain_audit_entry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_act acts;
BEGIN
  UPDATE audit_head SET audit_id = audit_id + 1
    RETURNING audit_id, hash INTO STRICT NEW.audit_id, NEW.previous_hash;
  NEW.detail := take_facts(NEW.audit_id, NEW.detail);
  NEW.hash := audit_entry_hash(NEW.audit_id, NEW.at, NEW.actor, NEW.action, NEW.partner_id,
    NEW.detail, NEW.previous_hash);
  UPDATE audit_head SET hash = NEW.hash,
    break_glasses = break_glasses + (NEW.detail::jsonb ? 'break_glass')::integer;
  IF NEW.detail::jsonb ? 'act' THEN
    SELECT * INTO v_act FROM acts WHERE act_id = (NEW.detail::jsonb ->> 'act')::uuid;
    IF v_act.name <> NEW.action AND NEW.action NOT IN ('approval.request', 'approval.collect')
      AND NOT (v_act.name = 'approval.approve' AND NEW.action = 'approval.void')
    THEN
      RAISE EXCEPTION '% was signed, not %', v_act.name, NEW.action
        USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_log_act_name';
    END IF;
  END IF;
  DELETE FROM act_marks WHERE transaction_id <> pg_current_xact_id();
  INSERT INTO act_marks (transaction_id, action, act_id)
  VALUES (pg_current_xact_id(), NEW.action, v_act.act_id);
  RETURN NEW;
END $$;
