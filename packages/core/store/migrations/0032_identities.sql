CREATE TABLE "operator_identities" (
	"identity_id" integer GENERATED ALWAYS AS IDENTITY (sequence name "operator_identities_identity_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"operator_id" integer NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"valid_from" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"valid_until" timestamp (3) with time zone,
	CONSTRAINT "operator_identities_pk" PRIMARY KEY("identity_id"),
	CONSTRAINT "operator_identities_owner_unique" UNIQUE("identity_id","operator_id")
);
--> statement-breakpoint
ALTER TABLE "operator_sessions" ALTER COLUMN "key_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD COLUMN "identity_id" integer;--> statement-breakpoint
ALTER TABLE "operator_identities" ADD CONSTRAINT "operator_identities_operator_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "operator_identities_valid_unique" ON "operator_identities" USING btree ("issuer","subject") WHERE "operator_identities"."valid_until" is null;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_identity_fk" FOREIGN KEY ("identity_id","operator_id") REFERENCES "public"."operator_identities"("identity_id","operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_by" CHECK (("operator_sessions"."key_id" is null) <> ("operator_sessions"."identity_id" is null));