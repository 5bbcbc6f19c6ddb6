CREATE TABLE "day_closings" (
	"partner_id" integer NOT NULL,
	"next_number" bigint NOT NULL,
	"cash_halalas" bigint NOT NULL,
	"gold_micrograms" bigint NOT NULL,
	CONSTRAINT "day_closings_pk" PRIMARY KEY("partner_id","next_number")
);
--> statement-breakpoint
ALTER TABLE "day_closings" ADD CONSTRAINT "day_closings_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;