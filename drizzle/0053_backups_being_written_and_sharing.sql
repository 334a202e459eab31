ALTER TABLE "apps" ADD COLUMN "shared_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "is_finished" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "approvals_target" ON "approvals" USING btree ("target");--> statement-breakpoint
-- Apps that once had the shared cache, by their settings, and have it no more: what they put there is at most 30 days old.
UPDATE "apps" SET "shared_until" = now()
WHERE "deleted_at" IS NULL AND (coalesce("settings" ->> 'cacheScope' = 'deployment', false) <> ("settings" ->> 'shareCache' = 'true'));
