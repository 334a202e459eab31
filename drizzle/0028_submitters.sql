ALTER TABLE "links" ADD COLUMN "person_id" uuid;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "person_id" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "person_id" uuid;