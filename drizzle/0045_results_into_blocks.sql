-- Every batch that is there by now may have results outside of blocks; so may those of processes of an earlier release, which take the default. Neither rewrites a row.
ALTER TABLE "batches" ADD COLUMN "unmoved_after" integer DEFAULT 0;--> statement-breakpoint
CREATE INDEX "batches_unmoved" ON "batches" USING btree ("id") WHERE "batches"."unmoved_after" is not null and "batches"."deleted_at" is null;
