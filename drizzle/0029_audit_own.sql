-- Appends entries, each to the chain of its app, in the order of their `seq`. Locks the heads of those chains, by app id, until the transaction ends.
-- A request of one app (the role of the second wall that acts for it) appends to that app's chain only. `role` is the caller's, also in here.
CREATE OR REPLACE FUNCTION audit_append(entries jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head audit_heads;
  entry audit_entries;
BEGIN
  FOR entry IN SELECT * FROM jsonb_populate_recordset(NULL::audit_entries, entries) ORDER BY app_id, seq LOOP
    IF current_setting('role') = 'confam_tenant' AND entry.app_id IS DISTINCT FROM nullif(current_setting('confam.app_id', true), '')::uuid THEN
      RAISE EXCEPTION 'a request of an app appends to the audit of this app only' USING ERRCODE = 'insufficient_privilege';
    END IF;
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
