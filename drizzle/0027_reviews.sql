CREATE TYPE "public"."review_state" AS ENUM('open', 'seconding', 'escalated', 'decided');--> statement-breakpoint
CREATE TABLE "review_notes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"review_id" uuid NOT NULL,
	"actor" text NOT NULL,
	"decision" text,
	"note" "bytea" NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"job_id" uuid NOT NULL,
	"check_id" text NOT NULL,
	"kind" text NOT NULL,
	"state" "review_state" DEFAULT 'open' NOT NULL,
	"assignee" text,
	"proposal" text,
	"proposed_by" text,
	"escalated_by" text,
	"decision" text,
	"decided_by" text,
	"opened_at" timestamp with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp with time zone,
	"announced_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "review_notes" ADD CONSTRAINT "review_notes_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_notes_review" ON "review_notes" USING btree ("review_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_job" ON "reviews" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "reviews_app" ON "reviews" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "reviews_open" ON "reviews" USING btree ("app_id","live","id") WHERE "reviews"."state" <> 'decided';--> statement-breakpoint
CREATE INDEX "reviews_unannounced" ON "reviews" USING btree ("id") WHERE "reviews"."announced_at" is null;