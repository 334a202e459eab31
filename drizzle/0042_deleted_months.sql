-- Months of batches that are deleted whole go as partitions (docs/decisions/0042-deleted-months.md). Submitted rows get a partition for each month, too: as in
-- 0037, the table as it is becomes the first one.
ALTER TABLE "row_blocks" DROP CONSTRAINT "row_blocks_batch_id_batches_id_fk";
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "given_back_at" timestamp with time zone;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION partitioned_tables() RETURNS TABLE (name text, key text) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('jobs', 'id'), ('results', 'job_id'), ('result_blocks', 'batch_id'), ('row_blocks', 'batch_id'), ('events', 'id'), ('provider_lookups', 'id'), ('ledger_entries', 'at')
$$;
--> statement-breakpoint
DO $$
DECLARE
  command text;
  -- What the new table gets of the old one, so that no process is refused meanwhile, and what no policy has is never open.
  wall text[];
  newest timestamptz;
  bound text;
BEGIN
  SET LOCAL timezone = 'UTC';
  wall := ARRAY(
      SELECT format('GRANT %s ON public.row_blocks TO %I', a.privilege_type, r.rolname)
      FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE c.oid = 'public.row_blocks'::regclass AND a.grantee <> c.relowner)
    || ARRAY(
      SELECT format('CREATE POLICY %I ON public.row_blocks TO %s USING (%s)%s', p.polname,
        (SELECT string_agg(quote_ident(r.rolname), ', ') FROM pg_roles r WHERE r.oid = ANY (p.polroles)), pg_get_expr(p.polqual, p.polrelid),
        coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''))
      FROM pg_policy p WHERE p.polrelid = 'public.row_blocks'::regclass)
    || ARRAY(
      SELECT 'ALTER TABLE public.row_blocks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY' FROM pg_class c
      WHERE c.oid = 'public.row_blocks'::regclass AND c.relrowsecurity);
  FOR command IN
    SELECT format('DROP POLICY %I ON public.row_blocks', p.polname) FROM pg_policy p WHERE p.polrelid = 'public.row_blocks'::regclass
    UNION ALL
    SELECT format('REVOKE ALL ON public.row_blocks FROM %I', r.rolname)
    FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'public.row_blocks'::regclass AND a.grantee <> c.relowner GROUP BY r.rolname
    UNION ALL
    SELECT format('ALTER INDEX public.%I RENAME TO %I', c.relname, 'earlier_' || c.relname)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'public.row_blocks'::regclass
  LOOP
    EXECUTE command;
  END LOOP;
  ALTER TABLE row_blocks NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
  ALTER TABLE row_blocks RENAME TO row_blocks_earlier;
  CREATE TABLE row_blocks (LIKE row_blocks_earlier INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (batch_id);
  ALTER TABLE row_blocks ADD PRIMARY KEY (batch_id, block);
  SELECT to_timestamp(('x' || substr(replace(batch_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) FROM row_blocks_earlier ORDER BY batch_id DESC LIMIT 1 INTO newest;
  -- A batch from a clock that was ahead of ours belongs to the first partition, too.
  bound := first_id_at(date_trunc('month', greatest(now(), newest)) + interval '1 month')::text;
  PERFORM create_partition_table('row_blocks', 'row_blocks_default');
  ALTER TABLE row_blocks ATTACH PARTITION row_blocks_default DEFAULT;
  EXECUTE format('ALTER TABLE row_blocks ATTACH PARTITION row_blocks_earlier FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  FOREACH command IN ARRAY wall LOOP
    EXECUTE command;
  END LOOP;
END $$;
--> statement-breakpoint
SELECT create_month_partitions();
--> statement-breakpoint
-- Whoever comes next waits behind a lock that waits: no longer than this.
ALTER FUNCTION create_month_partitions() SET lock_timeout = '20ms';
--> statement-breakpoint
ALTER FUNCTION drop_empty_partitions() SET lock_timeout = '20ms';
--> statement-breakpoint
-- Partitions of `parent` that ended a day ago, with the ids they take: from `starts` until before `ends`. An upload gives out ids for an hour at most.
CREATE FUNCTION past_partitions(parent text) RETURNS TABLE (partition text, starts uuid, ends uuid) LANGUAGE sql STABLE AS $$
  SELECT b.partition, coalesce(substring(b.bound FROM 'FROM \(''(.*?)''\)')::uuid, '00000000-0000-0000-0000-000000000000'), b.upper_bound
  FROM (
    SELECT c.relname::text AS partition, pg_get_expr(c.relpartbound, c.oid) AS bound,
      substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(.*)''\)')::uuid AS upper_bound
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = ('public.' || parent)::regclass) b
  WHERE b.upper_bound <= first_id_at(now() - interval '1 day')
$$;
--> statement-breakpoint
-- The batches that a partition has rows of, if every one of them is in `deletions`, and given back there if it must be; null if one is not, or there is none.
-- Looks at the index once for each batch.
CREATE FUNCTION deleted_batches(partition text, given_back boolean) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  batch uuid := '00000000-0000-0000-0000-000000000000';
  batches uuid[] := '{}';
BEGIN
  LOOP
    EXECUTE format('SELECT batch_id FROM public.%I WHERE batch_id > $1 ORDER BY batch_id LIMIT 1', partition) INTO batch USING batch;
    EXIT WHEN batch IS NULL;
    IF NOT EXISTS (SELECT FROM deletions d WHERE d.id = batch AND (d.given_back_at IS NOT NULL OR NOT given_back)) THEN
      RETURN NULL;
    END IF;
    batches := batches || batch;
  END LOOP;
  RETURN nullif(batches, '{}');
END $$;
--> statement-breakpoint
-- Whether a partition of jobs has single jobs, calls, or what the books keep of a single job that was deleted on request.
CREATE FUNCTION has_single_jobs(partition text, starts uuid, ends uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  found boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM public.%I WHERE batch_id IS NULL AND input IS NOT NULL)
    OR EXISTS (SELECT FROM public.%I WHERE batch_id IS NULL AND input IS NULL AND subject IS NOT NULL)', partition, partition) INTO found;
  RETURN found OR EXISTS (SELECT FROM deletions d WHERE d.id >= starts AND d.id < ends AND d.kind = 'job');
END $$;
--> statement-breakpoint
-- The batches of months of which nothing is left but batches that are deleted, and whose jobs are all in such a month. `starts`, `ends`: the ids of their jobs.
CREATE FUNCTION batches_of_deleted_months() RETURNS TABLE (batch uuid, starts uuid, ends uuid) LANGUAGE plpgsql STABLE AS $$
DECLARE
  p record;
BEGIN
  FOR p IN SELECT q.*, deleted_batches(q.partition, false) AS batches FROM past_partitions('jobs') q LOOP
    CONTINUE WHEN p.batches IS NULL OR has_single_jobs(p.partition, p.starts, p.ends);
    RETURN QUERY
      SELECT d.id, p.starts, p.ends FROM deletions d
      WHERE d.id = ANY (p.batches) AND d.finished_at IS NULL AND d.given_back_at IS NULL
        AND NOT EXISTS (SELECT FROM jobs j WHERE j.batch_id = d.id AND (j.id < p.starts OR j.id >= p.ends))
      ORDER BY d.id;
  END LOOP;
END $$;
--> statement-breakpoint
-- Drops one partition of a past month whose rows are all of batches that are given back. Answers its name, '' if it could not be locked at once, and null if there
-- is none. One at a time, so that nobody waits for more than a lock and a change of the catalog. Jobs last: by them we know that results are deleted.
CREATE FUNCTION drop_deleted_partition() RETURNS text LANGUAGE plpgsql SET lock_timeout = '10ms' AS $$
DECLARE
  p record;
BEGIN
  FOR p IN
    SELECT 'row_blocks' AS parent, q.partition, q.partition AS decides, q.starts, q.ends FROM past_partitions('row_blocks') q
    UNION ALL
    SELECT 'result_blocks', q.partition, q.partition, q.starts, q.ends FROM past_partitions('result_blocks') q
    UNION ALL
    SELECT 'results', r.partition, j.partition, r.starts, r.ends FROM past_partitions('results') r JOIN past_partitions('jobs') j USING (starts, ends)
    UNION ALL
    SELECT 'jobs', q.partition, q.partition, q.starts, q.ends FROM past_partitions('jobs') q
    WHERE NOT EXISTS (SELECT FROM past_partitions('results') r WHERE r.starts < q.ends AND r.ends > q.starts)
  LOOP
    CONTINUE WHEN deleted_batches(p.decides, true) IS NULL
      OR p.parent IN ('jobs', 'results') AND has_single_jobs(p.decides, p.starts, p.ends);
    BEGIN
      EXECUTE format('ALTER TABLE public.%I DETACH PARTITION public.%I', p.parent, p.partition);
      EXECUTE format('DROP TABLE public.%I', p.partition);
      RETURN p.partition;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      RETURN '';
    END;
  END LOOP;
  RETURN NULL;
END $$;
