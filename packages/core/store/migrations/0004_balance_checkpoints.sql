CREATE TABLE "balance_checkpoints" (
	"partner_id" integer NOT NULL,
	"up_to" bigint NOT NULL,
	"cash_halalas" bigint NOT NULL,
	"house_cash_halalas" bigint NOT NULL,
	"withdrawals_halalas" bigint NOT NULL,
	"bank_halalas" bigint NOT NULL,
	"gold_micrograms" bigint NOT NULL,
	"allocation_micrograms" bigint NOT NULL,
	"vault_micrograms" bigint NOT NULL,
	"differs_since" timestamp (3) with time zone,
	CONSTRAINT "balance_checkpoints_pk" PRIMARY KEY("partner_id")
);
--> statement-breakpoint
CREATE TABLE "balance_round" (
	"singleton" boolean DEFAULT true NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "balance_round_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "balance_round_singleton" CHECK ("balance_round"."singleton")
);
--> statement-breakpoint
ALTER TABLE "balance_checkpoints" ADD CONSTRAINT "balance_checkpoints_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
INSERT INTO "balance_round" DEFAULT VALUES;
