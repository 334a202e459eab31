ALTER TABLE "aml_clearances" ALTER COLUMN "source_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "aml_monitor_hits" ALTER COLUMN "source_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "aml_clearances" ADD COLUMN "source" "bytea";--> statement-breakpoint
ALTER TABLE "aml_clearances" ADD COLUMN "source_index" "bytea";--> statement-breakpoint
ALTER TABLE "aml_monitor_hits" ADD COLUMN "source_index" "bytea";--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "about" "bytea";--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "reference_index" "bytea";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "about" "bytea";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "reference_index" "bytea";--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "about" "bytea";--> statement-breakpoint
CREATE UNIQUE INDEX "aml_clearances_listing" ON "aml_clearances" USING btree ("app_id","live","subject","list","source_index") WHERE "aml_clearances"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "aml_clearances_clear" ON "aml_clearances" USING btree ("id") WHERE "aml_clearances"."source_id" is not null;--> statement-breakpoint
CREATE INDEX "aml_monitor_hits_clear" ON "aml_monitor_hits" USING btree ("id") WHERE "aml_monitor_hits"."source_id" is not null;--> statement-breakpoint
CREATE INDEX "batches_clear" ON "batches" USING btree ("id") WHERE "batches"."reference" is not null or "batches"."metadata" is not null;--> statement-breakpoint
CREATE INDEX "jobs_clear" ON "jobs" USING btree ("id") WHERE "jobs"."reference" is not null or "jobs"."metadata" is not null or "jobs"."consent" is not null;--> statement-breakpoint
CREATE INDEX "events_clear" ON "events" USING btree ("id") WHERE "events"."about" is null
      and ("events"."data" ->> 'reference' is not null or "events"."data" ->> 'metadata' is not null or "events"."data" ->> 'source_ids' <> '[]');--> statement-breakpoint
ALTER TABLE "aml_monitor_hits" ADD CONSTRAINT "aml_monitor_hits_told" UNIQUE("monitor_id","list","source_index","digest");