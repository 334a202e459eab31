-- Jobs, results, blocks, events, trails and the ledger in a partition for each month (docs/decisions/0031-partitions-by-month.md). The tables as they are
-- become the first partition, of everything up to the end of this month: nothing is copied, and each is read once.

-- The smallest id (UUIDv7) of this time.
CREATE FUNCTION first_id_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-0000-0000-000000000000')::uuid
  FROM (SELECT lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') AS h) t
$$;
--> statement-breakpoint
-- The tables with a partition for each month, and the column that decides: an id, or the time of a ledger entry.
CREATE FUNCTION partitioned_tables() RETURNS TABLE (name text, key text) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('jobs', 'id'), ('results', 'job_id'), ('result_blocks', 'batch_id'), ('events', 'id'), ('provider_lookups', 'id'), ('ledger_entries', 'at')
$$;
--> statement-breakpoint
-- A table like `name`, ready to become its partition. A unique index without the partition's key cannot span partitions, so each has its own.
CREATE FUNCTION create_partition_table(name text, partition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', partition, name);
  IF name = 'jobs' THEN
    EXECUTE format('ALTER TABLE public.%I SET (fillfactor = 50)', partition);
    EXECUTE format('CREATE UNIQUE INDEX %I ON public.%I (batch_id, row_number, check_id) WHERE batch_id IS NOT NULL', partition || '_batch_row', partition);
  ELSIF name = 'ledger_entries' THEN
    EXECUTE format('ALTER TABLE public.%I ADD PRIMARY KEY (id), ADD CONSTRAINT %I UNIQUE (job_id, kind)', partition, partition || '_once');
    EXECUTE format('CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON public.%I FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()', partition);
  END IF;
END $$;
--> statement-breakpoint
-- Creates the partitions of this month and the next two (UTC). A month that the first partition covers, or that has rows in the default partition, has none.
-- Fails if it cannot lock the default partition at once, rather than have others wait behind it; there are two months of time.
CREATE FUNCTION create_month_partitions() RETURNS void LANGUAGE plpgsql SET timezone = 'UTC' SET lock_timeout = '200ms' AS $$
DECLARE
  t record;
  starts timestamptz;
  ends timestamptz;
  lower_bound text;
  upper_bound text;
  partition text;
  is_taken boolean;
BEGIN
  FOR t IN SELECT * FROM partitioned_tables() LOOP
    FOR ahead IN 0..2 LOOP
      starts := date_trunc('month', now()) + ahead * interval '1 month';
      ends := starts + interval '1 month';
      partition := t.name || to_char(starts, '_YYYY_MM');
      CONTINUE WHEN to_regclass('public.' || partition) IS NOT NULL;
      -- An arbitrary number, on which processes wait for each other.
      PERFORM pg_advisory_xact_lock(7266203);
      CONTINUE WHEN to_regclass('public.' || partition) IS NOT NULL;
      IF t.key = 'at' THEN
        lower_bound := starts::text;
        upper_bound := ends::text;
        SELECT EXISTS (
          SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
          WHERE i.inhparent = ('public.' || t.name)::regclass
            AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(.*)''\)')::timestamptz >= ends) INTO is_taken;
      ELSE
        lower_bound := first_id_at(starts)::text;
        upper_bound := first_id_at(ends)::text;
        SELECT EXISTS (
          SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
          WHERE i.inhparent = ('public.' || t.name)::regclass
            AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(.*)''\)')::uuid >= first_id_at(ends)) INTO is_taken;
      END IF;
      CONTINUE WHEN is_taken;
      EXECUTE format('SELECT EXISTS (SELECT FROM public.%I WHERE %I >= %L AND %I < %L)', t.name || '_default', t.key, lower_bound, t.key, upper_bound) INTO is_taken;
      CONTINUE WHEN is_taken;
      PERFORM create_partition_table(t.name, partition);
      EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', t.name, partition, lower_bound, upper_bound);
    END LOOP;
  END LOOP;
END $$;
--> statement-breakpoint
-- Detaches and drops partitions that ended a month ago and have no row left. The ledger keeps all of its own. Answers the names of what it dropped. Whatever
-- cannot be locked at once is left to the next time.
CREATE FUNCTION drop_empty_partitions() RETURNS SETOF text LANGUAGE plpgsql SET timezone = 'UTC' SET lock_timeout = '200ms' AS $$
DECLARE
  p record;
  is_empty boolean;
BEGIN
  FOR p IN
    SELECT t.name, c.relname AS partition
    FROM partitioned_tables() t
    JOIN pg_inherits i ON i.inhparent = ('public.' || t.name)::regclass
    JOIN pg_class c ON c.oid = i.inhrelid
    WHERE t.key <> 'at' AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''(.*)''\)')::uuid <= first_id_at(now() - interval '1 month')
    ORDER BY c.relname
  LOOP
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM public.%I)', p.partition) INTO is_empty;
    CONTINUE WHEN NOT is_empty;
    BEGIN
      EXECUTE format('LOCK TABLE public.%I IN ACCESS EXCLUSIVE MODE', p.partition);
      EXECUTE format('SELECT NOT EXISTS (SELECT FROM public.%I)', p.partition) INTO is_empty;
      IF is_empty THEN
        EXECUTE format('ALTER TABLE public.%I DETACH PARTITION public.%I', p.name, p.partition);
        EXECUTE format('DROP TABLE public.%I', p.partition);
        RETURN NEXT p.partition;
      END IF;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      NULL;
    END;
  END LOOP;
