-- The signed requests behind orders, withdrawals, cancellations and enabled endpoints, as they came
-- (Decision D86). An id is that of what the request made: of the order or withdrawal, else of the event. Ids
-- begin with their time, so a partition has the ids of a month (UTC): evidence_<YYYYMM>, made ahead.
CREATE TABLE evidence (
  timestamp_seconds bigint NOT NULL,
  partner_id integer NOT NULL,
  evidence_id uuid NOT NULL,
  nonce text NOT NULL,
  url text NOT NULL,
  body text NOT NULL,
  key_id text NOT NULL,
  signature text NOT NULL,
  CONSTRAINT evidence_pk PRIMARY KEY (partner_id, evidence_id)
) PARTITION BY RANGE (evidence_id);
CREATE TRIGGER evidence_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
