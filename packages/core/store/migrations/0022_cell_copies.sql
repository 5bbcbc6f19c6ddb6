-- In a cell a partner's row comes as a copy of control's (Decision D53), and brings its accounts with it.
-- Off until a database becomes a cell, and then for what is replicated alone (docs/scale.md).
CREATE FUNCTION open_accounts_of_copy() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.cell_id = (SELECT cell_id FROM deployment) THEN
    INSERT INTO accounts (partner_id) VALUES (NEW.partner_id) ON CONFLICT DO NOTHING;
    INSERT INTO webhook_lanes (partner_id) VALUES (NEW.partner_id) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER partners_copied AFTER INSERT ON partners
  FOR EACH ROW EXECUTE FUNCTION open_accounts_of_copy();--> statement-breakpoint
ALTER TABLE partners DISABLE TRIGGER partners_copied;
