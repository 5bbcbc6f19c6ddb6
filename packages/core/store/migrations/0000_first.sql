CREATE TABLE "deployment" (
	"singleton" boolean DEFAULT true NOT NULL,
	"environment" text NOT NULL,
	"data_version" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deployment_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "deployment_singleton" CHECK ("deployment"."singleton"),
	CONSTRAINT "deployment_environment" CHECK ("deployment"."environment" in ('sandbox', 'production'))
);
--> statement-breakpoint
CREATE TABLE "price_settings" (
	"singleton" boolean DEFAULT true NOT NULL,
	"source" text DEFAULT 'simulated' NOT NULL,
	"configuration" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "price_settings_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "price_settings_singleton" CHECK ("price_settings"."singleton"),
	CONSTRAINT "price_settings_source" CHECK ("price_settings"."source" in ('simulated', 'fixed', 'feed'))
);
--> statement-breakpoint
CREATE TABLE "register_state" (
	"singleton" boolean DEFAULT true NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "register_state_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "register_state_singleton" CHECK ("register_state"."singleton")
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"partner_id" integer NOT NULL,
	"cash_halalas" bigint DEFAULT 0 NOT NULL,
	"house_cash_halalas" bigint DEFAULT 0 NOT NULL,
	"withdrawals_halalas" bigint DEFAULT 0 NOT NULL,
	"bank_halalas" bigint DEFAULT 0 NOT NULL,
	"gold_micrograms" bigint DEFAULT 0 NOT NULL,
	"allocation_micrograms" bigint DEFAULT 0 NOT NULL,
	"vault_micrograms" bigint DEFAULT 0 NOT NULL,
	"last_transfer" bigint DEFAULT 0 NOT NULL,
	"last_event" bigint DEFAULT 0 NOT NULL,
	"open_quotes" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "accounts_pk" PRIMARY KEY("partner_id"),
	CONSTRAINT "accounts_cash_not_negative" CHECK ("accounts"."cash_halalas" >= 0),
	CONSTRAINT "accounts_withdrawals_not_negative" CHECK ("accounts"."withdrawals_halalas" >= 0),
	CONSTRAINT "accounts_gold_not_negative" CHECK ("accounts"."gold_micrograms" >= 0),
	CONSTRAINT "accounts_allocation_not_negative" CHECK ("accounts"."allocation_micrograms" >= 0),
	CONSTRAINT "accounts_cash_balanced" CHECK ("accounts"."cash_halalas" + "accounts"."house_cash_halalas" + "accounts"."withdrawals_halalas" + "accounts"."bank_halalas" = 0),
	CONSTRAINT "accounts_gold_balanced" CHECK ("accounts"."gold_micrograms" + "accounts"."allocation_micrograms" + "accounts"."vault_micrograms" = 0)
);
--> statement-breakpoint
CREATE TABLE "transfers" (
	"partner_id" integer NOT NULL,
	"number" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"posted_at" timestamp (3) with time zone NOT NULL,
	"source_id" uuid NOT NULL,
	"asset" text NOT NULL,
	"debit_account" text NOT NULL,
	"credit_account" text NOT NULL,
	"source_kind" text NOT NULL,
	CONSTRAINT "transfers_pk" PRIMARY KEY("partner_id","number"),
	CONSTRAINT "transfers_amount" CHECK ("transfers"."amount" > 0),
	CONSTRAINT "transfers_asset" CHECK ("transfers"."asset" in ('SAR', 'XAU')),
	CONSTRAINT "transfers_accounts" CHECK ("transfers"."debit_account" <> "transfers"."credit_account")
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"partner_id" integer NOT NULL,
	"certificate_hash" "bytea" NOT NULL,
	"serial" text NOT NULL,
	"subject" text NOT NULL,
	"pem" text NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "certificates_pk" PRIMARY KEY("partner_id","certificate_hash"),
	CONSTRAINT "certificates_hash_unique" UNIQUE("certificate_hash"),
	CONSTRAINT "certificates_hash_length" CHECK (length("certificates"."certificate_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "client_secrets" (
	"partner_id" integer NOT NULL,
	"secret_id" uuid NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone,
	CONSTRAINT "client_secrets_pk" PRIMARY KEY("partner_id","secret_id")
);
--> statement-breakpoint
CREATE TABLE "credential_warnings" (
	"partner_id" integer NOT NULL,
	"credential_kind" text NOT NULL,
	"credential_id" text NOT NULL,
	"days_before" integer NOT NULL,
	"warned_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credential_warnings_pk" PRIMARY KEY("partner_id","credential_kind","credential_id","days_before")
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"partner_id" integer GENERATED ALWAYS AS IDENTITY (sequence name "partners_partner_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"client_id" text NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"settlement_iban" text NOT NULL,
	"webhook_url" text,
	"quote_min_micrograms" bigint DEFAULT 10000 NOT NULL,
	"quote_max_micrograms" bigint DEFAULT 10000000000 NOT NULL,
	"open_quotes_limit" integer DEFAULT 100 NOT NULL,
	"spread_ppm" bigint DEFAULT 5000 NOT NULL,
	"fee_ppm" bigint DEFAULT 2500 NOT NULL,
	"vat_ppm" bigint DEFAULT 0 NOT NULL,
	"rate_limits" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "partners_pk" PRIMARY KEY("partner_id"),
	CONSTRAINT "partners_client_id_unique" UNIQUE("client_id"),
	CONSTRAINT "partners_status" CHECK ("partners"."status" in ('active', 'suspended')),
	CONSTRAINT "partners_quote_bounds" CHECK (0 < "partners"."quote_min_micrograms" and "partners"."quote_min_micrograms" <= "partners"."quote_max_micrograms"),
	CONSTRAINT "partners_open_quotes_limit" CHECK ("partners"."open_quotes_limit" > 0),
	CONSTRAINT "partners_rates" CHECK ("partners"."spread_ppm" between 0 and 999999 and "partners"."fee_ppm" between 0 and 1000000 and "partners"."vat_ppm" between 0 and 1000000)
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"partner_id" integer NOT NULL,
	"key_id" text NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone,
	CONSTRAINT "signing_keys_pk" PRIMARY KEY("partner_id","key_id")
);
--> statement-breakpoint
CREATE TABLE "source_addresses" (
	"partner_id" integer NOT NULL,
	"cidr" text NOT NULL,
	CONSTRAINT "source_addresses_pk" PRIMARY KEY("partner_id","cidr")
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"partner_id" integer NOT NULL,
	"secret_id" uuid NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone,
	CONSTRAINT "webhook_secrets_pk" PRIMARY KEY("partner_id","secret_id")
);
--> statement-breakpoint
CREATE TABLE "authorities" (
	"name" text NOT NULL,
	"certificate_pem" text NOT NULL,
	"sealed_private_key" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "authorities_pk" PRIMARY KEY("name")
);
--> statement-breakpoint
CREATE TABLE "sealed_keys" (
	"name" text NOT NULL,
	"master_key_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sealed_keys_pk" PRIMARY KEY("name")
);
--> statement-breakpoint
CREATE TABLE "token_keys" (
	"key_id" text NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"sealed_private_key" "bytea" NOT NULL,
	"valid_from" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "token_keys_pk" PRIMARY KEY("key_id")
);
--> statement-breakpoint
CREATE TABLE "fundings" (
	"partner_id" integer NOT NULL,
	"funding_id" uuid NOT NULL,
	"amount_halalas" bigint NOT NULL,
	"cash_after_halalas" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"reference" text,
	CONSTRAINT "fundings_pk" PRIMARY KEY("partner_id","funding_id"),
	CONSTRAINT "fundings_reference_unique" UNIQUE("partner_id","reference"),
	CONSTRAINT "fundings_amount" CHECK ("fundings"."amount_halalas" > 0)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"partner_id" integer NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"resource_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resource_kind" text NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("partner_id","key_hash"),
	CONSTRAINT "idempotency_keys_lengths" CHECK (length("idempotency_keys"."key_hash") = 16 and length("idempotency_keys"."fingerprint") = 16)
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"partner_id" integer NOT NULL,
	"order_id" uuid NOT NULL,
	"quote_id" uuid NOT NULL,
	"gold_micrograms" bigint NOT NULL,
	"price_ten_thousandths" bigint NOT NULL,
	"fee_halalas" bigint NOT NULL,
	"vat_halalas" bigint NOT NULL,
	"total_halalas" bigint NOT NULL,
	"cash_after_halalas" bigint NOT NULL,
	"gold_after_micrograms" bigint NOT NULL,
	"executed_at" timestamp (3) with time zone NOT NULL,
	"side" text NOT NULL,
	"client_reference" text,
	CONSTRAINT "orders_pk" PRIMARY KEY("partner_id","order_id"),
	CONSTRAINT "orders_quote_unique" UNIQUE("partner_id","quote_id")
);
--> statement-breakpoint
CREATE TABLE "quotes" (
	"partner_id" integer NOT NULL,
	"quote_id" uuid NOT NULL,
	"gold_micrograms" bigint NOT NULL,
	"price_ten_thousandths" bigint NOT NULL,
	"fee_halalas" bigint NOT NULL,
	"vat_ppm" bigint NOT NULL,
	"vat_halalas" bigint NOT NULL,
	"total_halalas" bigint NOT NULL,
	"price_as_of" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"side" text NOT NULL,
	CONSTRAINT "quotes_pk" PRIMARY KEY("partner_id","quote_id"),
	CONSTRAINT "quotes_side" CHECK ("quotes"."side" in ('buy', 'sell')),
	CONSTRAINT "quotes_amounts" CHECK ("quotes"."gold_micrograms" > 0 and "quotes"."total_halalas" > 0)
);
--> statement-breakpoint
CREATE TABLE "withdrawals" (
	"partner_id" integer NOT NULL,
	"withdrawal_id" uuid NOT NULL,
	"amount_halalas" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"status" text NOT NULL,
	"iban" text NOT NULL,
	"client_reference" text,
	"failure" text,
	CONSTRAINT "withdrawals_pk" PRIMARY KEY("partner_id","withdrawal_id"),
	CONSTRAINT "withdrawals_amount" CHECK ("withdrawals"."amount_halalas" > 0),
	CONSTRAINT "withdrawals_status" CHECK ("withdrawals"."status" in ('pending', 'processing', 'completed', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"audit_id" bigserial NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"partner_id" integer,
	"detail" text DEFAULT '{}' NOT NULL,
	CONSTRAINT "audit_log_pk" PRIMARY KEY("audit_id")
);
--> statement-breakpoint
CREATE TABLE "vault" (
	"singleton" boolean DEFAULT true NOT NULL,
	"bars_micrograms" bigint DEFAULT 0 NOT NULL,
	"allocated_micrograms" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "vault_pk" PRIMARY KEY("singleton"),
	CONSTRAINT "vault_singleton" CHECK ("vault"."singleton"),
	CONSTRAINT "vault_backs_allocations" CHECK (0 <= "vault"."allocated_micrograms" and "vault"."allocated_micrograms" <= "vault"."bars_micrograms")
);
--> statement-breakpoint
CREATE TABLE "vault_bars" (
	"serial" text NOT NULL,
	"refiner" text NOT NULL,
	"fineness_ten_thousandths" integer NOT NULL,
	"weight_micrograms" bigint NOT NULL,
	"added_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "vault_bars_pk" PRIMARY KEY("serial"),
	CONSTRAINT "vault_bars_weight" CHECK ("vault_bars"."weight_micrograms" > 0),
	CONSTRAINT "vault_bars_fineness" CHECK ("vault_bars"."fineness_ten_thousandths" between 9900 and 10000)
);
--> statement-breakpoint
CREATE TABLE "event_deliveries" (
	"partner_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"leased_until" timestamp (3) with time zone,
	"last_attempt_at" timestamp (3) with time zone,
	"last_status" integer,
	"last_error" text,
	CONSTRAINT "event_deliveries_pk" PRIMARY KEY("partner_id","sequence"),
	CONSTRAINT "event_deliveries_state" CHECK ("event_deliveries"."state" in ('failing', 'delivered', 'exhausted', 'requested'))
);
--> statement-breakpoint
CREATE TABLE "events" (
	"partner_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"event_id" uuid NOT NULL,
	"resource_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"object" text,
	CONSTRAINT "events_pk" PRIMARY KEY("partner_id","sequence"),
	CONSTRAINT "events_id_unique" UNIQUE("partner_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_lanes" (
	"partner_id" integer NOT NULL,
	"next_sequence" bigint DEFAULT 1 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"disabled_reason" text,
	CONSTRAINT "webhook_lanes_pk" PRIMARY KEY("partner_id")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_warnings" ADD CONSTRAINT "credential_warnings_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_addresses" ADD CONSTRAINT "source_addresses_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_quote_fk" FOREIGN KEY ("partner_id","quote_id") REFERENCES "public"."quotes"("partner_id","quote_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_deliveries" ADD CONSTRAINT "event_deliveries_event_fk" FOREIGN KEY ("partner_id","sequence") REFERENCES "public"."events"("partner_id","sequence") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_lanes" ADD CONSTRAINT "webhook_lanes_partner_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("partner_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "partners_revision_index" ON "partners" USING btree ("revision");--> statement-breakpoint
CREATE INDEX "withdrawals_unfinished_index" ON "withdrawals" USING btree ("status","created_at") WHERE "withdrawals"."status" in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "event_deliveries_due_index" ON "event_deliveries" USING btree ("next_attempt_at") WHERE "event_deliveries"."next_attempt_at" is not null;