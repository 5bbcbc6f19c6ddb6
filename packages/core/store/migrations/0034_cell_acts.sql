CREATE TABLE "booked_acts" (
	"partner_id" integer NOT NULL,
	"act_id" uuid NOT NULL,
	"result" text NOT NULL,
	"booked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "booked_acts_pk" PRIMARY KEY("partner_id","act_id")
);
--> statement-breakpoint
CREATE TABLE "cell_acts" (
	"act_id" uuid NOT NULL,
	"cell_id" text NOT NULL,
	"partner_id" integer NOT NULL,
	"name" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"amount" bigint,
	"note" text,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"result" text,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "cell_acts_pk" PRIMARY KEY("act_id"),
	CONSTRAINT "cell_acts_elsewhere" CHECK ("cell_acts"."cell_id" <> 'main'),
	CONSTRAINT "cell_acts_amount" CHECK ("cell_acts"."amount" > 0),
	CONSTRAINT "cell_acts_finished" CHECK (("cell_acts"."result" is null) = ("cell_acts"."finished_at" is null))
);
--> statement-breakpoint
ALTER TABLE "cell_acts" ADD CONSTRAINT "cell_acts_cell_fk" FOREIGN KEY ("cell_id") REFERENCES "public"."cells"("cell_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cell_acts" ADD CONSTRAINT "cell_acts_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cell_acts_open" ON "cell_acts" USING btree ("recorded_at") WHERE "cell_acts"."result" is null;