-- Who recounts, recounts all cells from control (Decision D53).
CREATE TRIGGER recount_results_in_control BEFORE INSERT OR UPDATE OR DELETE ON recount_results
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
