-- Attempts to deliver events (Decision D54), partitioned by day in UTC: webhook_attempts_<YYYYMMDD>, made
-- ahead and dropped whole. `failure` is null where the endpoint took the event; `address` is the one
-- connected to.
CREATE TABLE webhook_attempts (
  partner_id integer NOT NULL,
  sequence bigint NOT NULL,
  attempted_at timestamp (3) with time zone NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  failure text,
  address text,
  CONSTRAINT webhook_attempts_pk PRIMARY KEY (partner_id, sequence, attempted_at)
) PARTITION BY RANGE (attempted_at);--> statement-breakpoint

-- What proves a delivery does not change.
CREATE TRIGGER webhook_attempts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON webhook_attempts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
