ALTER TYPE "public"."ledger_kind" ADD VALUE 'refund';--> statement-breakpoint
ALTER TYPE "public"."ledger_kind" ADD VALUE 'write_off';--> statement-breakpoint
CREATE TABLE "app_deletions" (
	"app_id" uuid PRIMARY KEY NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stage" text NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"balance_kobo" bigint NOT NULL,
	"balance" text,
	"journaled_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"certificate" text,
	"signature" text
);
--> statement-breakpoint
ALTER TABLE "apps" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "app_deletions_open" ON "app_deletions" USING btree ("next_at") WHERE "app_deletions"."finished_at" is null;