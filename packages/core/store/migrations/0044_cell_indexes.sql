CREATE INDEX "cell_acts_cell" ON "cell_acts" USING btree ("cell_id");--> statement-breakpoint
CREATE INDEX "partners_cell" ON "partners" USING btree ("cell_id");