CREATE TABLE "data_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"app_id" uuid,
	"month" date,
	"wrapped" "bytea" NOT NULL,
	"wrapped_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "data_keys_month" ON "data_keys" USING btree (coalesce("app_id", '00000000-0000-0000-0000-000000000000'),"month") WHERE "data_keys"."month" is not null;--> statement-breakpoint
CREATE INDEX "data_keys_wrapped_by" ON "data_keys" USING btree ("wrapped_by","id");