-- A least number of administrators, and rules for feeds (Decision D87).

ALTER TABLE office ADD COLUMN least_administrators integer NOT NULL DEFAULT 2
  CONSTRAINT office_least_administrators CHECK (least_administrators between 2 and 10);

INSERT INTO approval_rules (act, conditions, approvers)
VALUES ('policy.administrators', '[]', '["administrator"]');
-- A rule that the operator has not changed.
UPDATE approval_rules SET conditions = '["source is fixed", "source is feed"]'
WHERE act = 'price.set' AND conditions = '["source is fixed"]';

-- The body is in `../../audit/keep_administrators.sql`. Judged at the commit, when what was done is known to be
-- a person's act.
CREATE FUNCTION keep_administrators() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE CONSTRAINT TRIGGER administrators_least AFTER UPDATE ON operators DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.enabled AND NOT NEW.enabled) EXECUTE FUNCTION keep_administrators();
CREATE CONSTRAINT TRIGGER administrators_least AFTER DELETE ON operator_roles DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.role = 'administrator') EXECUTE FUNCTION keep_administrators();
CREATE CONSTRAINT TRIGGER administrators_least AFTER UPDATE ON operator_keys DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.valid_until IS NOT NULL) EXECUTE FUNCTION keep_administrators();
CREATE CONSTRAINT TRIGGER administrators_least AFTER UPDATE ON office DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.least_administrators > OLD.least_administrators) EXECUTE FUNCTION keep_administrators();

-- A request is decided after it was made, by `check_decision`.
CREATE TRIGGER approvals_begin_waiting BEFORE INSERT ON approvals
  FOR EACH ROW WHEN (NEW.state <> 'waiting') EXECUTE FUNCTION refuse_change();
