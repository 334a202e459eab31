CREATE TABLE "sandbox_portraits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"id_type" text NOT NULL,
	"subject" "bytea" NOT NULL,
	"masked" "bytea" NOT NULL,
	"type" text NOT NULL,
	"bytes" integer NOT NULL,
	"image" "bytea" NOT NULL,
	"shown" "bytea" NOT NULL,
	"enrolled_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sandbox_portraits" ADD CONSTRAINT "sandbox_portraits_app_id_apps_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_portraits_subject" ON "sandbox_portraits" USING btree ("app_id","id_type","subject");--> statement-breakpoint
CREATE INDEX "sandbox_portraits_app" ON "sandbox_portraits" USING btree ("app_id","id");