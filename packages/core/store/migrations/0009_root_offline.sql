ALTER TABLE "authorities" ALTER COLUMN "sealed_private_key" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "authorities" ADD COLUMN "revocation_list_pem" text;