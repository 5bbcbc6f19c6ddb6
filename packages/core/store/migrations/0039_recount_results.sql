CREATE TABLE "recount_results" (
	"recount_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"finished_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"who" text NOT NULL,
	"client_id" text,
	"since" timestamp (3) with time zone,
	"duration_ms" integer NOT NULL,
	"partners" integer NOT NULL,
	"difference_count" integer NOT NULL,
	"differences" jsonb NOT NULL,
	CONSTRAINT "recount_results_pk" PRIMARY KEY("recount_id")
);
