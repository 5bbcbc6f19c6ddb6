CREATE TABLE "cells" (
	"cell_id" text NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cells_pk" PRIMARY KEY("cell_id"),
	CONSTRAINT "cells_cell_id" CHECK ("cells"."cell_id" ~ '^[a-z][a-z0-9_]{0,30}$')
);
--> statement-breakpoint
INSERT INTO "cells" ("cell_id") VALUES ('main');--> statement-breakpoint
ALTER TABLE "deployment" ADD COLUMN "deployment_id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "deployment" ADD COLUMN "cell_id" text DEFAULT 'main' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "cell_id" text DEFAULT 'main' NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD CONSTRAINT "partners_cell_fk" FOREIGN KEY ("cell_id") REFERENCES "public"."cells"("cell_id") ON DELETE no action ON UPDATE no action;