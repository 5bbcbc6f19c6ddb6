-- Each batch of orders rewrites its partners' accounts rows: room in the page keeps the new version
-- beside the old one (no index entry), and vacuum comes by their number, not by the table's size.
ALTER TABLE accounts SET (fillfactor = 25, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000);--> statement-breakpoint
ALTER TABLE webhook_lanes SET (fillfactor = 25, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000);
