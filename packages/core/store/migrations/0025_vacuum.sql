-- What only grows is vacuumed by what came since, not by a share of all there is: many small rounds in
-- place of a few that take minutes and fill the log. New rows are what index-only scans stumble over.
ALTER TABLE quotes SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 250000);--> statement-breakpoint
ALTER TABLE orders SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 250000);--> statement-breakpoint
ALTER TABLE transfers SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);--> statement-breakpoint
ALTER TABLE events SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 250000);--> statement-breakpoint
ALTER TABLE trade_keys SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);--> statement-breakpoint
-- Rewritten in place by each round of the balance guard, as accounts are by each order.
ALTER TABLE balance_checkpoints SET (fillfactor = 25, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000);
