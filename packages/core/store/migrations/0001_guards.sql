-- What Drizzle's schema cannot say: rows that exist once, rows that never change, and the nonces.

INSERT INTO register_state DEFAULT VALUES;--> statement-breakpoint
INSERT INTO price_settings DEFAULT VALUES;--> statement-breakpoint
INSERT INTO vault DEFAULT VALUES;--> statement-breakpoint

-- Immutable tables (Decision D37, fault F28): whoever tries, owner included.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER transfers_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER audit_log_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint

-- Spent nonces (Decision D25), partitioned by the signed timestamp: 21 600 seconds a partition,
-- named nonces_<first second>, made ahead and dropped whole. Each partition is unique by itself;
-- across partitions the accounts row of the partner, locked by every spender, keeps them apart.
CREATE TABLE nonces (
  partner_id integer NOT NULL,
  timestamp_seconds bigint NOT NULL,
  nonce_hash bytea NOT NULL
) PARTITION BY RANGE (timestamp_seconds);--> statement-breakpoint

-- The outbox and the resources behind it are written by one function each; nothing deletes them.
ALTER TABLE nonces ADD CONSTRAINT nonces_hash_length CHECK (length(nonce_hash) = 16);
