CREATE TABLE "audit_head" (
	"singleton" boolean DEFAULT true NOT NULL,
	"audit_id" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_head_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "audit_head_singleton" CHECK ("audit_head"."singleton")
);
--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "previous_hash" "bytea" DEFAULT ''::bytea NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "hash" "bytea" DEFAULT ''::bytea NOT NULL;