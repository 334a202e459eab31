ALTER TABLE "batches" ADD COLUMN "stored_bytes" bigint;--> statement-breakpoint
ALTER TABLE "usage_days" ADD COLUMN "stored_bytes" bigint DEFAULT 0 NOT NULL;