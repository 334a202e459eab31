/**
 * What an app stores, and how much it may store. Rows and results are estimated from sums that are kept as rows are accepted and settled, so reading them touches a
 * few rows for each batch and day. The rest is counted in its own tables. Not counted: what has another bound (saved mappings, webhook endpoints, keys) or
 * ends by itself (events, stored answers), and the audit.
 */
import { LRUCache } from 'lru-cache';
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

/** Below this share of its quota an app is admitted on a remembered reading. */
const FAR_SHARE = 0.9;
/** How long a reading is remembered: at least this long, and at least this many times as long as it took. Counting a million monitors takes half a second. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_TIMES = 20;
const APPS_MAX = 1_000;

/** Enforces storage quotas. Remembers each app's last reading, plus what this process has admitted since. */
export class StorageQuota {
  private readonly readings = new LRUCache<string, { used: number; until: number }>({ max: APPS_MAX });

  /** Throws `storage_quota_exceeded` if storing `more` bytes would exceed the app's quota. Near the quota every decision is made on a fresh reading, and so is every refusal. */
  async refuseBeyond(sql: Sql | Tx, app: App, more: number): Promise<void> {
    const quota = quotaOf(app);
    if (quota === null) return;
    const began = performance.now();
    const known = this.readings.get(app.appId);
    if (known && known.used + more <= quota * FAR_SHARE) {
      known.used += more;
      if (began < known.until) return;
      // This request takes a new reading; meanwhile others use the old one.
      known.until = began + REMEMBERED_MS;
    }
    const { used } = await readStorage(sql, app);
    if (used + more > quota)
      throw new ApiError(
        'storage_quota_exceeded',
        `The app may store ${inGb(quota)} GB and stores ${inGb(used)} GB; this would take ${inGb(more)} GB more. Its operator can raise \`storageGb\``,
        { extra: { limit_bytes: quota, left_bytes: Math.max(0, quota - used) } },
      );
    const now = performance.now();
    this.readings.set(app.appId, { used: used + more, until: now + Math.max(REMEMBERED_MS, REMEMBERED_TIMES * (now - began)) });
  }
}

const inGb = (bytes: number): string => (bytes / GB).toFixed(3);
