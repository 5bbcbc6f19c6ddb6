ALTER TABLE "quotes" ADD COLUMN "requested_halalas" bigint;--> statement-breakpoint
CREATE INDEX "withdrawals_status_index" ON "withdrawals" USING btree ("partner_id","status","withdrawal_id");--> statement-breakpoint
CREATE INDEX "event_deliveries_state_index" ON "event_deliveries" USING btree ("partner_id","state","sequence");--> statement-breakpoint
CREATE INDEX "events_resource_index" ON "events" USING btree ("partner_id","resource_id","sequence") WHERE "events"."type" <> 'order.executed';