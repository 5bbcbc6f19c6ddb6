-- A row is read whole by each order of a large partner, so it stays in its page: up to 2 000 digests,
-- which are 130 million keys. It is written anew once a generation.
ALTER TABLE key_digests ALTER COLUMN digests SET STORAGE MAIN;--> statement-breakpoint
ALTER TABLE key_digests SET (fillfactor = 50, toast_tuple_target = 8160);
