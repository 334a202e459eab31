ALTER TABLE "api_keys" ADD COLUMN "made_by_key" uuid;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "terms" jsonb;--> statement-breakpoint
ALTER TABLE "app_people" ADD COLUMN "invited_by" text;--> statement-breakpoint
ALTER TABLE "app_people" ADD COLUMN "role_by" text;--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN "administrator_by" text;