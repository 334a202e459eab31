CREATE TABLE "erasures" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"asked" "bytea",
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stage" text DEFAULT 'jobs' NOT NULL,
	"cursor" uuid,
	"row" integer DEFAULT 0 NOT NULL,
	"waiting" uuid[] DEFAULT '{}' NOT NULL,
	"waiting_jobs" uuid[] DEFAULT '{}' NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"held" uuid[] DEFAULT '{}' NOT NULL,
	"finished_at" timestamp with time zone,
	"receipt" text,
	"signature" text
);
--> statement-breakpoint
CREATE INDEX "erasures_app" ON "erasures" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "erasures_open" ON "erasures" USING btree ("next_at") WHERE "erasures"."finished_at" is null;