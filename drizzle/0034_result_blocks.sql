CREATE TABLE "result_blocks" (
	"batch_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"check_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sealed" "bytea" NOT NULL,
	CONSTRAINT "result_blocks_batch_id_id_pk" PRIMARY KEY("batch_id","id")
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "result_block" uuid;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "result_slot" smallint;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "check_id" text;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "jobs" integer;--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "reads_results" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "result_blocks" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
