-- A partner's page and its audit log read the entries about it, not the whole log. Orders write no entries.
CREATE INDEX audit_log_partner ON audit_log (partner_id, audit_id) WHERE partner_id IS NOT NULL;
