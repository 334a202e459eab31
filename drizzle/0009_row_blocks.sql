CREATE TABLE "row_blocks" (
	"batch_id" uuid NOT NULL,
	"block" integer NOT NULL,
	"rows" "bytea" NOT NULL,
	CONSTRAINT "row_blocks_batch_id_block_pk" PRIMARY KEY("batch_id","block")
);
--> statement-breakpoint
ALTER TABLE "row_blocks" ADD CONSTRAINT "row_blocks_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;