ALTER TABLE "webhook_endpoints" ADD COLUMN "maker_key_id" uuid;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "maker_person_id" uuid;--> statement-breakpoint
-- Those of the makers of these endpoints' encryption keys who are still there: a key that is neither revoked nor expired, or one that has taken its place by rotation (`role` null);
-- or a person of the app who is not disabled (`scopes` null). It runs as the owner, because the processes that send webhooks may read neither keys nor people; a request of one app
-- (the role of the second wall that acts for it) learns about that app's endpoints only.
CREATE FUNCTION endpoint_makers(ids uuid[]) RETURNS TABLE (endpoint_id uuid, scopes text[], role person_role)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH RECURSIVE asked AS (
    SELECT e.id, e.app_id, e.maker_key_id, e.maker_person_id FROM webhook_endpoints e
    WHERE e.id = ANY (ids)
      AND (current_setting('role') <> 'confam_tenant' OR e.app_id = nullif(current_setting('confam.app_id', true), '')::uuid)),
  keys (endpoint_id, id) AS (
    SELECT asked.id, asked.maker_key_id FROM asked
    UNION
    SELECT keys.endpoint_id, k.rotated_to FROM keys JOIN api_keys k ON k.id = keys.id)
  SELECT keys.endpoint_id, k.scopes, NULL::person_role FROM keys JOIN api_keys k ON k.id = keys.id
  WHERE k.revoked_at IS NULL AND coalesce(k.expires_at > now(), true)
  UNION ALL
  SELECT asked.id, NULL, m.role FROM asked
  JOIN app_people m ON m.app_id = asked.app_id AND m.person_id = asked.maker_person_id
  JOIN people p ON p.id = m.person_id
  WHERE m.accepted_at IS NOT NULL AND p.disabled_at IS NULL
$$;
