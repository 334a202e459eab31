CREATE TABLE "batch_samples" (
	"batch_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"found" integer NOT NULL,
	"not_found" integer NOT NULL,
	"failed" integer NOT NULL,
	"canceled" integer NOT NULL,
	CONSTRAINT "batch_samples_batch_id_at_pk" PRIMARY KEY("batch_id","at")
);
--> statement-breakpoint
ALTER TABLE "batch_history" ADD COLUMN "found" integer;--> statement-breakpoint
ALTER TABLE "batch_history" ADD COLUMN "not_found" integer;--> statement-breakpoint
ALTER TABLE "provider_lookups" ADD COLUMN "hedged" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "batch_samples" ADD CONSTRAINT "batch_samples_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- The history says what was found too, so that the course of a batch can be drawn from it.
CREATE OR REPLACE FUNCTION batch_record_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A batch without a valid row is created and completed in one transaction: the deferred row of its creation would stand behind its end.
  IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM batch_history WHERE batch_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  -- Read anew: an upload inserts its batch first and counts its rows later in the same transaction.
  INSERT INTO batch_history (batch_id, status, reason, queued, leased, completed, failed, canceled, found, not_found)
  SELECT b.id, NEW.status, NEW.reason, b.queued, b.leased, b.completed, b.failed, b.canceled, b.found, b.not_found FROM batches b WHERE b.id = NEW.id;
  RETURN NULL;
END $$;
