-- A cell whose copies are made anew gets each partner's row by an INSERT: its accounts, which may be there, take the
-- pool from it as from an UPDATE (`set_pool_of_accounts`).
CREATE TRIGGER partners_pool_copied AFTER INSERT ON partners FOR EACH ROW EXECUTE FUNCTION set_pool_of_accounts();
ALTER TABLE partners ENABLE REPLICA TRIGGER partners_pool_copied;

-- What is due in a lane is found without a look at other lanes.
DROP INDEX event_deliveries_due_index;
CREATE INDEX event_deliveries_due_index ON event_deliveries (partner_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
