-- Prices are control's, and so is what they were (Decision D53).
CREATE TRIGGER price_minutes_in_control BEFORE INSERT OR UPDATE OR DELETE ON price_minutes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
