CREATE TABLE "key_digests" (
	"partner_id" integer NOT NULL,
	"bucket" integer NOT NULL,
	"digests" integer[] NOT NULL,
	CONSTRAINT "key_digests_pk" PRIMARY KEY("partner_id","bucket")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "digested_parts" integer DEFAULT 0 NOT NULL;