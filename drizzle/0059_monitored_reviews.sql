ALTER TABLE "aml_monitor_hits" ADD COLUMN "app_id" uuid;--> statement-breakpoint
UPDATE "aml_monitor_hits" h SET "app_id" = m."app_id" FROM "aml_monitors" m WHERE m."id" = h."monitor_id";--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "monitor_id" uuid;--> statement-breakpoint
CREATE INDEX "aml_monitor_hits_app" ON "aml_monitor_hits" USING btree ("app_id","monitor_id");