-- The whole schema as one migration, grouped by subject, with the triggers and constraints that Drizzle
-- cannot express. `../tables.ts` lists the same tables for queries. Functions that may change lie beside the
-- code that calls them; here are only those that triggers need.

-- Refuses every change of rows that are append only (Decision D37, fault F28), also by the owner. Its triggers
-- fire on UPDATE, DELETE and TRUNCATE only, so orders, which insert, do not pay for them.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- The deployment and its cells

CREATE TABLE deployment (
  singleton boolean DEFAULT true CONSTRAINT deployment_pk PRIMARY KEY
    CONSTRAINT deployment_singleton CHECK (singleton),
  environment text NOT NULL,
  data_version integer NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  deployment_id uuid NOT NULL DEFAULT gen_random_uuid(),
  cell_id text NOT NULL DEFAULT 'main',
  CONSTRAINT deployment_environment CHECK (environment in ('sandbox', 'production'))
);

CREATE TABLE cells (
  cell_id text CONSTRAINT cells_pk PRIMARY KEY,
  added_at timestamptz(3) NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open',
  CONSTRAINT cells_cell_id CHECK (cell_id ~ '^[a-z][a-z0-9_]{0,30}$'),
  CONSTRAINT cells_state CHECK (state in ('open', 'draining', 'removed')),
  CONSTRAINT cells_main_stays CHECK (cell_id <> 'main' or state = 'open')
);
INSERT INTO cells (cell_id) VALUES ('main');

CREATE TABLE register_state (
  singleton boolean DEFAULT true CONSTRAINT register_state_pk PRIMARY KEY
    CONSTRAINT register_state_singleton CHECK (singleton),
  revision bigint NOT NULL DEFAULT 0
);
INSERT INTO register_state DEFAULT VALUES;

-- Partners and their credentials

CREATE TABLE partners (
  partner_id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT partners_pk PRIMARY KEY,
  client_id text NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active',
  settlement_iban text NOT NULL,
  webhook_url text,
  quote_min_micrograms bigint NOT NULL DEFAULT 10000,
  quote_max_micrograms bigint NOT NULL DEFAULT 10000000000,
  open_quotes_limit integer NOT NULL DEFAULT 100,
  spread_ppm bigint NOT NULL DEFAULT 5000,
  fee_ppm bigint NOT NULL DEFAULT 2500,
  vat_ppm bigint NOT NULL DEFAULT 0,
  rate_limits jsonb NOT NULL DEFAULT '{}'::jsonb,
  revision bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  cell_id text NOT NULL DEFAULT 'main' CONSTRAINT partners_cell_fk REFERENCES cells,
  CONSTRAINT partners_client_id_unique UNIQUE (client_id),
  CONSTRAINT partners_status CHECK (status in ('active', 'suspended')),
  CONSTRAINT partners_quote_bounds
    CHECK (0 < quote_min_micrograms and quote_min_micrograms <= quote_max_micrograms),
  CONSTRAINT partners_open_quotes_limit CHECK (open_quotes_limit > 0),
  CONSTRAINT partners_rates
    CHECK (spread_ppm between 0 and 999999 and fee_ppm between 0 and 1000000
      and vat_ppm between 0 and 1000000)
);
CREATE INDEX partners_revision_index ON partners (revision);
CREATE INDEX partners_cell ON partners (cell_id);

-- In a cell a partner's row arrives as a copy of control's (Decision D53), and this trigger opens its accounts.
-- It is disabled until a database becomes a cell, and then fires for replicated rows only (docs/scale.md). The
-- function's body is in `../../ledger/accounts.sql`.
CREATE FUNCTION open_accounts_of_copy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE TRIGGER partners_copied AFTER INSERT ON partners
  FOR EACH ROW EXECUTE FUNCTION open_accounts_of_copy();
ALTER TABLE partners DISABLE TRIGGER partners_copied;

CREATE TABLE certificates (
  partner_id integer NOT NULL CONSTRAINT certificates_partner_fk REFERENCES partners,
  certificate_hash bytea NOT NULL,
  serial text NOT NULL,
  subject text NOT NULL,
  pem text NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  token_auth text NOT NULL DEFAULT 'client_secret_post',
  scope text NOT NULL DEFAULT 'read trade withdraw',
  CONSTRAINT certificates_pk PRIMARY KEY (partner_id, certificate_hash),
  CONSTRAINT certificates_hash_unique UNIQUE (certificate_hash),
  CONSTRAINT certificates_token_auth CHECK (token_auth in ('client_secret_post', 'tls_client_auth')),
  CONSTRAINT certificates_hash_length CHECK (length(certificate_hash) = 32)
);

CREATE TABLE client_secrets (
  partner_id integer NOT NULL CONSTRAINT client_secrets_partner_fk REFERENCES partners,
  secret_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  CONSTRAINT client_secrets_pk PRIMARY KEY (partner_id, secret_id)
);

CREATE TABLE signing_keys (
  partner_id integer NOT NULL CONSTRAINT signing_keys_partner_fk REFERENCES partners,
  key_id text NOT NULL,
  public_jwk jsonb NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  CONSTRAINT signing_keys_pk PRIMARY KEY (partner_id, key_id)
);

