CREATE TABLE "lease_counts" (
	"batch_id" uuid NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "lease_counts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"app_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"jobs" integer NOT NULL,
	"kobo" bigint NOT NULL,
	CONSTRAINT "lease_counts_batch_id_id_pk" PRIMARY KEY("batch_id","id")
);
--> statement-breakpoint
-- From here on written by hand.
-- Rows live for moments: vacuum often.
ALTER TABLE lease_counts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
-- Counts the leases that nobody has counted yet. Whoever updates a batch holds its row, so each is counted once; a lease that is not committed yet is not seen,
-- and its jobs count as queued until the next update.
CREATE FUNCTION batch_fold_leases() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  folded record;
BEGIN
  WITH gone AS (DELETE FROM lease_counts WHERE batch_id = NEW.id RETURNING jobs, kobo)
  SELECT coalesce(sum(jobs), 0)::int AS jobs, coalesce(sum(kobo), 0)::bigint AS kobo INTO folded FROM gone;
  NEW.queued := NEW.queued - folded.jobs;
  NEW.leased := NEW.leased + folded.jobs;
  NEW.leased_kobo := NEW.leased_kobo + folded.kobo;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER batch_leases_folded BEFORE UPDATE ON batches FOR EACH ROW EXECUTE FUNCTION batch_fold_leases();
