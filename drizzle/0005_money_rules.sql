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
