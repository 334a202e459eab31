ALTER TYPE "public"."batch_status" ADD VALUE 'paused';--> statement-breakpoint
ALTER TYPE "public"."batch_status" ADD VALUE 'paused_funds';--> statement-breakpoint
ALTER TYPE "public"."batch_status" ADD VALUE 'failed';--> statement-breakpoint
ALTER TYPE "public"."batch_status" ADD VALUE 'expired';--> statement-breakpoint
ALTER TYPE "public"."job_status" ADD VALUE 'duplicate';--> statement-breakpoint
CREATE TABLE "batch_history" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "batch_history_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"batch_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"status" "batch_status" NOT NULL,
	"reason" text,
	"queued" integer NOT NULL,
	"leased" integer NOT NULL,
	"completed" integer NOT NULL,
	"failed" integer NOT NULL,
	"canceled" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"delivery_id" uuid NOT NULL,
	"attempt" smallint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"status" smallint,
	"error" text,
	"latency_ms" integer NOT NULL,
	"excerpt" "bytea",
	CONSTRAINT "delivery_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"key" "bytea" NOT NULL,
	"claim" uuid,
	"fingerprint" "bytea",
	"status" smallint,
	"headers" jsonb,
	"body" "bytea",
	"locked_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_app_id_live_key_pk" PRIMARY KEY("app_id","live","key")
);
--> statement-breakpoint
CREATE TABLE "price_overrides" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"check_id" text NOT NULL,
	"price_kobo" integer NOT NULL,
	"cached_price_kobo" integer NOT NULL,
	"valid_from" timestamp with time zone DEFAULT now() NOT NULL,
	"valid_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "price_overrides_prices" CHECK ("price_overrides"."cached_price_kobo" between 0 and "price_overrides"."price_kobo")
);
--> statement-breakpoint
CREATE TABLE "request_counts" (
	"key_id" uuid NOT NULL,
	"window" timestamp with time zone NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "request_counts_key_id_window_pk" PRIMARY KEY("key_id","window")
);
--> statement-breakpoint
CREATE TABLE "usage_days" (
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"day" date NOT NULL,
	"check_id" text NOT NULL,
	"source" text NOT NULL,
	"found" integer NOT NULL,
	"not_found" integer NOT NULL,
	"failed" integer NOT NULL,
	"cached" integer NOT NULL,
	"charged" integer NOT NULL,
	"billed_kobo" bigint NOT NULL,
	CONSTRAINT "usage_days_app_id_live_day_check_id_source_pk" PRIMARY KEY("app_id","live","day","check_id","source")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"events" text[] NOT NULL,
	"signing" text DEFAULT 'v1' NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_expires_at" timestamp with time zone,
	"rate_per_second" integer,
	"paced_until" timestamp with time zone,
	"encryption_key" jsonb,
	"failing_since" timestamp with time zone,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "daily_cap_kobo" bigint;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "leased_kobo" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "max_failure_percent" smallint;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "failed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "expired_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "endpoint_id" uuid;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "live" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "twin_row" integer;--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "price_kobo" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "batch_history" ADD CONSTRAINT "batch_history_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "price_overrides" ADD CONSTRAINT "price_overrides_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batch_history_batch" ON "batch_history" USING btree ("batch_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "price_overrides_app" ON "price_overrides" USING btree ("app_id","check_id","valid_from");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_app" ON "webhook_endpoints" USING btree ("app_id","live");--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batches_deadline" ON "batches" USING btree ("expires_at") WHERE "batches"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_endpoint" ON "deliveries" USING btree ("endpoint_id","id") WHERE "deliveries"."endpoint_id" is not null;--> statement-breakpoint
CREATE INDEX "events_app" ON "events" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "holds_by_day" ON "holds" USING btree ("app_id","created_at") WHERE "holds"."key_id" is not null;--> statement-breakpoint
CREATE INDEX "ledger_by_app" ON "ledger_entries" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "ledger_at" ON "ledger_entries" USING brin ("at");--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_covered" CHECK ("batches"."leased_kobo" >= 0 and "batches"."leased_kobo" + "batches"."billed_kobo" <= "batches"."hold_kobo");