-- Moves, authorities and sealed keys change by acts too (Decision D89).

-- The body is in `../../audit/facts_by_acts.sql`.
CREATE FUNCTION check_home() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;

CREATE TRIGGER partners_home_by_move BEFORE UPDATE OF cell_id ON partners
  FOR EACH ROW WHEN (OLD.cell_id <> NEW.cell_id AND NOT is_owner()) EXECUTE FUNCTION check_home();
CREATE TRIGGER partner_moves_by_act AFTER INSERT ON partner_moves
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
-- No act but those of a cell, which the owner's functions book.
CREATE TRIGGER webhook_lanes_by_act AFTER UPDATE OF in_flight ON webhook_lanes
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER authorities_by_act AFTER INSERT OR UPDATE OR DELETE ON authorities
  FOR EACH ROW WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
CREATE TRIGGER sealed_keys_by_act AFTER INSERT OR UPDATE OR DELETE ON sealed_keys
  FOR EACH ROW WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
