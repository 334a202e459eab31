-- What goes outside needs a yes from here on (docs/decisions/0044-opt-in.md). Apps that exist keep what they have, written into their settings: addresses were told
-- as CONFAM_EMAIL_OUTSIDE said (`migrateDatabase` passes it on), and a shared cache that was offered was used. What an app has said itself stays.
UPDATE "apps" SET "settings" =
  jsonb_build_object('emailBreaches', coalesce(current_setting('confam.email_outside', true), 'false') = 'true',
    'emailMailboxes', coalesce(current_setting('confam.email_outside', true), 'false') = 'true')
  || CASE WHEN "settings" ->> 'cacheScope' = 'deployment' THEN '{"shareCache": true}'::jsonb ELSE '{}'::jsonb END
  || "settings"
WHERE "deleted_at" IS NULL;