END $$;
--> statement-breakpoint
ALTER TABLE deliveries DROP CONSTRAINT deliveries_event_id_events_id_fk;
--> statement-breakpoint
DO $$
DECLARE
  t record;
  command text;
  -- What the new table of each name gets of the old one: privileges and policies, so that no process is refused meanwhile, and what no policy has is never open.
  wall text[] := '{}';
  indexes text[] := '{}';
  newest timestamptz;
  ends timestamptz;
  bound text;
BEGIN
  SET LOCAL timezone = 'UTC';
  -- Read before anything is renamed: policies name other tables.
  FOR t IN SELECT name, ('public.' || name)::regclass AS oid FROM partitioned_tables() LOOP
    wall := wall
      || ARRAY(
        SELECT format('GRANT %s ON public.%I TO %I', a.privilege_type, t.name, r.rolname)
        FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE c.oid = t.oid AND a.grantee <> c.relowner)
      || ARRAY(
        SELECT format('CREATE POLICY %I ON public.%I TO %s USING (%s)%s', p.polname, t.name,
          (SELECT string_agg(quote_ident(r.rolname), ', ') FROM pg_roles r WHERE r.oid = ANY (p.polroles)), pg_get_expr(p.polqual, p.polrelid),
          coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''))
        FROM pg_policy p WHERE p.polrelid = t.oid)
      || ARRAY(
        SELECT format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t.name) FROM pg_class c WHERE c.oid = t.oid AND c.relrowsecurity);
    indexes := indexes || ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = t.oid AND NOT i.indisunique);
  END LOOP;
  -- Policies of results and trails read jobs, and would keep its old table.
  FOR command IN
    SELECT format('DROP POLICY %I ON %s', p.polname, p.polrelid::regclass) FROM pg_policy p JOIN partitioned_tables() one ON p.polrelid = ('public.' || one.name)::regclass
  LOOP
    EXECUTE command;
  END LOOP;
  FOR t IN SELECT name, key, ('public.' || name)::regclass AS oid FROM partitioned_tables() LOOP
    FOR command IN
      SELECT format('REVOKE ALL ON public.%I FROM %I', t.name, r.rolname)
      FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE c.oid = t.oid AND a.grantee <> c.relowner GROUP BY r.rolname
      UNION ALL SELECT format('ALTER INDEX public.%I RENAME TO %I', c.relname, 'earlier_' || c.relname)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = t.oid
    LOOP
      EXECUTE command;
    END LOOP;
    EXECUTE format('ALTER TABLE public.%I NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', t.name);
    EXECUTE format('ALTER TABLE public.%I RENAME TO %I', t.name, t.name || '_earlier');
    EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (%I)',
      t.name, t.name || '_earlier', t.key);
    IF t.name = 'ledger_entries' THEN
      DROP TRIGGER ledger_append_only ON ledger_entries_earlier;
      -- The numbers go on where they are.
      ALTER TABLE ledger_entries_earlier ALTER id DROP IDENTITY;
      SELECT coalesce(max(id), 0) + 1 INTO bound FROM ledger_entries_earlier;
      EXECUTE format('ALTER TABLE ledger_entries ALTER id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME ledger_entries_id_seq START WITH %s)', bound);
      CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
      CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
      SELECT max(at) INTO newest FROM ledger_entries_earlier;
    ELSE
      EXECUTE format('ALTER TABLE public.%I ADD PRIMARY KEY (%s)', t.name, CASE t.name WHEN 'result_blocks' THEN 'batch_id, id' ELSE t.key END);
      EXECUTE format('SELECT to_timestamp((''x'' || substr(replace(%I::text, ''-'', ''''), 1, 12))::bit(48)::bigint / 1000.0) FROM public.%I ORDER BY %I DESC LIMIT 1',
        t.key, t.name || '_earlier', t.key) INTO newest;
    END IF;
    -- A row from a clock that was ahead of ours belongs to the first partition, too.
    ends := date_trunc('month', greatest(now(), newest)) + interval '1 month';
    bound := CASE t.key WHEN 'at' THEN ends::text ELSE first_id_at(ends)::text END;
    PERFORM create_partition_table(t.name, t.name || '_default');
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I DEFAULT', t.name, t.name || '_default');
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (MINVALUE) TO (%L)', t.name, t.name || '_earlier', bound);
  END LOOP;
  -- Indexes of the first partitions are taken over, and the others are empty.
  FOREACH command IN ARRAY indexes || wall LOOP
    EXECUTE command;
  END LOOP;
END $$;
--> statement-breakpoint
ALTER TABLE deliveries ADD CONSTRAINT deliveries_event_id_events_id_fk FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
SELECT create_month_partitions();
