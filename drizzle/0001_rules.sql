-- The ledger is append-only: nothing may change or remove an entry, not even by mistake in a console.
CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger_entries is append-only';
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
--> statement-breakpoint
CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
--> statement-breakpoint
-- Ciphertext does not compress: do not let Postgres try.
ALTER TABLE jobs ALTER COLUMN input SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE results ALTER COLUMN entity SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE cache_records ALTER COLUMN record SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE invalid_rows ALTER COLUMN input SET STORAGE EXTERNAL;
--> statement-breakpoint
-- A job is updated twice, by its lease and its result; counter rows many times a second: leave room on their pages so that the update
-- stays there (HOT).
ALTER TABLE jobs SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE batches SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE wallets SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE holds SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE chunks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
