CREATE TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"release" text NOT NULL,
	"reads" smallint NOT NULL,
	"families" text[] NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "stored_as" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "stored_as" smallint;