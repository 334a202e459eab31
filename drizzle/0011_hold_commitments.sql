ALTER TABLE "holds" ADD COLUMN "captured_before_kobo" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "committed_kobo" bigint;