CREATE TABLE "revoked_tokens" (
	"token_id" uuid NOT NULL,
	"partner_id" integer NOT NULL,
	"valid_until" timestamp (3) with time zone NOT NULL,
	"revision" bigint NOT NULL,
	CONSTRAINT "revoked_tokens_pk" PRIMARY KEY("token_id")
);
--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "token_auth" text DEFAULT 'client_secret_post' NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "scope" text DEFAULT 'read trade withdraw' NOT NULL;--> statement-breakpoint
CREATE INDEX "revoked_tokens_revision_index" ON "revoked_tokens" USING btree ("revision");--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_token_auth" CHECK ("certificates"."token_auth" in ('client_secret_post', 'tls_client_auth'));