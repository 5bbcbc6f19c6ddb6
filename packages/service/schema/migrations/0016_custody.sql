-- Where a bar lies, and the document that came with it (Decision D101); older bars have neither.
ALTER TABLE vault_bars ADD COLUMN place text, ADD COLUMN document text;
ALTER TABLE vault_bars ADD CONSTRAINT vault_bars_place CHECK (place <> '' AND length(place) <= 64);
ALTER TABLE vault_bars ADD CONSTRAINT vault_bars_document CHECK (document <> '' AND length(document) <= 128);

-- Counts of the bars of a place, or of the whole vault where no place is named (Decision D101).
CREATE TABLE vault_counts (
  count_id uuid CONSTRAINT vault_counts_pk PRIMARY KEY,
  place text,
  counted_at timestamptz(3) NOT NULL,
  counted_by text NOT NULL
);
CREATE INDEX vault_counts_newest ON vault_counts (counted_at DESC, count_id DESC);

-- A bar of a count: as it was on the list, which a bar that was not expected is not, and what was seen of it.
CREATE TABLE vault_count_lines (
  count_id uuid NOT NULL,
  serial text NOT NULL,
  refiner text,
  fineness_ten_thousandths integer,
  weight_micrograms bigint,
  is_seen boolean NOT NULL,
  weighed_micrograms bigint,
  finding text NOT NULL GENERATED ALWAYS AS (CASE
    WHEN weight_micrograms IS NULL THEN 'unexpected'
    WHEN NOT is_seen THEN 'missing'
    WHEN weighed_micrograms <> weight_micrograms THEN 'different'
    ELSE 'found' END) STORED,
  CONSTRAINT vault_count_lines_pk PRIMARY KEY (count_id, serial),
  CONSTRAINT vault_count_lines_count_fk FOREIGN KEY (count_id) REFERENCES vault_counts
    DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT vault_count_lines_listed CHECK (num_nulls(refiner, fineness_ten_thousandths, weight_micrograms) IN (0, 3)),
  CONSTRAINT vault_count_lines_seen CHECK (is_seen OR (weight_micrograms IS NOT NULL AND weighed_micrograms IS NULL)),
  CONSTRAINT vault_count_lines_weighed CHECK (weighed_micrograms > 0)
);
CREATE INDEX vault_count_lines_differing ON vault_count_lines (serial) WHERE finding <> 'found';

-- The bodies of these functions are in `../../vault/vault_counts.sql`.
CREATE FUNCTION close_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE FUNCTION refuse_late_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE TRIGGER vault_counts_close BEFORE INSERT ON vault_counts
  FOR EACH ROW EXECUTE FUNCTION close_count();
CREATE TRIGGER vault_count_lines_late BEFORE INSERT ON vault_count_lines
  FOR EACH ROW EXECUTE FUNCTION refuse_late_line();

DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['vault_counts', 'vault_count_lines'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', v_table || '_immutable', v_table);
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact()', v_table || '_by_act', v_table);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH ROW EXECUTE FUNCTION note_row()', v_table || '_noted', v_table);
  END LOOP;
END $$;

-- Whom to call at a partner, and the documents on file about it: a reference and the SHA-256 of what
-- it names, which lies elsewhere.
CREATE TABLE partner_contacts (
  partner_id integer NOT NULL CONSTRAINT partner_contacts_partner_fk REFERENCES partners,
  name text NOT NULL,
  role text NOT NULL,
  telephone text,
  mail text,
  CONSTRAINT partner_contacts_pk PRIMARY KEY (partner_id, name),
  CONSTRAINT partner_contacts_reachable CHECK (num_nonnulls(telephone, mail) > 0)
);
CREATE TABLE partner_documents (
  partner_id integer NOT NULL CONSTRAINT partner_documents_partner_fk REFERENCES partners,
  reference text NOT NULL,
  kind text NOT NULL,
  sha256 text NOT NULL,
  issued_on date NOT NULL,
  valid_until date,
  CONSTRAINT partner_documents_pk PRIMARY KEY (partner_id, reference),
  CONSTRAINT partner_documents_kind CHECK (kind IN ('commercial_registration', 'licence', 'contract', 'other')),
  CONSTRAINT partner_documents_sha256 CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT partner_documents_days CHECK (valid_until >= issued_on)
);
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['partner_contacts', 'partner_documents'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact()', v_table || '_by_act', v_table);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH ROW EXECUTE FUNCTION note_row()', v_table || '_noted', v_table);
  END LOOP;
END $$;
