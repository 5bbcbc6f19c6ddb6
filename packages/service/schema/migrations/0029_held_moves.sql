-- One mover at a time (Decision D114).

-- The body is in `../../moving/hold_moves.sql`.
CREATE FUNCTION check_mover() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER partner_moves_held BEFORE UPDATE ON partner_moves
  FOR EACH ROW EXECUTE FUNCTION check_mover();
