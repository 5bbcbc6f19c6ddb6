CREATE TABLE "approval_rules" (
	"act" text NOT NULL,
	"conditions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"approvers" jsonb NOT NULL,
	CONSTRAINT "approval_rules_pk" PRIMARY KEY("act")
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"request_id" uuid NOT NULL,
	"requester_id" integer NOT NULL,
	"requested_from" text NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"facts" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"decision_id" uuid,
	"decider_id" integer,
	"decided_at" timestamp (3) with time zone,
	"reason" text,
	CONSTRAINT "approvals_pk" PRIMARY KEY("request_id"),
	CONSTRAINT "approvals_decision_unique" UNIQUE("decision_id"),
	CONSTRAINT "approvals_state" CHECK ("approvals"."state" in ('waiting', 'done', 'rejected', 'void')),
	CONSTRAINT "approvals_second_person" CHECK ("approvals"."state" <> 'done' or "approvals"."decider_id" <> "approvals"."requester_id"),
	CONSTRAINT "approvals_in_time" CHECK ("approvals"."state" <> 'done' or "approvals"."decided_at" <= "approvals"."expires_at"),
	CONSTRAINT "approvals_decided" CHECK (("approvals"."state" = 'waiting') = ("approvals"."decision_id" is null)
      and ("approvals"."decision_id" is null) = ("approvals"."decider_id" is null)
      and ("approvals"."decision_id" is null) = ("approvals"."decided_at" is null))
);
--> statement-breakpoint
ALTER TABLE "office" ADD COLUMN "approval_seconds" integer DEFAULT 86400 NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_request_fk" FOREIGN KEY ("request_id","requester_id") REFERENCES "public"."acts"("act_id","operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_decision_fk" FOREIGN KEY ("decision_id","decider_id") REFERENCES "public"."acts"("act_id","operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "office" ADD CONSTRAINT "office_approval_seconds" CHECK ("office"."approval_seconds" between 60 and 2592000);