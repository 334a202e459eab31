CREATE TABLE "aml_clearances" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"subject" "bytea" NOT NULL,
	"list" text NOT NULL,
	"source_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"note" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "aml_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "aml_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"list" text NOT NULL,
	"source_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"entry" jsonb NOT NULL,
	"from_version" uuid NOT NULL,
	"to_version" uuid
);
--> statement-breakpoint
CREATE TABLE "aml_list_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"list" text NOT NULL,
	"label" text NOT NULL,
	"format" text NOT NULL,
	"origin" text NOT NULL,
	"published_on" date,
	"loaded_at" timestamp with time zone DEFAULT now() NOT NULL,
	"checksum" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"entries" integer NOT NULL,
	"names" integer NOT NULL,
	"skipped" integer NOT NULL,
	"added" integer NOT NULL,
	"changed" integer NOT NULL,
	"removed" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "aml_lists" (
	"list" text PRIMARY KEY NOT NULL,
	"version_id" uuid NOT NULL,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"fetched" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"refused_at" timestamp with time zone,
	"refusal" text,
	"refusal_detail" text
);
--> statement-breakpoint
CREATE TABLE "aml_monitor_hits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"monitor_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"list" text NOT NULL,
	"source_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"hit" "bytea" NOT NULL,
	CONSTRAINT "aml_monitor_hits_once" UNIQUE("monitor_id","list","source_id","digest")
);
--> statement-breakpoint
CREATE TABLE "aml_monitors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"subject" "bytea" NOT NULL,
	"input" "bytea" NOT NULL,
	"job_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"screened_at" timestamp with time zone,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "aml_rescreens" (
	"version_id" uuid PRIMARY KEY NOT NULL,
	"list" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"cursor" uuid,
	"screened" integer DEFAULT 0 NOT NULL,
	"hits" integer DEFAULT 0 NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "aml_monitor_hits" ADD CONSTRAINT "aml_monitor_hits_monitor_id_aml_monitors_id_fk" FOREIGN KEY ("monitor_id") REFERENCES "public"."aml_monitors"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "aml_clearances_subject" ON "aml_clearances" USING btree ("app_id","live","subject","list","source_id") WHERE "aml_clearances"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "aml_clearances_app" ON "aml_clearances" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE UNIQUE INDEX "aml_entries_in_force" ON "aml_entries" USING btree ("list","source_id") WHERE "aml_entries"."to_version" is null;--> statement-breakpoint
CREATE INDEX "aml_entries_from" ON "aml_entries" USING btree ("from_version");--> statement-breakpoint
CREATE INDEX "aml_list_versions_list" ON "aml_list_versions" USING btree ("list","loaded_at");--> statement-breakpoint
CREATE UNIQUE INDEX "aml_monitors_subject" ON "aml_monitors" USING btree ("app_id","live","subject") WHERE "aml_monitors"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "aml_monitors_app" ON "aml_monitors" USING btree ("app_id","live","id");--> statement-breakpoint
CREATE INDEX "aml_monitors_watched" ON "aml_monitors" USING btree ("live","id") WHERE "aml_monitors"."ended_at" is null;