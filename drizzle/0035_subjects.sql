CREATE TABLE "consent_withdrawals" (
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"reference" "bytea" NOT NULL,
	"id" uuid NOT NULL,
	"withdrawn_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "consent_withdrawals_app_id_live_reference_pk" PRIMARY KEY("app_id","live","reference")
);
--> statement-breakpoint
CREATE TABLE "held_places" (
	"place" uuid NOT NULL,
	"hold_id" uuid NOT NULL,
	CONSTRAINT "held_places_place_hold_id_pk" PRIMARY KEY("place","hold_id")
);
--> statement-breakpoint
CREATE TABLE "row_marks" (
	"batch_id" uuid NOT NULL,
	"bucket" integer NOT NULL,
	"part" integer NOT NULL,
	"entries" "bytea" NOT NULL,
	CONSTRAINT "row_marks_batch_id_bucket_part_pk" PRIMARY KEY("batch_id","bucket","part")
);
--> statement-breakpoint
CREATE TABLE "subject_holds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"about" "bytea",
	"marks" jsonb NOT NULL,
	"subjects" "bytea"[] NOT NULL,
	"held_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lifted_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "aml_monitors" ADD COLUMN "consent" "bytea";--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "marked_rows" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "marks" jsonb;--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "journaled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "kept" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "held_places" ADD CONSTRAINT "held_places_hold_id_subject_holds_id_fk" FOREIGN KEY ("hold_id") REFERENCES "public"."subject_holds"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "held_places_hold" ON "held_places" USING btree ("hold_id");--> statement-breakpoint
CREATE INDEX "subject_holds_app" ON "subject_holds" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "batches_unmarked" ON "batches" USING btree ("app_id","live","id") WHERE "batches"."marked_rows" < "batches"."rows" and "batches"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "jobs_twins" ON "jobs" USING btree ("batch_id","twin_row") WHERE "jobs"."twin_row" is not null;
--> statement-breakpoint
ALTER TABLE "row_marks" ALTER COLUMN "entries" SET STORAGE EXTERNAL;