CREATE TABLE webhook_secrets (
  partner_id integer NOT NULL CONSTRAINT webhook_secrets_partner_fk REFERENCES partners,
  secret_id uuid NOT NULL,
  sealed_secret bytea NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  CONSTRAINT webhook_secrets_pk PRIMARY KEY (partner_id, secret_id)
);

CREATE TABLE source_addresses (
  partner_id integer NOT NULL CONSTRAINT source_addresses_partner_fk REFERENCES partners,
  cidr text NOT NULL,
  CONSTRAINT source_addresses_pk PRIMARY KEY (partner_id, cidr)
);

CREATE TABLE credential_warnings (
  partner_id integer NOT NULL CONSTRAINT credential_warnings_partner_fk REFERENCES partners,
  credential_kind text NOT NULL,
  credential_id text NOT NULL,
  days_before integer NOT NULL,
  warned_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT credential_warnings_pk PRIMARY KEY (partner_id, credential_kind, credential_id, days_before)
);

-- Keys of the service

CREATE TABLE authorities (
  name text CONSTRAINT authorities_pk PRIMARY KEY,
  certificate_pem text NOT NULL,
  sealed_private_key bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revocation_list_pem text
);

CREATE TABLE sealed_keys (
  name text CONSTRAINT sealed_keys_pk PRIMARY KEY,
  master_key_id text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE token_keys (
  key_id text CONSTRAINT token_keys_pk PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  sealed_private_key bytea NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE revoked_tokens (
  token_id uuid CONSTRAINT revoked_tokens_pk PRIMARY KEY,
  partner_id integer NOT NULL,
  valid_until timestamptz(3) NOT NULL,
  revision bigint NOT NULL
);
CREATE INDEX revoked_tokens_revision_index ON revoked_tokens (revision);

-- The ledger. Each batch of orders updates its partners' rows of `accounts`: free room in the page keeps the
-- new version beside the old one (no index entry), and vacuum starts by a fixed number of updates, not by the
-- table's size. Tables that only grow are vacuumed after a fixed number of new rows, in many small rounds
-- instead of a few that take minutes and fill the log: index-only scans are slow on unvacuumed rows.

CREATE TABLE accounts (
  partner_id integer CONSTRAINT accounts_pk PRIMARY KEY CONSTRAINT accounts_partner_fk REFERENCES partners,
  cash_halalas bigint NOT NULL DEFAULT 0,
  house_cash_halalas bigint NOT NULL DEFAULT 0,
  withdrawals_halalas bigint NOT NULL DEFAULT 0,
  bank_halalas bigint NOT NULL DEFAULT 0,
  gold_micrograms bigint NOT NULL DEFAULT 0,
  allocation_micrograms bigint NOT NULL DEFAULT 0,
  vault_micrograms bigint NOT NULL DEFAULT 0,
  last_transfer bigint NOT NULL DEFAULT 0,
  last_event bigint NOT NULL DEFAULT 0,
  open_quotes integer NOT NULL DEFAULT 0,
  last_key bigint NOT NULL DEFAULT 0,
  digested_parts integer NOT NULL DEFAULT 0,
  CONSTRAINT accounts_cash_not_negative CHECK (cash_halalas >= 0),
  CONSTRAINT accounts_withdrawals_not_negative CHECK (withdrawals_halalas >= 0),
  CONSTRAINT accounts_gold_not_negative CHECK (gold_micrograms >= 0),
  CONSTRAINT accounts_allocation_not_negative CHECK (allocation_micrograms >= 0),
  CONSTRAINT accounts_cash_balanced
    CHECK (cash_halalas + house_cash_halalas + withdrawals_halalas + bank_halalas = 0),
  CONSTRAINT accounts_gold_balanced CHECK (gold_micrograms + allocation_micrograms + vault_micrograms = 0)
) WITH (
  fillfactor = 25,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000
);

CREATE TABLE transfers (
  partner_id integer NOT NULL,
  number bigint NOT NULL,
  amount bigint NOT NULL,
  posted_at timestamptz(3) NOT NULL,
  source_id uuid NOT NULL,
  asset text NOT NULL,
  debit_account text NOT NULL,
  credit_account text NOT NULL,
  source_kind text NOT NULL,
  CONSTRAINT transfers_pk PRIMARY KEY (partner_id, number),
  CONSTRAINT transfers_amount CHECK (amount > 0),
  CONSTRAINT transfers_asset CHECK (asset in ('SAR', 'XAU')),
  CONSTRAINT transfers_accounts CHECK (debit_account <> credit_account)
) WITH (
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 500000
);
CREATE TRIGGER transfers_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Updated in place by each round of the balance guard, as accounts are by each order.
CREATE TABLE balance_checkpoints (
  partner_id integer CONSTRAINT balance_checkpoints_pk PRIMARY KEY,
  up_to bigint NOT NULL,
  cash_halalas bigint NOT NULL,
  house_cash_halalas bigint NOT NULL,
  withdrawals_halalas bigint NOT NULL,
  bank_halalas bigint NOT NULL,
  gold_micrograms bigint NOT NULL,
  allocation_micrograms bigint NOT NULL,
  vault_micrograms bigint NOT NULL,
  differs_since timestamptz(3),
  CONSTRAINT balance_checkpoints_partner_fk FOREIGN KEY (partner_id) REFERENCES partners(partner_id)
) WITH (
  fillfactor = 25,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000
);

CREATE TABLE balance_round (
  singleton boolean DEFAULT true CONSTRAINT balance_round_pk PRIMARY KEY
    CONSTRAINT balance_round_singleton CHECK (singleton),
  finished_at timestamptz(3)
);
INSERT INTO balance_round DEFAULT VALUES;

CREATE TABLE day_closings (
  partner_id integer NOT NULL CONSTRAINT day_closings_partner_fk REFERENCES partners,
  next_number bigint NOT NULL,
  cash_halalas bigint NOT NULL,
  gold_micrograms bigint NOT NULL,
  CONSTRAINT day_closings_pk PRIMARY KEY (partner_id, next_number)
);
CREATE TRIGGER day_closings_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON day_closings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE recounts (
  partner_id integer CONSTRAINT recounts_pk PRIMARY KEY CONSTRAINT recounts_partner_fk REFERENCES partners,
  since timestamptz(3) NOT NULL,
  first_transfer bigint NOT NULL,
  first_event bigint NOT NULL,
  first_generation smallint NOT NULL,
  cash_halalas bigint NOT NULL,
  house_cash_halalas bigint NOT NULL,
  withdrawals_halalas bigint NOT NULL,
  bank_halalas bigint NOT NULL,
  gold_micrograms bigint NOT NULL,
  allocation_micrograms bigint NOT NULL,
  vault_micrograms bigint NOT NULL
);

CREATE TABLE recount_results (
  recount_id uuid DEFAULT gen_random_uuid() CONSTRAINT recount_results_pk PRIMARY KEY,
  finished_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  who text NOT NULL,
  client_id text,
  since timestamptz(3),
  duration_ms integer NOT NULL,
  partners integer NOT NULL,
  difference_count integer NOT NULL,
  differences jsonb NOT NULL
);

-- Prices

CREATE TABLE price_settings (
  singleton boolean DEFAULT true CONSTRAINT price_settings_pk PRIMARY KEY
    CONSTRAINT price_settings_singleton CHECK (singleton),
  source text NOT NULL DEFAULT 'simulated',
  configuration jsonb NOT NULL DEFAULT '{}'::jsonb,
  paused boolean NOT NULL DEFAULT false,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT price_settings_source CHECK (source in ('simulated', 'fixed', 'feed'))
);
INSERT INTO price_settings DEFAULT VALUES;

CREATE TABLE price_minutes (
  minute timestamptz(3) CONSTRAINT price_minutes_pk PRIMARY KEY,
  least_ten_thousandths bigint NOT NULL,
  most_ten_thousandths bigint NOT NULL,
  last_ten_thousandths bigint NOT NULL,
  CONSTRAINT price_minutes_order
    CHECK (0 < least_ten_thousandths and least_ten_thousandths <= last_ten_thousandths
      and last_ten_thousandths <= most_ten_thousandths)
);

-- Quotes, orders, withdrawals and fundings, whose terms never change

CREATE TABLE quotes (
  partner_id integer NOT NULL,
  quote_id uuid NOT NULL,
  gold_micrograms bigint NOT NULL,
  price_ten_thousandths bigint NOT NULL,
  fee_halalas bigint NOT NULL,
  vat_ppm bigint NOT NULL,
  vat_halalas bigint NOT NULL,
  total_halalas bigint NOT NULL,
  price_as_of timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  side text NOT NULL,
  requested_halalas bigint,
  CONSTRAINT quotes_pk PRIMARY KEY (partner_id, quote_id),
  CONSTRAINT quotes_side CHECK (side in ('buy', 'sell')),
  CONSTRAINT quotes_amounts CHECK (gold_micrograms > 0 and total_halalas > 0)
) WITH (
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 250000
);
CREATE TRIGGER quotes_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON quotes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE orders (
  partner_id integer NOT NULL,
  order_id uuid NOT NULL,
  quote_id uuid NOT NULL,
  gold_micrograms bigint NOT NULL,
  price_ten_thousandths bigint NOT NULL,
  fee_halalas bigint NOT NULL,
  vat_halalas bigint NOT NULL,
  total_halalas bigint NOT NULL,
  cash_after_halalas bigint NOT NULL,
  gold_after_micrograms bigint NOT NULL,
  executed_at timestamptz(3) NOT NULL,
  side text NOT NULL,
  client_reference text,
  CONSTRAINT orders_pk PRIMARY KEY (partner_id, order_id),
  CONSTRAINT orders_quote_unique UNIQUE (partner_id, quote_id)
) WITH (
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 250000
);
CREATE TRIGGER orders_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE withdrawals (
  partner_id integer NOT NULL,
  withdrawal_id uuid NOT NULL,
  amount_halalas bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  completed_at timestamptz(3),
  status text NOT NULL,
  iban text NOT NULL,
  client_reference text,
  failure text,
  CONSTRAINT withdrawals_pk PRIMARY KEY (partner_id, withdrawal_id),
  CONSTRAINT withdrawals_amount CHECK (amount_halalas > 0),
  CONSTRAINT withdrawals_status
    CHECK (status in ('pending', 'processing', 'completed', 'failed', 'cancelled'))
);
CREATE INDEX withdrawals_status_index ON withdrawals (partner_id, status, withdrawal_id);
CREATE INDEX withdrawals_unfinished_index ON withdrawals (status, created_at) WHERE status in ('pending',
    'processing');

-- A withdrawal's status changes (Decision D13), but its terms and its final status never do.
CREATE TRIGGER withdrawals_kept BEFORE DELETE OR TRUNCATE ON withdrawals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawals_terms_immutable
  BEFORE UPDATE OF partner_id, withdrawal_id, amount_halalas, created_at, iban, client_reference
  ON withdrawals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawals_ended_immutable BEFORE UPDATE ON withdrawals
  FOR EACH ROW WHEN (OLD.status IN ('completed', 'failed', 'cancelled'))
  EXECUTE FUNCTION refuse_change();

CREATE TABLE fundings (
  partner_id integer NOT NULL,
  funding_id uuid NOT NULL,
  amount_halalas bigint NOT NULL,
  cash_after_halalas bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  reference text,
  CONSTRAINT fundings_pk PRIMARY KEY (partner_id, funding_id),
  CONSTRAINT fundings_reference_unique UNIQUE (partner_id, reference),
  CONSTRAINT fundings_amount CHECK (amount_halalas > 0)
);
CREATE TRIGGER fundings_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON fundings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Nonces and Idempotency-Keys

-- Spent nonces (Decision D25), partitioned by the signed timestamp: 21 600 seconds a partition,
-- named nonces_<first second>, made ahead and dropped whole. A nonce is unique within a partition by its
-- key, and across partitions because every spender locks the partner's accounts row.
CREATE TABLE nonces (
  partner_id integer NOT NULL,
  timestamp_seconds bigint NOT NULL,
  nonce_hash bytea NOT NULL,
  CONSTRAINT nonces_hash_length CHECK (length(nonce_hash) = 16)
) PARTITION BY RANGE (timestamp_seconds);

CREATE TABLE idempotency_keys (
  partner_id integer NOT NULL,
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  resource_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  resource_kind text NOT NULL,
  CONSTRAINT idempotency_keys_pk PRIMARY KEY (partner_id, key_hash),
  CONSTRAINT idempotency_keys_lengths CHECK (length(key_hash) = 16 and length(fingerprint) = 16)
);

-- The keys of quotes and orders, in generations (`key_generation`): new keys go into the last generation only,
-- however many there are. Reading the parent table, which holds the keys of other writes, reads these too.
CREATE TABLE trade_keys (
  generation smallint NOT NULL,
  CONSTRAINT trade_keys_pk PRIMARY KEY (partner_id, generation, key_hash)
) INHERITS (idempotency_keys) WITH (
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 500000
);

-- Each order of a large partner reads a whole row, so a row stays within its page: up to 2 000 digests,
-- enough for 130 million keys. A row is rewritten once per generation.
CREATE TABLE key_digests (
  partner_id integer NOT NULL,
  bucket integer NOT NULL,
  digests integer[] NOT NULL,
  CONSTRAINT key_digests_pk PRIMARY KEY (partner_id, bucket)
) WITH (
  fillfactor = 50,
  toast_tuple_target = 8160
);
ALTER TABLE key_digests ALTER COLUMN digests SET STORAGE MAIN;

-- Events, which never change, and their delivery

CREATE TABLE events (
  partner_id integer NOT NULL,
  sequence bigint NOT NULL,
  event_id uuid NOT NULL,
  resource_id uuid,
  created_at timestamptz(3) NOT NULL,
  type text NOT NULL,
  object text,
  CONSTRAINT events_pk PRIMARY KEY (partner_id, sequence),
  CONSTRAINT events_id_unique UNIQUE (partner_id, event_id)
) WITH (
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 250000
);
CREATE INDEX events_resource_index ON events (partner_id, resource_id, sequence) WHERE type <>
    'order.executed';
CREATE TRIGGER events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE webhook_lanes (
  partner_id integer CONSTRAINT webhook_lanes_pk PRIMARY KEY,
  next_sequence bigint NOT NULL DEFAULT 1,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
  leased_until timestamptz(3),
  disabled_at timestamptz(3),
  disabled_reason text,
  in_flight integer NOT NULL DEFAULT 16,
  failing_since timestamptz(3),
  leased_by uuid,
  CONSTRAINT webhook_lanes_in_flight CHECK (in_flight between 1 and 64),
  CONSTRAINT webhook_lanes_partner_fk FOREIGN KEY (partner_id) REFERENCES partners(partner_id)
) WITH (
  fillfactor = 25,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000
);

CREATE TABLE event_deliveries (
  partner_id integer NOT NULL,
  sequence bigint NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  leased_until timestamptz(3),
  last_attempt_at timestamptz(3),
  last_status integer,
  last_error text,
  CONSTRAINT event_deliveries_pk PRIMARY KEY (partner_id, sequence),
  CONSTRAINT event_deliveries_state CHECK (state in ('failing', 'delivered', 'exhausted', 'requested')),
  CONSTRAINT event_deliveries_event_fk FOREIGN KEY (partner_id, sequence)
    REFERENCES events(partner_id, sequence)
);
CREATE INDEX event_deliveries_state_index ON event_deliveries (partner_id, state, sequence);
CREATE INDEX event_deliveries_due_index ON event_deliveries (next_attempt_at) WHERE next_attempt_at is not
    null;

-- Attempts to deliver events (Decision D54), partitioned by day in UTC: webhook_attempts_<YYYYMMDD>, made
-- ahead and dropped whole. `failure` is null if the endpoint accepted the event; `address` is the IP address
-- that the attempt connected to. These rows prove deliveries and never change.
CREATE TABLE webhook_attempts (
  partner_id integer NOT NULL,
  sequence bigint NOT NULL,
  attempted_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  failure text,
  address text,
  CONSTRAINT webhook_attempts_pk PRIMARY KEY (partner_id, sequence, attempted_at)
) PARTITION BY RANGE (attempted_at);
CREATE TRIGGER webhook_attempts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON webhook_attempts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The vault

CREATE TABLE vault (
  singleton boolean DEFAULT true CONSTRAINT vault_pk PRIMARY KEY
    CONSTRAINT vault_singleton CHECK (singleton),
  bars_micrograms bigint NOT NULL DEFAULT 0,
  allocated_micrograms bigint NOT NULL DEFAULT 0,
  CONSTRAINT vault_backs_allocations
    CHECK (0 <= allocated_micrograms and allocated_micrograms <= bars_micrograms)
);
INSERT INTO vault DEFAULT VALUES;

CREATE TABLE vault_bars (
  serial text CONSTRAINT vault_bars_pk PRIMARY KEY,
  refiner text NOT NULL,
  fineness_ten_thousandths integer NOT NULL,
  weight_micrograms bigint NOT NULL,
  added_at timestamptz(3) NOT NULL DEFAULT now(),
  removed_at timestamptz(3),
  CONSTRAINT vault_bars_weight CHECK (weight_micrograms > 0),
  CONSTRAINT vault_bars_fineness CHECK (fineness_ten_thousandths between 9900 and 10000)
);

-- Operators and their acts, and what no role may change about them (Decisions D50, D79)

CREATE TABLE operators (
  operator_id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT operators_pk PRIMARY KEY,
  name text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT operators_name_unique UNIQUE (name),
  CONSTRAINT operators_name CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$')
);
CREATE TRIGGER operators_kept BEFORE UPDATE OF operator_id, name, created_at OR DELETE OR TRUNCATE
  ON operators FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE operator_roles (
  operator_id integer NOT NULL CONSTRAINT operator_roles_operator_fk REFERENCES operators,
  role text NOT NULL,
  CONSTRAINT operator_roles_pk PRIMARY KEY (operator_id, role),
  CONSTRAINT operator_roles_role
    CHECK (role in ('auditor', 'support', 'partners', 'treasury', 'vault', 'prices', 'administrator'))
);

CREATE TABLE operator_keys (
  key_id text CONSTRAINT operator_keys_pk PRIMARY KEY,
  operator_id integer NOT NULL CONSTRAINT operator_keys_operator_fk REFERENCES operators,
  public_jwk jsonb NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  credential_id text,
  rp_id text,
  CONSTRAINT operator_keys_credential_unique UNIQUE (credential_id),
  CONSTRAINT operator_keys_owner_unique UNIQUE (key_id, operator_id),
  CONSTRAINT operator_keys_passkey CHECK ((credential_id is null) = (rp_id is null))
);
CREATE TRIGGER operator_keys_kept
  BEFORE UPDATE OF key_id, operator_id, public_jwk, valid_from OR DELETE OR TRUNCATE
  ON operator_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_keys_end_later BEFORE UPDATE ON operator_keys FOR EACH ROW
  WHEN (OLD.valid_until < coalesce(NEW.valid_until, 'infinity'))
  EXECUTE FUNCTION refuse_change();
-- A passkey's credential id and relying party never change (Decision D82).
CREATE TRIGGER operator_keys_passkey_kept BEFORE UPDATE OF credential_id, rp_id ON operator_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE acts (
  act_id uuid CONSTRAINT acts_pk PRIMARY KEY,
  name text NOT NULL,
  arguments text NOT NULL,
  signed_at timestamptz(3) NOT NULL,
  operator_id integer NOT NULL,
  key_id text NOT NULL,
  signature text NOT NULL,
  CONSTRAINT acts_person_unique UNIQUE (act_id, operator_id),
  CONSTRAINT acts_key_fk FOREIGN KEY (key_id, operator_id) REFERENCES operator_keys(key_id, operator_id)
);
CREATE TRIGGER acts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The signing key is valid and its operator enabled, and the signature is recent.
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
END $$;
CREATE TRIGGER acts_signer BEFORE INSERT ON acts
  FOR EACH ROW EXECUTE FUNCTION check_act();

CREATE TABLE office (
  singleton boolean DEFAULT true CONSTRAINT office_pk PRIMARY KEY
    CONSTRAINT office_singleton CHECK (singleton),
  people_since timestamptz(3),
  approval_seconds integer NOT NULL DEFAULT 86400,
  CONSTRAINT office_approval_seconds CHECK (approval_seconds between 60 and 2592000)
);
INSERT INTO office DEFAULT VALUES;
CREATE TRIGGER office_kept BEFORE DELETE OR TRUNCATE ON office
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER office_goes_one_way BEFORE UPDATE ON office FOR EACH ROW
  WHEN (OLD.people_since IS NOT NULL AND OLD.people_since IS DISTINCT FROM NEW.people_since)
  EXECUTE FUNCTION refuse_change();

-- From the moment when two administrators have keys, acts need a person. If the keys of two are registered
-- at the same moment, the second transaction waits for the first and then counts both.
CREATE FUNCTION begin_people() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM office WHERE people_since IS NULL FOR UPDATE;
  UPDATE office SET people_since = clock_timestamp() WHERE people_since IS NULL AND 2 <= (
    SELECT count(DISTINCT operator_id) FROM operator_roles JOIN operator_keys USING (operator_id)
    WHERE role = 'administrator');
  RETURN NULL;
END $$;
CREATE TRIGGER operator_roles_begin_people AFTER INSERT ON operator_roles
  FOR EACH STATEMENT EXECUTE FUNCTION begin_people();
CREATE TRIGGER operator_keys_begin_people AFTER INSERT ON operator_keys
  FOR EACH STATEMENT EXECUTE FUNCTION begin_people();

-- Sign-in of operators. A link is used once. An operator's identity at the company's provider never changes,
-- and its end is final (Decision D84).

CREATE TABLE operator_links (
  link_hash bytea CONSTRAINT operator_links_pk PRIMARY KEY,
  operator_id integer NOT NULL CONSTRAINT operator_links_operator_fk REFERENCES operators,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
CREATE TRIGGER operator_links_kept
  BEFORE UPDATE OF link_hash, operator_id, expires_at OR DELETE OR TRUNCATE ON operator_links
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_links_used_once BEFORE UPDATE ON operator_links
  FOR EACH ROW WHEN (OLD.used_at IS NOT NULL) EXECUTE FUNCTION refuse_change();

CREATE TABLE operator_identities (
  identity_id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT operator_identities_pk PRIMARY KEY,
  operator_id integer NOT NULL CONSTRAINT operator_identities_operator_fk REFERENCES operators,
  issuer text NOT NULL,
  subject text NOT NULL,
  valid_from timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  valid_until timestamptz(3),
  CONSTRAINT operator_identities_owner_unique UNIQUE (identity_id, operator_id)
);
CREATE UNIQUE INDEX operator_identities_valid_unique ON operator_identities (issuer, subject) WHERE
    valid_until is null;
CREATE TRIGGER operator_identities_kept
  BEFORE UPDATE OF identity_id, operator_id, issuer, subject, valid_from OR DELETE OR TRUNCATE
  ON operator_identities FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_identities_end_once BEFORE UPDATE ON operator_identities
  FOR EACH ROW WHEN (OLD.valid_until IS NOT NULL) EXECUTE FUNCTION refuse_change();

CREATE TABLE operator_sessions (
  session_hash bytea CONSTRAINT operator_sessions_pk PRIMARY KEY,
  operator_id integer NOT NULL,
  key_id text,
  signed_in_from text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  identity_id integer,
  CONSTRAINT operator_sessions_by CHECK ((key_id is null) <> (identity_id is null)),
  CONSTRAINT operator_sessions_key_fk FOREIGN KEY (key_id, operator_id)
    REFERENCES operator_keys(key_id, operator_id),
  CONSTRAINT operator_sessions_identity_fk FOREIGN KEY (identity_id, operator_id)
    REFERENCES operator_identities(identity_id, operator_id)
);
CREATE INDEX operator_sessions_expires_at ON operator_sessions (expires_at);

CREATE TABLE operator_challenges (
  challenge bytea CONSTRAINT operator_challenges_pk PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX operator_challenges_expires_at ON operator_challenges (expires_at);

CREATE TABLE operator_nonces (
  key_id text NOT NULL,
  nonce text NOT NULL,
  signed_at timestamptz(3) NOT NULL,
  CONSTRAINT operator_nonces_pk PRIMARY KEY (key_id, nonce)
);
CREATE INDEX operator_nonces_signed_at ON operator_nonces (signed_at);

-- Approvals, and the acts that need two people by default (Decision D81)

CREATE TABLE approval_rules (
  act text CONSTRAINT approval_rules_pk PRIMARY KEY,
  conditions jsonb NOT NULL DEFAULT '[]'::jsonb,
  approvers jsonb NOT NULL
);
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
  ('policy.time', '[]', '["administrator"]'),
  ('operator.link', '[]', '["administrator"]'),
  ('operator.identity.add', '[]', '["administrator"]');
-- A change of the policy itself always needs two people.
CREATE TRIGGER approval_rules_of_policy BEFORE UPDATE OR DELETE ON approval_rules FOR EACH ROW
  WHEN (OLD.act LIKE 'policy.%') EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approval_rules_kept BEFORE TRUNCATE ON approval_rules
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE approvals (
  request_id uuid CONSTRAINT approvals_pk PRIMARY KEY,
  requester_id integer NOT NULL,
  requested_from text NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  facts text NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  decision_id uuid,
  decider_id integer,
  decided_at timestamptz(3),
  reason text,
  CONSTRAINT approvals_decision_unique UNIQUE (decision_id),
  CONSTRAINT approvals_state CHECK (state in ('waiting', 'done', 'rejected', 'void')),
  CONSTRAINT approvals_second_person CHECK (state <> 'done' or decider_id <> requester_id),
  CONSTRAINT approvals_in_time CHECK (state <> 'done' or decided_at <= expires_at),
  CONSTRAINT approvals_decided
    CHECK ((state = 'waiting') = (decision_id is null) and (decision_id is null) = (decider_id is null)
      and (decision_id is null) = (decided_at is null)),
  CONSTRAINT approvals_request_fk FOREIGN KEY (request_id, requester_id) REFERENCES acts(act_id, operator_id),
  CONSTRAINT approvals_decision_fk FOREIGN KEY (decision_id, decider_id) REFERENCES acts(act_id, operator_id)
);

-- A request's terms never change, and its end is final.
CREATE TRIGGER approvals_kept BEFORE DELETE OR TRUNCATE ON approvals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approvals_terms_immutable
  BEFORE UPDATE OF request_id, requester_id, requested_from, requested_at, expires_at, facts
  ON approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approvals_ended_immutable BEFORE UPDATE ON approvals
  FOR EACH ROW WHEN (OLD.state <> 'waiting') EXECUTE FUNCTION refuse_change();

-- The audit log, a chain (Decision D71)

CREATE TABLE audit_log (
  audit_id bigserial CONSTRAINT audit_log_pk PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  action text NOT NULL,
  partner_id integer,
  detail text NOT NULL DEFAULT '{}',
  previous_hash bytea NOT NULL DEFAULT ''::bytea,
  hash bytea NOT NULL DEFAULT ''::bytea,
  act_id uuid GENERATED ALWAYS AS (((detail::jsonb) ->> 'act')::uuid) STORED,
  CONSTRAINT audit_log_act_unique UNIQUE (act_id, action),
  CONSTRAINT audit_log_act_fk FOREIGN KEY (act_id) REFERENCES acts(act_id)
);
CREATE TRIGGER audit_log_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_head (
  singleton boolean DEFAULT true CONSTRAINT audit_head_pk PRIMARY KEY
    CONSTRAINT audit_head_singleton CHECK (singleton),
  audit_id bigint NOT NULL,
  hash bytea NOT NULL,
  break_glasses integer NOT NULL DEFAULT 0
);
-- Genesis is a hash of 32 zero bytes.
INSERT INTO audit_head (audit_id, hash) VALUES (0, decode(repeat('00', 32), 'hex'));
CREATE TRIGGER audit_head_kept BEFORE DELETE OR TRUNCATE ON audit_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Each field is hashed as its length in bytes, a colon, the field and a comma, so that different entries
-- never have the same text. `packages/service/audit/audit_chain.ts` computes it independently.
CREATE FUNCTION audit_entry_hash(
  number bigint, moment timestamptz, actor text, action text, partner integer, detail text,
  previous bytea
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(string_agg(octet_length(field) || ':' || field || ',', '' ORDER BY place), 'UTF8'))
  FROM unnest(ARRAY[
    number::text, (extract(epoch FROM moment) * 1000)::bigint::text, actor, action,
    coalesce(partner::text, ''), detail, encode(previous, 'hex')
  ]) WITH ORDINALITY AS fields (field, place)
$$;

-- The head's row is locked until the transaction commits, so entries are chained in the order of commits and
-- their numbers have no gaps. The function updates the head, which no role may write (Decision D48), and
-- counts there the acts by which somebody broke the glass, for monitoring.
CREATE FUNCTION chain_audit_entry() RETURNS trigger
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
CREATE TRIGGER audit_log_chained BEFORE INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();

-- Only the owner may write an entry without a person: by its own programs, or when somebody breaks the glass.
CREATE FUNCTION demand_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.detail::jsonb ? 'act'
    -- The act that registers the second administrator's key still has no person.
    OR (SELECT coalesce(people_since >= date_trunc('milliseconds', now()), true) FROM office)
    OR pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'an act needs a person, or the owner who breaks the glass'
    USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'audit_log_person';
END $$;
CREATE TRIGGER audit_log_person BEFORE INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION demand_person();

-- Acts on partners' rows. An act's terms never change and it is finished once; a booking is never undone.

CREATE TABLE cell_acts (
  act_id uuid CONSTRAINT cell_acts_pk PRIMARY KEY,
  cell_id text NOT NULL CONSTRAINT cell_acts_cell_fk REFERENCES cells,
  partner_id integer NOT NULL CONSTRAINT cell_acts_partner_fk REFERENCES partners,
  name text NOT NULL,
  subject_id uuid NOT NULL,
  amount bigint,
  note text,
  recorded_at timestamptz(3) NOT NULL DEFAULT now(),
  result text,
  finished_at timestamptz(3),
  CONSTRAINT cell_acts_amount CHECK (amount > 0),
  CONSTRAINT cell_acts_finished CHECK ((result is null) = (finished_at is null))
);
CREATE INDEX cell_acts_cell ON cell_acts (cell_id);
CREATE INDEX cell_acts_open ON cell_acts (recorded_at) WHERE result is null;
CREATE TRIGGER cell_acts_kept BEFORE DELETE OR TRUNCATE ON cell_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cell_acts_terms_immutable
  BEFORE UPDATE OF act_id, cell_id, partner_id, name, subject_id, amount, note, recorded_at
  ON cell_acts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cell_acts_finished_immutable BEFORE UPDATE ON cell_acts
  FOR EACH ROW WHEN (OLD.result IS NOT NULL) EXECUTE FUNCTION refuse_change();

CREATE TABLE booked_acts (
  partner_id integer NOT NULL,
  act_id uuid NOT NULL,
  result text NOT NULL,
  booked_at timestamptz(3) NOT NULL,
  CONSTRAINT booked_acts_pk PRIMARY KEY (partner_id, act_id)
);
CREATE TRIGGER booked_acts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON booked_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Moves of partners between cells. A move's terms never change and it ends once; a cell's record of a
-- partner that left or entered is never deleted.

CREATE TABLE partner_moves (
  move_id uuid CONSTRAINT partner_moves_pk PRIMARY KEY,
  partner_id integer NOT NULL CONSTRAINT partner_moves_partner_fk REFERENCES partners,
  from_cell text NOT NULL CONSTRAINT partner_moves_from_fk REFERENCES cells,
  to_cell text NOT NULL CONSTRAINT partner_moves_to_fk REFERENCES cells,
  step text NOT NULL DEFAULT 'copying',
  leave_act_id uuid NOT NULL,
  enter_act_id uuid NOT NULL,
  begun_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  CONSTRAINT partner_moves_cells CHECK (from_cell <> to_cell),
  CONSTRAINT partner_moves_step CHECK (step in ('copying', 'fencing', 'switched', 'done', 'cancelled')),
  CONSTRAINT partner_moves_ended CHECK ((step in ('done', 'cancelled')) = (ended_at is not null))
);
CREATE UNIQUE INDEX partner_moves_open ON partner_moves (partner_id) WHERE ended_at is null;
CREATE TRIGGER partner_moves_kept BEFORE DELETE OR TRUNCATE ON partner_moves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER partner_moves_terms_immutable
  BEFORE UPDATE OF move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id, begun_at
  ON partner_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER partner_moves_ended_immutable BEFORE UPDATE ON partner_moves
  FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_change();

CREATE TABLE move_ends (
  move_id uuid NOT NULL,
  partner_id integer NOT NULL,
  side text NOT NULL,
  accounts text,
  lane text,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT move_ends_pk PRIMARY KEY (move_id, side),
  CONSTRAINT move_ends_side CHECK (side in ('awaited', 'entered', 'left'))
);
CREATE TRIGGER move_ends_kept BEFORE DELETE OR TRUNCATE ON move_ends
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER move_ends_immutable BEFORE UPDATE ON move_ends
  FOR EACH ROW WHEN (OLD.side <> 'awaited') EXECUTE FUNCTION refuse_change();

-- Control's tables are written in control only (Decision D53). In other cells they are empty or copies, which
-- a subscription writes without firing this trigger. The owner, who migrates a cell, is not held back.
CREATE FUNCTION refuse_in_cell() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM deployment WHERE cell_id <> 'main') AND NOT pg_has_role(session_user,
    (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER')
  THEN
    RAISE EXCEPTION '% is written in control', TG_TABLE_NAME
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['acts', 'approval_rules', 'approvals', 'authorities', 'cell_acts', 'cells',
    'certificates', 'client_secrets', 'credential_warnings', 'office', 'operator_challenges',
    'operator_identities', 'operator_keys', 'operator_links', 'operator_nonces', 'operator_roles',
    'operator_sessions', 'operators', 'partner_moves', 'partners', 'price_minutes', 'price_settings',
    'recount_results', 'register_state', 'revoked_tokens', 'sealed_keys', 'signing_keys',
    'source_addresses', 'token_keys', 'vault', 'vault_bars', 'webhook_secrets']
  LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
  END LOOP;
END $$;
