-- Every change of a batch's status leaves a row, whoever makes it.
CREATE FUNCTION batch_record_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A batch without a valid row is created and completed in one transaction: the deferred row of its creation would stand behind its end.
  IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM batch_history WHERE batch_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  -- Read anew: an upload inserts its batch first and counts its rows later in the same transaction.
  INSERT INTO batch_history (batch_id, status, reason, queued, leased, completed, failed, canceled)
  SELECT id, NEW.status, NEW.reason, queued, leased, completed, failed, canceled FROM batches WHERE id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER batch_created AFTER INSERT ON batches DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION batch_record_status();
--> statement-breakpoint
CREATE TRIGGER batch_status_changed AFTER UPDATE OF status ON batches
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION batch_record_status();
--> statement-breakpoint
INSERT INTO batch_history (batch_id, at, status, queued, leased, completed, failed, canceled)
  SELECT id, created_at, status, queued, leased, completed, failed, canceled FROM batches;
--> statement-breakpoint
UPDATE lanes l SET price_kobo = coalesce(
  (SELECT price_kobo FROM jobs j WHERE j.batch_id = l.batch_id AND j.check_id = l.check_id LIMIT 1), 0);
--> statement-breakpoint
UPDATE batches b SET leased_kobo = coalesce(
  (SELECT sum(price_kobo) FROM jobs j WHERE j.batch_id = b.id AND j.status = 'leased'), 0)
  WHERE leased > 0;
--> statement-breakpoint
-- Counters that every group of results adds to: leave room on their pages so that the update stays there (HOT).
ALTER TABLE usage_days SET (fillfactor = 50);
--> statement-breakpoint
-- What was used before it was counted.
INSERT INTO usage_days (app_id, live, day, check_id, source, found, not_found, failed, cached, charged, billed_kobo)
  SELECT app_id, live, (completed_at AT TIME ZONE 'utc')::date, check_id,
    CASE WHEN batch_id IS NOT NULL THEN 'batch' WHEN input IS NOT NULL THEN 'job' ELSE 'call' END,
    count(*) FILTER (WHERE outcome = 'found'), count(*) FILTER (WHERE outcome = 'not_found'), count(*) FILTER (WHERE status = 'failed'),
    count(*) FILTER (WHERE cached), count(*) FILTER (WHERE billed_kobo > 0), sum(billed_kobo)
  FROM jobs WHERE status IN ('completed', 'failed') GROUP BY 1, 2, 3, 4, 5;
