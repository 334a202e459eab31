CREATE TABLE "audit_entries" (
	"app_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"live" boolean,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"address" text,
	"action" text NOT NULL,
	"object" text,
	"subject" "bytea",
	"purpose" text,
	"request_id" text,
	"outcome" text NOT NULL,
	"code" text,
	"detail" text,
	"previous" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_entries_app_id_seq_at_pk" PRIMARY KEY("app_id","seq","at"),
	CONSTRAINT "audit_entries_outcome" CHECK ("audit_entries"."outcome" in ('allowed', 'refused'))
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"app_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_seals" (
	"app_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"signature" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_entries_at" ON "audit_entries" USING btree ("at","app_id","seq");--> statement-breakpoint
CREATE INDEX "audit_entries_object" ON "audit_entries" USING btree ("object");--> statement-breakpoint
-- From here on written by hand.
-- Every append rewrites its head: leave room on the page, so that the update stays there (HOT).
ALTER TABLE audit_heads SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_entries is append-only';
END $$;
--> statement-breakpoint
-- Partitions inherit a trigger for rows, but not one for statements.
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
--> statement-breakpoint
-- Takes what no month has: a missing partition must not make an append fail.
CREATE TABLE audit_entries_default PARTITION OF audit_entries DEFAULT;
--> statement-breakpoint
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit_entries_default FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
--> statement-breakpoint
-- Creates the partitions of this month and the next two (UTC). A month that has entries in the default partition keeps them there.
CREATE FUNCTION audit_create_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  starts timestamptz;
  ends timestamptz;
  name text;
BEGIN
  FOR ahead IN 0..2 LOOP
    starts := (date_trunc('month', now() AT TIME ZONE 'utc') + ahead * interval '1 month') AT TIME ZONE 'utc';
    ends := (date_trunc('month', now() AT TIME ZONE 'utc') + (ahead + 1) * interval '1 month') AT TIME ZONE 'utc';
    name := to_char(starts AT TIME ZONE 'utc', '"audit_entries_"YYYY_MM');
    CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
    -- An arbitrary number, on which processes that start together wait for each other.
    PERFORM pg_advisory_xact_lock(7266202);
    CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL
      OR EXISTS (SELECT FROM audit_entries_default d WHERE d.at >= starts AND d.at < ends);
    EXECUTE format('CREATE TABLE public.%I PARTITION OF audit_entries FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
    EXECUTE format('CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON public.%I FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change()', name);
  END LOOP;
END $$;
--> statement-breakpoint
SELECT audit_create_partitions();
--> statement-breakpoint
-- A field of the hashed text: its length in bytes, a colon, the value, a comma; "~" for null. src/access/audit/entry.ts does the same.
CREATE FUNCTION audit_field(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN value IS NULL THEN '~' ELSE octet_length(convert_to(value, 'UTF8')) || ':' || value || ',' END
$$;
--> statement-breakpoint
-- Appends entries, each to the chain of its app, in the order of their `seq`. Locks the heads of those chains, by app id, until the transaction ends.
CREATE FUNCTION audit_append(entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  head audit_heads;
  entry audit_entries;
BEGIN
  FOR entry IN SELECT * FROM jsonb_populate_recordset(NULL::audit_entries, entries) ORDER BY app_id, seq LOOP
    IF head.app_id IS DISTINCT FROM entry.app_id THEN
      UPDATE audit_heads SET seq = head.seq, hash = head.hash WHERE app_id = head.app_id;
      SELECT * INTO head FROM audit_heads WHERE app_id = entry.app_id FOR UPDATE;
      IF NOT FOUND THEN
        INSERT INTO audit_heads (app_id, seq, hash) VALUES (entry.app_id, 0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;
        SELECT * INTO head FROM audit_heads WHERE app_id = entry.app_id FOR UPDATE;
      END IF;
    END IF;
    head.seq := head.seq + 1;
    entry.seq := head.seq;
    entry.at := clock_timestamp();
    entry.previous := head.hash;
    head.hash := sha256(head.hash || convert_to(
      audit_field(entry.app_id::text) || audit_field(entry.seq::text)
      || audit_field(to_char(entry.at AT TIME ZONE 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) || audit_field(entry.live::text)
      || audit_field(entry.actor_kind) || audit_field(entry.actor_id) || audit_field(entry.address) || audit_field(entry.action)
      || audit_field(entry.object) || audit_field(encode(entry.subject, 'hex')) || audit_field(entry.purpose)
      || audit_field(entry.request_id) || audit_field(entry.outcome) || audit_field(entry.code) || audit_field(entry.detail), 'UTF8'));
    entry.hash := head.hash;
    INSERT INTO audit_entries VALUES (entry.*);
  END LOOP;
  UPDATE audit_heads SET seq = head.seq, hash = head.hash WHERE app_id = head.app_id;
END $$;