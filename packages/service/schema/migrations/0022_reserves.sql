-- The reserve of each day in Riyadh (Decision D105): its text, what its commitments hide, and who signed it.

-- What two people saw on the operator's bank account at the end of a day. `reserve.bank.set` writes it.
CREATE TABLE reserve_banks (
  day date CONSTRAINT reserve_banks_pk PRIMARY KEY,
  amount_halalas bigint NOT NULL,
  -- That of the act that was signed; null where nobody signs.
  act_id uuid,
  set_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  CONSTRAINT reserve_banks_amount CHECK (amount_halalas BETWEEN 0 AND 100000000000000)
);

-- `keep_reserve` writes it: a day follows a day, and each names the hash of the one before.
CREATE TABLE reserves (
  day date CONSTRAINT reserves_pk PRIMARY KEY,
  previous_hash text,
  hash text NOT NULL CONSTRAINT reserves_hash_unique UNIQUE,
  body text NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  CONSTRAINT reserves_hash CHECK (hash = encode(sha256(convert_to(body, 'UTF8')), 'hex')),
  CONSTRAINT reserves_previous_fk FOREIGN KEY (previous_hash) REFERENCES reserves (hash)
);
CREATE UNIQUE INDEX reserves_follow ON reserves (coalesce(previous_hash, ''));

-- What the commitments of a reserve hide. Servers read a partner's own by `find_reserve_opening`.
CREATE TABLE reserve_openings (
  day date NOT NULL CONSTRAINT reserve_openings_day_fk REFERENCES reserves,
  partner_id integer NOT NULL,
  client_id text NOT NULL,
  pool_id text NOT NULL,
  cash_halalas bigint NOT NULL,
  gold_micrograms bigint NOT NULL,
  salt bytea NOT NULL,
  CONSTRAINT reserve_openings_pk PRIMARY KEY (day, partner_id),
  CONSTRAINT reserve_openings_salt CHECK (length(salt) = 32)
);

-- A compact JWS over a reserve's day and hash.
CREATE TABLE reserve_signatures (
  day date NOT NULL CONSTRAINT reserve_signatures_day_fk REFERENCES reserves,
  signer text NOT NULL,
  jws text NOT NULL,
  signed_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  CONSTRAINT reserve_signatures_pk PRIMARY KEY (day, signer),
  CONSTRAINT reserve_signatures_signer CHECK (signer IN ('operator', 'auditor'))
);

DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['reserve_banks', 'reserves', 'reserve_openings', 'reserve_signatures'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', v_table || '_immutable', v_table);
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
  END LOOP;
END $$;
CREATE TRIGGER reserve_banks_by_act AFTER INSERT ON reserve_banks
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER reserve_banks_noted AFTER INSERT OR UPDATE OR DELETE ON reserve_banks
  FOR EACH ROW EXECUTE FUNCTION note_row();

-- Two people enter it. The next entry takes the rule.
ALTER TABLE approval_rules DISABLE TRIGGER USER;
INSERT INTO approval_rules (act, conditions, approvers) VALUES ('reserve.bank.set', '[]', '["treasury", "administrator"]');
INSERT INTO changed_rows (transaction_id, fact, key, image)
SELECT '0', 'approval_rules', act, jsonb_build_object('act', act, 'conditions', conditions::text, 'approvers', approvers::text)
FROM approval_rules WHERE act = 'reserve.bank.set';
ALTER TABLE approval_rules ENABLE TRIGGER USER;
