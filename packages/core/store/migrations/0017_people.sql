CREATE TABLE "acts" (
	"act_id" uuid NOT NULL,
	"name" text NOT NULL,
	"arguments" text NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL,
	"operator_id" integer NOT NULL,
	"key_id" text NOT NULL,
	"signature" text NOT NULL,
	CONSTRAINT "acts_pk" PRIMARY KEY("act_id"),
	CONSTRAINT "acts_person_unique" UNIQUE("act_id","operator_id")
);
--> statement-breakpoint
CREATE TABLE "office" (
	"singleton" boolean DEFAULT true NOT NULL,
	"people_since" timestamp (3) with time zone,
	CONSTRAINT "office_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "office_singleton" CHECK ("office"."singleton")
);
--> statement-breakpoint
CREATE TABLE "operator_keys" (
	"key_id" text NOT NULL,
	"operator_id" integer NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone,
	CONSTRAINT "operator_keys_pk" PRIMARY KEY("key_id"),
	CONSTRAINT "operator_keys_owner_unique" UNIQUE("key_id","operator_id")
);
--> statement-breakpoint
CREATE TABLE "operator_roles" (
	"operator_id" integer NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "operator_roles_pk" PRIMARY KEY("operator_id","role"),
	CONSTRAINT "operator_roles_role" CHECK ("operator_roles"."role" in ('auditor', 'support', 'partners', 'treasury', 'vault', 'prices',
      'administrator'))
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"operator_id" integer GENERATED ALWAYS AS IDENTITY (sequence name "operators_operator_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "operators_pk" PRIMARY KEY("operator_id"),
	CONSTRAINT "operators_name_unique" UNIQUE("name"),
	CONSTRAINT "operators_name" CHECK ("operators"."name" ~ '^[a-z0-9][a-z0-9._-]{0,63}$')
);
--> statement-breakpoint
ALTER TABLE "audit_head" ADD COLUMN "break_glasses" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "act_id" uuid GENERATED ALWAYS AS (((detail::jsonb) ->> 'act')::uuid) STORED;--> statement-breakpoint
ALTER TABLE "acts" ADD CONSTRAINT "acts_key_fk" FOREIGN KEY ("key_id","operator_id") REFERENCES "public"."operator_keys"("key_id","operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_keys" ADD CONSTRAINT "operator_keys_operator_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_roles" ADD CONSTRAINT "operator_roles_operator_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_act_fk" FOREIGN KEY ("act_id") REFERENCES "public"."acts"("act_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_act_unique" UNIQUE("act_id","action");