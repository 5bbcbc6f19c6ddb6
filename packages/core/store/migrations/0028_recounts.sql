CREATE TABLE "recounts" (
	"partner_id" integer NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"first_transfer" bigint NOT NULL,
	"first_event" bigint NOT NULL,
	"first_generation" smallint NOT NULL,
	"cash_halalas" bigint NOT NULL,
	"house_cash_halalas" bigint NOT NULL,
	"withdrawals_halalas" bigint NOT NULL,
	"bank_halalas" bigint NOT NULL,
	"gold_micrograms" bigint NOT NULL,
	"allocation_micrograms" bigint NOT NULL,
	"vault_micrograms" bigint NOT NULL,
	CONSTRAINT "recounts_pk" PRIMARY KEY("partner_id")
);
--> statement-breakpoint
ALTER TABLE "recounts" ADD CONSTRAINT "recounts_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;