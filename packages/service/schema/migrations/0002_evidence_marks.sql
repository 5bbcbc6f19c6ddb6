-- Until when the evidence of a partner was verified without a fault (Decision D86).
CREATE TABLE evidence_marks (
  partner_id integer CONSTRAINT evidence_marks_pk PRIMARY KEY
    CONSTRAINT evidence_marks_partner_fk REFERENCES partners,
  verified_until timestamptz(3) NOT NULL
);
