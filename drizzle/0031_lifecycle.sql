ALTER TYPE "public"."batch_status" ADD VALUE 'deleting';--> statement-breakpoint
ALTER TYPE "public"."batch_status" ADD VALUE 'deleted';--> statement-breakpoint
CREATE TABLE "deletions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"kind" text NOT NULL,
	"reason" text NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"jobs" integer DEFAULT 0 NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "invalid_gone_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "legal_hold_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "deletions_open" ON "deletions" USING btree ("asked_at") WHERE "deletions"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "batches_invalid_gone" ON "batches" USING btree ("invalid_gone_at") WHERE "batches"."invalid_gone_at" is not null;--> statement-breakpoint
CREATE INDEX "jobs_calls" ON "jobs" USING btree ("app_id","live","id") WHERE "jobs"."batch_id" is null and "jobs"."input" is null and "jobs"."subject" is not null;--> statement-breakpoint
CREATE INDEX "delivery_attempts_excerpts" ON "delivery_attempts" USING btree ("delivery_id") WHERE "delivery_attempts"."excerpt" is not null;--> statement-breakpoint
CREATE INDEX "events_about" ON "events" USING btree (("data" ->> 'id'));