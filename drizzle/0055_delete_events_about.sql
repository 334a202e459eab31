-- Deletes the events about these public ids, of every app; for a request of one app (the role of the second wall that acts for it) only that app's.
-- It runs as the owner, because beside a policy Postgres uses no index on an expression of a JSON member: a request would read all events of its app.
CREATE FUNCTION delete_events_about(ids text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM events WHERE data ->> 'id' = ANY (ids)
    AND (current_setting('role') <> 'confam_tenant' OR app_id = nullif(current_setting('confam.app_id', true), '')::uuid);
END $$;
