CREATE TABLE "pending_lookups" (
	"key" "bytea" NOT NULL,
	"tier" smallint NOT NULL,
	"provider" text NOT NULL,
	"ticket" "bytea" NOT NULL,
	"ticket_index" "bytea" NOT NULL,
	"job_id" uuid NOT NULL,
	"answer" "bytea",
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "pending_lookups_key_tier_pk" PRIMARY KEY("key","tier")
);
--> statement-breakpoint
CREATE TABLE "provider_days" (
	"day" date NOT NULL,
	"provider" text NOT NULL,
	"check_id" text NOT NULL,
	"kind" text NOT NULL,
	"found" integer NOT NULL,
	"not_found" integer NOT NULL,
	"failed" integer NOT NULL,
	"cost_kobo" bigint NOT NULL,
	CONSTRAINT "provider_days_day_provider_check_id_kind_pk" PRIMARY KEY("day","provider","check_id","kind")
);
--> statement-breakpoint
CREATE TABLE "provider_lookups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"job_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"provider" text NOT NULL,
	"kind" text NOT NULL,
	"tier" smallint NOT NULL,
	"outcome" text NOT NULL,
	"latency_ms" integer NOT NULL,
	"cost_kobo" integer NOT NULL,
	"status" text,
	"reference" text,
	"answer_hash" "bytea"
);
--> statement-breakpoint
ALTER TABLE "provider_states" ADD COLUMN "granted" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "provider_states" ADD COLUMN "degraded_since" timestamp with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "pending_lookups_ticket" ON "pending_lookups" USING btree ("provider","ticket_index");--> statement-breakpoint
CREATE INDEX "pending_lookups_expiry" ON "pending_lookups" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "provider_lookups_job" ON "provider_lookups" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "provider_lookups_at" ON "provider_lookups" USING brin ("at");