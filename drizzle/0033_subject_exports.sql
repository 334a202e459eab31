CREATE TABLE "subject_exports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"asked" "bytea",
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stage" text DEFAULT 'jobs' NOT NULL,
	"cursor" uuid,
	"row" integer DEFAULT 0 NOT NULL,
	"found" jsonb,
	"finished_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "subject_exports_app" ON "subject_exports" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "subject_exports_open" ON "subject_exports" USING btree ("id") WHERE "subject_exports"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "subject_exports_expiry" ON "subject_exports" USING btree ("expires_at") WHERE "subject_exports"."asked" is not null;