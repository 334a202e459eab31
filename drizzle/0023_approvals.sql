CREATE TYPE "public"."approval_status" AS ENUM('pending_approval', 'approved', 'declined', 'expired', 'void');--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean,
	"action" text NOT NULL,
	"status" "approval_status" DEFAULT 'pending_approval' NOT NULL,
	"target" text NOT NULL,
	"amount_kobo" bigint,
	"asked_kind" text NOT NULL,
	"asked_id" text NOT NULL,
	"asked_person" uuid,
	"request" text,
	"about" "bytea" NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_by" uuid,
	"decided_at" timestamp with time zone,
	"usable_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "made_by" uuid;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "approval_id" uuid;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_app" ON "approvals" USING btree ("app_id","id");--> statement-breakpoint
CREATE INDEX "approvals_expiry" ON "approvals" USING btree ("expires_at") WHERE "approvals"."status" = 'pending_approval';--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_pending" ON "approvals" USING btree ("request") WHERE "approvals"."status" = 'pending_approval';--> statement-breakpoint
CREATE INDEX "approvals_usable" ON "approvals" USING btree ("target","asked_id") WHERE "approvals"."usable_until" is not null;