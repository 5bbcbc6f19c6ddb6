-- The course of the price and the clock of a sandbox, as its partner set them (Decision D111): no row, or one.
CREATE TABLE scenario (
  singleton boolean CONSTRAINT scenario_pk PRIMARY KEY DEFAULT true,
  -- `path`: pairs of epoch milliseconds and a mid price or null; `opens` and `closes`: times of day in Riyadh.
  price jsonb,
  clock_ahead_ms bigint NOT NULL DEFAULT 0,
  CONSTRAINT scenario_single CHECK (singleton),
  CONSTRAINT scenario_forward CHECK (clock_ahead_ms >= 0)
);
CREATE TRIGGER scenario_in_control BEFORE INSERT OR UPDATE OR DELETE ON scenario
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
