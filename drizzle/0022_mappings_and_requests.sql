CREATE TABLE "saved_mappings" (
	"app_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"content" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_mappings_app_id_id_pk" PRIMARY KEY("app_id","id")
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid NOT NULL,
	"live" boolean NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"status" smallint NOT NULL,
	"code" text,
	"duration" integer NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "saved_mappings_used" ON "saved_mappings" USING btree ("app_id","used_at","id");--> statement-breakpoint
CREATE INDEX "request_log_app" ON "request_log" USING btree ("app_id","live","id");