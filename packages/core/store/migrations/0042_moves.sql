CREATE TABLE "move_ends" (
	"move_id" uuid NOT NULL,
	"partner_id" integer NOT NULL,
	"side" text NOT NULL,
	"accounts" text,
	"lane" text,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "move_ends_pk" PRIMARY KEY("move_id","side"),
	CONSTRAINT "move_ends_side" CHECK ("move_ends"."side" in ('awaited', 'entered', 'left'))
);
--> statement-breakpoint
CREATE TABLE "partner_moves" (
	"move_id" uuid NOT NULL,
	"partner_id" integer NOT NULL,
	"from_cell" text NOT NULL,
	"to_cell" text NOT NULL,
	"step" text DEFAULT 'copying' NOT NULL,
	"leave_act_id" uuid NOT NULL,
	"enter_act_id" uuid NOT NULL,
	"begun_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "partner_moves_pk" PRIMARY KEY("move_id"),
	CONSTRAINT "partner_moves_cells" CHECK ("partner_moves"."from_cell" <> "partner_moves"."to_cell"),
	CONSTRAINT "partner_moves_step" CHECK ("partner_moves"."step" in ('copying', 'fencing', 'switched', 'done', 'cancelled')),
	CONSTRAINT "partner_moves_ended" CHECK (("partner_moves"."step" in ('done', 'cancelled')) = ("partner_moves"."ended_at" is not null))
);
--> statement-breakpoint
ALTER TABLE "partner_moves" ADD CONSTRAINT "partner_moves_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_moves" ADD CONSTRAINT "partner_moves_from_fk" FOREIGN KEY ("from_cell") REFERENCES "public"."cells"("cell_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_moves" ADD CONSTRAINT "partner_moves_to_fk" FOREIGN KEY ("to_cell") REFERENCES "public"."cells"("cell_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "partner_moves_open" ON "partner_moves" USING btree ("partner_id") WHERE "partner_moves"."ended_at" is null;