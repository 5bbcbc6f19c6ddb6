-- What partners ask for of certificates and keys (Decision D120), and what became of it. A row keeps the signed request
-- itself, by which whoever issues judges it: nothing else in a row is to be believed.
CREATE TABLE credential_requests (
  request_id uuid CONSTRAINT credential_requests_pk PRIMARY KEY,
  partner_id integer NOT NULL CONSTRAINT credential_requests_partner_fk REFERENCES partners,
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  kind text NOT NULL,
  -- The thumbprint of the key in the signing request.
  key_id text NOT NULL,
  -- The SHA-256 of the certificate that it came with, or the id of the key that signed it.
  replaces text NOT NULL,
  overlap_seconds integer NOT NULL,
  evidence jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  decided_at timestamptz(3),
  replaced_ends_at timestamptz(3),
  -- That and its issuer's, PEM.
  certificate text,
  refusal text,
  CONSTRAINT credential_requests_once UNIQUE (partner_id, key_hash),
  CONSTRAINT credential_requests_kind CHECK (kind IN ('certificate', 'signing_key')),
  CONSTRAINT credential_requests_status CHECK (status IN ('pending', 'issued', 'refused')),
  CONSTRAINT credential_requests_outcome CHECK ((status = 'pending') = (decided_at IS NULL)
    AND (status = 'issued') = (replaced_ends_at IS NOT NULL) AND (status = 'refused') = (refusal IS NOT NULL)
    AND (certificate IS NOT NULL) = (status = 'issued' AND kind = 'certificate'))
);
CREATE UNIQUE INDEX credential_requests_one_pending ON credential_requests (partner_id, kind)
  WHERE status = 'pending';
CREATE TRIGGER credential_requests_kept BEFORE UPDATE OF request_id, partner_id, key_hash, fingerprint, kind, key_id,
  replaces, overlap_seconds, evidence, created_at OR DELETE OR TRUNCATE ON credential_requests
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credential_requests_decided BEFORE UPDATE ON credential_requests
  FOR EACH ROW WHEN (OLD.status <> 'pending') EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credential_requests_in_control BEFORE INSERT OR UPDATE OR DELETE ON credential_requests
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
CREATE TRIGGER credential_requests_by_act AFTER UPDATE ON credential_requests
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
