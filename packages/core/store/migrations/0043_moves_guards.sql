-- Moves are recorded in control alone (Decision D53), keep their terms, and end once; what a cell knows of
-- a partner's going and coming it keeps.
CREATE TRIGGER partner_moves_in_control BEFORE INSERT OR UPDATE OR DELETE ON partner_moves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();--> statement-breakpoint
CREATE TRIGGER partner_moves_kept BEFORE DELETE OR TRUNCATE ON partner_moves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER partner_moves_terms_immutable
  BEFORE UPDATE OF move_id, partner_id, from_cell, to_cell, leave_act_id, enter_act_id, begun_at
  ON partner_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER partner_moves_ended_immutable BEFORE UPDATE ON partner_moves
  FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER move_ends_kept BEFORE DELETE OR TRUNCATE ON move_ends
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER move_ends_immutable BEFORE UPDATE ON move_ends
  FOR EACH ROW WHEN (OLD.side <> 'awaited') EXECUTE FUNCTION refuse_change();
