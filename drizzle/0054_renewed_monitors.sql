ALTER TABLE "aml_monitors" ADD COLUMN "renewed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "aml_rescreens" ADD COLUMN "renewed_cursor" uuid;