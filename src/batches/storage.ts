/**
 * What an app stores, and how much it may store. Rows and results are estimated from sums that are kept as rows are accepted and settled, so reading them touches a
 * few rows for each batch and day. The rest is counted in its own tables. Not counted: what has another bound (saved mappings, webhook endpoints, keys) or
 * ends by itself (events, stored answers), and the audit.
 */
import type { Owner } from '../access/owner.ts';
import { families } from '../checks/catalog.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { ROW_BYTES } from '../money/usage.ts';

/** In bytes, in both modes together. */
export interface Storage {
  used: number;
  /** Null: no limit. */
  quota: number | null;
}

const GB = 1e9;
/** A submitted row of a batch of an earlier release. */
const OLD_ROW_BYTES = 150;

type App = Pick<Owner, 'appId' | 'settings'>;

const quotaOf = ({ settings }: App): number | null => (settings.storageGb === undefined ? null : Math.floor(settings.storageGb * GB));

export async function readStorage(sql: Sql | Tx, app: App): Promise<Storage> {
  const { appId } = app;
  const [row] = await sql<{ used: number }[]>`
    select (coalesce((select sum(coalesce(stored_bytes, rows::bigint * ${OLD_ROW_BYTES + ROW_BYTES})) from batches where app_id = ${appId}), 0)
      + coalesce((select sum(stored_bytes) from usage_days where app_id = ${appId}), 0)
      + coalesce((select sum(octet_length(image) + octet_length(shown) + ${ROW_BYTES}) from sandbox_portraits where app_id = ${appId}), 0)
      + coalesce((select sum(octet_length(j.images)) from waiting_jobs w join jobs j on j.id = w.job_id
          where w.family = any(${families as readonly string[] as string[]}::text[]) and w.app_id = ${appId} and w.batch_id is null), 0)
      + coalesce((select sum(octet_length(images)) from jobs where images_until is not null and app_id = ${appId} and batch_id is null), 0)
      + coalesce((select sum(octet_length(n.note) + ${ROW_BYTES}) from reviews r join review_notes n on n.review_id = r.id where r.app_id = ${appId}), 0)
      + ${ROW_BYTES}::bigint * ((select count(*) from aml_monitors where app_id = ${appId}) + (select count(*) from aml_clearances where app_id = ${appId}))
    )::bigint as used`;
  return { used: row!.used, quota: quotaOf(app) };
}

/** Throws `storage_quota_exceeded` if the app has a quota and may not store `more` bytes. */
export async function refuseBeyondQuota(sql: Sql | Tx, app: App, more: number): Promise<void> {
  if (quotaOf(app) === null) return;
  const { used, quota } = await readStorage(sql, app);
  if (used + more <= quota!) return;
  const left = Math.max(0, quota! - used);
  throw new ApiError(
    'storage_quota_exceeded',
    `The app may store ${inGb(quota!)} GB and stores ${inGb(used)} GB; this would take ${inGb(more)} GB more. Its operator can raise \`storageGb\``,
    { extra: { limit_bytes: quota!, left_bytes: left } },
  );
}

const inGb = (bytes: number): string => (bytes / GB).toFixed(3);
