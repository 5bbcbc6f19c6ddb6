-- The hash of each partner's evidence of a day in Riyadh, which stays when the evidence itself is dropped
-- (Decision D86).
CREATE TABLE evidence_days (
  partner_id integer NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT evidence_days_pk PRIMARY KEY (partner_id, day),
  CONSTRAINT evidence_days_requests CHECK (requests > 0)
);
CREATE TRIGGER evidence_days_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence_days
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX evidence_days_day ON evidence_days (day);

-- In control: the days of all cells that were closed. The audit log has the hash of those with requests.
CREATE TABLE closed_evidence (
  day date CONSTRAINT closed_evidence_pk PRIMARY KEY,
  requests bigint NOT NULL,
  hash bytea NOT NULL,
  closed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER closed_evidence_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_evidence
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_evidence_in_control BEFORE INSERT OR UPDATE OR DELETE ON closed_evidence
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
