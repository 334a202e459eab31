CREATE TYPE "public"."batch_status" AS ENUM('awaiting_start', 'queued', 'running', 'completed', 'canceling', 'canceled');--> statement-breakpoint
CREATE TYPE "public"."delivery_status" AS ENUM('pending', 'sending', 'delivered', 'failed');--> statement-breakpoint
CREATE TYPE "public"."job_outcome" AS ENUM('found', 'not_found');--> statement-breakpoint
CREATE TYPE "public"."job_status" AS ENUM('queued', 'leased', 'completed', 'failed', 'canceled');--> statement-breakpoint
CREATE TYPE "public"."key_kind" AS ENUM('live', 'test', 'admin');--> statement-breakpoint
CREATE TYPE "public"."ledger_account" AS ENUM('topups', 'available', 'held', 'revenue');--> statement-breakpoint
CREATE TYPE "public"."ledger_kind" AS ENUM('topup', 'hold', 'capture', 'release');--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid,
	"kind" "key_kind" NOT NULL,
	"hash" "bytea" NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_owner" CHECK (("api_keys"."kind" = 'admin') = ("api_keys"."app_id" is null))
);
--> statement-breakpoint
CREATE TABLE "apps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"webhook_secret" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"status" "batch_status" NOT NULL,
	"checks" text[] NOT NULL,
	"format" text NOT NULL,
	"columns" text[] NOT NULL,
	"mapping" jsonb NOT NULL,
	"reference" text,
	"metadata" jsonb,
	"callback_url" text,
	"rows" integer NOT NULL,
	"jobs" integer NOT NULL,
	"queued" integer NOT NULL,
	"leased" integer DEFAULT 0 NOT NULL,
	"completed" integer DEFAULT 0 NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"not_found" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"canceled" integer DEFAULT 0 NOT NULL,
	"invalid" integer NOT NULL,
	"duplicate" integer DEFAULT 0 NOT NULL,
	"quote_kobo" bigint NOT NULL,
	"hold_kobo" bigint NOT NULL,
	"billed_kobo" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"completed_at" timestamp with time zone,
	"canceled_at" timestamp with time zone,
	CONSTRAINT "batches_add_up" CHECK ("batches"."queued" + "batches"."leased" + "batches"."completed" + "batches"."failed" + "batches"."canceled" = "batches"."jobs"),
	CONSTRAINT "batches_outcomes" CHECK ("batches"."found" + "batches"."not_found" = "batches"."completed"),
	CONSTRAINT "batches_counts" CHECK (least("batches"."rows", "batches"."queued", "batches"."leased", "batches"."found", "batches"."not_found", "batches"."failed", "batches"."canceled", "batches"."invalid") >= 0)
);
--> statement-breakpoint
CREATE TABLE "cache_records" (
	"key" "bytea" PRIMARY KEY NOT NULL,
	"found" boolean NOT NULL,
	"tier" smallint NOT NULL,
	"job_id" uuid,
	"record" "bytea",
	"provider" text NOT NULL,
	"fetched_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cache_records_source" CHECK ("cache_records"."found" = (num_nonnulls("cache_records"."job_id", "cache_records"."record") = 1))
);
--> statement-breakpoint
CREATE TABLE "chunks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"single" boolean NOT NULL,
	"family" text NOT NULL,
	"check_id" text NOT NULL,
	"job_ids" uuid[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"work_ms" integer
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"event_id" uuid NOT NULL,
	"app_id" uuid NOT NULL,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"status" "delivery_status" DEFAULT 'pending' NOT NULL,
	"attempt" smallint DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp with time zone,
	"response_status" smallint,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"delivered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"amount_kobo" bigint NOT NULL,
	"captured_kobo" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"released_at" timestamp with time zone,
	CONSTRAINT "holds_captured" CHECK ("holds"."captured_kobo" between 0 and "holds"."amount_kobo")
);
--> statement-breakpoint
CREATE TABLE "invalid_rows" (
	"batch_id" uuid NOT NULL,
	"row_number" integer NOT NULL,
	"input" "bytea",
	"problems" jsonb NOT NULL,
	CONSTRAINT "invalid_rows_batch_id_row_number_pk" PRIMARY KEY("batch_id","row_number")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"batch_id" uuid,
	"live" boolean NOT NULL,
	"cached" boolean DEFAULT false NOT NULL,
	"status" "job_status" DEFAULT 'queued' NOT NULL,
	"outcome" "job_outcome",
	"row_number" integer,
	"attempt" smallint DEFAULT 0 NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	"price_kobo" integer NOT NULL,
	"cached_price_kobo" integer NOT NULL,
	"billed_kobo" integer DEFAULT 0 NOT NULL,
	"latency_ms" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp with time zone,
	"check_id" text NOT NULL,
	"family" text NOT NULL,
	"provider" text,
	"error_code" text,
	"reference" text,
	"callback_url" text,
	"cache_mode" text DEFAULT 'use' NOT NULL,
	"metadata" jsonb,
	"consent" jsonb,
	"subject" "bytea",
	"input" "bytea"
);
--> statement-breakpoint
CREATE TABLE "lanes" (
	"batch_id" uuid NOT NULL,
	"check_id" text NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"family" text NOT NULL,
	"cursor_row" integer DEFAULT 0 NOT NULL,
	"fresh" boolean DEFAULT true NOT NULL,
	"open" boolean NOT NULL,
	CONSTRAINT "lanes_batch_id_check_id_pk" PRIMARY KEY("batch_id","check_id")
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"kind" "ledger_kind" NOT NULL,
	"from_account" "ledger_account" NOT NULL,
	"to_account" "ledger_account" NOT NULL,
	"amount_kobo" bigint NOT NULL,
	"hold_id" uuid,
	"job_id" uuid,
	"note" text,
	CONSTRAINT "ledger_once" UNIQUE("job_id","kind"),
	CONSTRAINT "ledger_amount" CHECK ("ledger_entries"."amount_kobo" > 0),
	CONSTRAINT "ledger_accounts" CHECK ("ledger_entries"."from_account" <> "ledger_entries"."to_account")
);
--> statement-breakpoint
CREATE TABLE "provider_states" (
	"name" text PRIMARY KEY NOT NULL,
	"arrival_at" timestamp with time zone DEFAULT now() NOT NULL,
	"paused_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "results" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"entity" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waiting_jobs" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"batch_id" uuid,
	"family" text NOT NULL,
	"check_id" text NOT NULL,
	"run_after" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallets" (
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"available_kobo" bigint DEFAULT 0 NOT NULL,
	"held_kobo" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "wallets_app_id_live_pk" PRIMARY KEY("app_id","live"),
	CONSTRAINT "wallets_available" CHECK ("wallets"."available_kobo" >= 0),
	CONSTRAINT "wallets_held" CHECK ("wallets"."held_kobo" >= 0)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invalid_rows" ADD CONSTRAINT "invalid_rows_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lanes" ADD CONSTRAINT "lanes_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "batches_app" ON "batches" USING btree ("app_id","id");--> statement-breakpoint
CREATE INDEX "batches_active" ON "batches" USING btree ("id") WHERE "batches"."status" in ('queued', 'running', 'canceling');--> statement-breakpoint
CREATE INDEX "cache_records_expiry" ON "cache_records" USING brin ("expires_at");--> statement-breakpoint
CREATE INDEX "chunks_open" ON "chunks" USING btree ("family","leased_until") WHERE "chunks"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "chunks_finished" ON "chunks" USING btree ("finished_at");--> statement-breakpoint
CREATE INDEX "deliveries_lane" ON "deliveries" USING btree ("host","next_attempt_at","id") WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_sending" ON "deliveries" USING btree ("host") WHERE "deliveries"."status" = 'sending';--> statement-breakpoint
CREATE INDEX "deliveries_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("app_id","live") WHERE "holds"."released_at" is null;--> statement-breakpoint
CREATE INDEX "holds_expiry" ON "holds" USING btree ("expires_at") WHERE "holds"."released_at" is null and "holds"."expires_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_batch_row" ON "jobs" USING btree ("batch_id","row_number","check_id") WHERE "jobs"."batch_id" is not null;--> statement-breakpoint
CREATE INDEX "lanes_open" ON "lanes" USING btree ("family","app_id") WHERE "lanes"."open";--> statement-breakpoint
CREATE INDEX "waiting_jobs_single" ON "waiting_jobs" USING btree ("family","app_id","run_after") WHERE "waiting_jobs"."batch_id" is null;--> statement-breakpoint
CREATE INDEX "waiting_jobs_batch" ON "waiting_jobs" USING btree ("batch_id","check_id","run_after") WHERE "waiting_jobs"."batch_id" is not null;