DROP INDEX "batches_app";--> statement-breakpoint
CREATE INDEX "batches_app" ON "batches" USING btree ("app_id","live","id");