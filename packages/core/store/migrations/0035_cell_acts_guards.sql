-- An act is recorded in control alone (Decision D53), keeps its terms, and is finished once; what a cell
-- has booked it has booked.
CREATE TRIGGER cell_acts_in_control BEFORE INSERT OR UPDATE OR DELETE ON cell_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();--> statement-breakpoint
CREATE TRIGGER cell_acts_kept BEFORE DELETE OR TRUNCATE ON cell_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER cell_acts_terms_immutable
  BEFORE UPDATE OF act_id, cell_id, partner_id, name, subject_id, amount, note, recorded_at
  ON cell_acts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER cell_acts_finished_immutable BEFORE UPDATE ON cell_acts
  FOR EACH ROW WHEN (OLD.result IS NOT NULL) EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER booked_acts_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON booked_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
