CREATE TABLE "usage_days" (
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"day" date NOT NULL,
	"check_id" text NOT NULL,
	"source" text NOT NULL,
	"found" integer NOT NULL,
	"not_found" integer NOT NULL,
	"failed" integer NOT NULL,
	"cached" integer NOT NULL,
	"charged" integer NOT NULL,
	"billed_kobo" bigint NOT NULL,
	CONSTRAINT "usage_days_app_id_live_day_check_id_source_pk" PRIMARY KEY("app_id","live","day","check_id","source")
);
--> statement-breakpoint
CREATE INDEX "ledger_at" ON "ledger_entries" USING brin ("at");--> statement-breakpoint
ALTER TABLE "price_overrides" ADD CONSTRAINT "price_overrides_prices" CHECK ("price_overrides"."cached_price_kobo" between 0 and "price_overrides"."price_kobo");