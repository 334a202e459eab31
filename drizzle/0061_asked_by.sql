ALTER TABLE "erasures" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "person_id" uuid;--> statement-breakpoint
ALTER TABLE "subject_exports" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "subject_exports" ADD COLUMN "person_id" uuid;--> statement-breakpoint
ALTER TABLE "subject_holds" ADD COLUMN "key_id" uuid;--> statement-breakpoint
ALTER TABLE "subject_holds" ADD COLUMN "person_id" uuid;