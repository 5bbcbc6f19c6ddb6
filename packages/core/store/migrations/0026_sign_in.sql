CREATE TABLE "operator_challenges" (
	"challenge" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_challenges_pk" PRIMARY KEY("challenge")
);
--> statement-breakpoint
CREATE TABLE "operator_links" (
	"link_hash" "bytea" NOT NULL,
	"operator_id" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "operator_links_pk" PRIMARY KEY("link_hash")
);
--> statement-breakpoint
CREATE TABLE "operator_nonces" (
	"key_id" text NOT NULL,
	"nonce" text NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_nonces_pk" PRIMARY KEY("key_id","nonce")
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"session_hash" "bytea" NOT NULL,
	"operator_id" integer NOT NULL,
	"key_id" text NOT NULL,
	"signed_in_from" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_sessions_pk" PRIMARY KEY("session_hash")
);
--> statement-breakpoint
ALTER TABLE "operator_keys" ADD COLUMN "credential_id" text;--> statement-breakpoint
ALTER TABLE "operator_keys" ADD COLUMN "rp_id" text;--> statement-breakpoint
ALTER TABLE "operator_links" ADD CONSTRAINT "operator_links_operator_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_key_fk" FOREIGN KEY ("key_id","operator_id") REFERENCES "public"."operator_keys"("key_id","operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_challenges_expires_at" ON "operator_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "operator_nonces_signed_at" ON "operator_nonces" USING btree ("signed_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_expires_at" ON "operator_sessions" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "operator_keys" ADD CONSTRAINT "operator_keys_credential_unique" UNIQUE("credential_id");--> statement-breakpoint
ALTER TABLE "operator_keys" ADD CONSTRAINT "operator_keys_passkey" CHECK (("operator_keys"."credential_id" is null) = ("operator_keys"."rp_id" is null));