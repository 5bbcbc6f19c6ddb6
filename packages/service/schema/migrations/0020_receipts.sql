-- Receipts of orders (Decision D103): the keys that sign them, the receipts, and how far they have been made.

-- No key is ever taken out, so that each receipt can be verified for ever. One signs: the one without an end.
-- The private half of a key that has ended is gone.
CREATE TABLE receipt_keys (
  key_id text CONSTRAINT receipt_keys_pk PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  sealed_private_key bytea,
  valid_from timestamptz(3) NOT NULL,
  valid_until timestamptz(3),
  CONSTRAINT receipt_keys_signing CHECK ((valid_until IS NULL) = (sealed_private_key IS NOT NULL)),
  CONSTRAINT receipt_keys_period CHECK (valid_until > valid_from)
);
CREATE UNIQUE INDEX receipt_keys_one_signs ON receipt_keys ((true)) WHERE valid_until IS NULL;
CREATE TRIGGER receipt_keys_kept BEFORE UPDATE OF key_id, public_jwk, valid_from OR DELETE OR TRUNCATE ON receipt_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipt_keys_ended BEFORE UPDATE ON receipt_keys
  FOR EACH ROW WHEN (OLD.valid_until IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipt_keys_in_control BEFORE INSERT OR UPDATE OR DELETE ON receipt_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER receipt_keys_by_act AFTER INSERT OR UPDATE OR DELETE ON receipt_keys
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();

-- The receipt of an order as it was signed, a compact JWS. `keep_receipts` writes it.
CREATE TABLE receipts (
  partner_id integer NOT NULL,
  order_id uuid NOT NULL,
  jws text NOT NULL,
  CONSTRAINT receipts_pk PRIMARY KEY (partner_id, order_id)
) WITH (
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 250000
);
CREATE TRIGGER receipts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The number of each partner's last event up to which all orders have the receipts that they can have; 0 without a
-- row. Events are numbered in the order of commits, so that no order is passed over.
CREATE TABLE receipt_marks (
  partner_id integer CONSTRAINT receipt_marks_pk PRIMARY KEY,
  last_event bigint NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp())
) WITH (fillfactor = 50);
-- Orders of before have no receipt.
INSERT INTO receipt_marks (partner_id, last_event) SELECT partner_id, last_event FROM accounts;
