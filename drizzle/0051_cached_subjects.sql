ALTER TABLE "cache_records" ADD COLUMN "subject" "bytea";--> statement-breakpoint
ALTER TABLE "pending_lookups" ADD COLUMN "subject" "bytea";--> statement-breakpoint
CREATE INDEX "cache_records_subject" ON "cache_records" USING btree ("subject") WHERE "cache_records"."subject" is not null;--> statement-breakpoint
CREATE INDEX "pending_lookups_subject" ON "pending_lookups" USING btree ("subject") WHERE "pending_lookups"."subject" is not null;