DROP INDEX "holds_by_day";--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "first_claim" uuid;--> statement-breakpoint
CREATE INDEX "events_monitor" ON "events" USING btree (("data" ->> 'monitor')) WHERE "events"."data" ->> 'monitor' is not null;--> statement-breakpoint
CREATE INDEX "holds_by_day" ON "holds" USING btree ("app_id","created_at");