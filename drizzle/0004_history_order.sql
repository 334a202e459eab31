-- A batch without a valid row is created and completed in one transaction. What it was in between nobody could have seen, and the deferred
-- row of its creation would stand behind its end.
CREATE OR REPLACE FUNCTION batch_record_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM batch_history WHERE batch_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  -- Read anew: an upload inserts its batch first and counts its rows later in the same transaction.
  INSERT INTO batch_history (batch_id, status, reason, queued, leased, completed, failed, canceled)
  SELECT id, NEW.status, NEW.reason, queued, leased, completed, failed, canceled FROM batches WHERE id = NEW.id;
  RETURN NULL;
END $$;
