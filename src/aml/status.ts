/** The state of the lists, for the operator and for metrics, and their earlier versions. */
import type { z } from 'zod';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import type { listAnswer, listVersionAnswer } from '../contract/lists.ts';
import type { Context } from '../foundation/context.ts';
import { pagesOf } from '../foundation/cursor.ts';
import { showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import type { amlListVersions } from '../schema/aml.ts';
import { isTooOld } from './current-lists.ts';
import type { ListDefinition } from './definitions.ts';

export type ListVersion = typeof amlListVersions.$inferSelect;

export interface ListStatus {
  definition: ListDefinition;
  state: 'current' | 'too_old' | 'absent';
  /** The current version; null: none. */
  version: ListVersion | null;
  checkedAt: string | null;
  ageSeconds: number | null;
  /** Whether it is refreshed automatically. */
  isRefreshed: boolean;
  /** The last refused or failed refresh since. */
  refusal: { at: string; reason: string; detail: string } | null;
}

export async function readStatus({ sql }: Pick<Context, 'sql'>, definitions: readonly ListDefinition[]): Promise<ListStatus[]> {
  const rows = await sql<(ListVersion & Kept)[]>`
    select v.*, l.checked_at, extract(epoch from now() - l.checked_at)::float8 as age_seconds, l.fetched <> '[]' as is_refreshed,
      l.refused_at, l.refusal, l.refusal_detail
    from aml_lists l join aml_list_versions v on v.id = l.version_id`;
  const byList = new Map(rows.map((row) => [row.list, row]));
  return definitions.map((definition) => {
    const row = byList.get(definition.list);
    if (!row) return { definition, state: 'absent', version: null, checkedAt: null, ageSeconds: null, isRefreshed: false, refusal: null };
    const { checkedAt, ageSeconds, isRefreshed, refusedAt, refusal, refusalDetail, ...version } = row;
    return {
      definition,
      state: isTooOld(checkedAt, definition.maxAgeDays, Date.now()) ? 'too_old' : 'current',
      version,
      checkedAt,
      ageSeconds: Math.max(0, Math.round(ageSeconds)),
      isRefreshed,
      refusal: refusedAt === null ? null : { at: refusedAt, reason: refusal!, detail: refusalDetail! },
    };
  });
}

interface Kept {
  checkedAt: string;
  ageSeconds: number;
  isRefreshed: boolean;
  refusedAt: string | null;
  refusal: string | null;
  refusalDetail: string | null;
}

export interface VersionPage {
  versions: ListVersion[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** Every version of a list, newest first. Null if the cursor is not one of this list. */
export async function listVersions(
  { sql, cipher }: Pick<Context, 'sql' | 'cipher'>,
  list: string,
  query: { cursor: string | null; limit: number },
): Promise<VersionPage | null> {
  const pages = pagesOf(cipher, `list_versions:${list}`);
  const before = pages.begin(query.cursor);
  if (before === undefined) return null;
  const versions = await sql<ListVersion[]>`
    select * from aml_list_versions where list = ${list} ${narrowed(sql, [before !== null && sql`id < ${before}`])}
    order by id desc limit ${query.limit + 1}`;
  const { page, nextCursor } = pages.page(versions, query.limit, ({ id }) => id);
  return { versions: page, nextCursor };
}

export const showStatus = (status: ListStatus): z.infer<typeof listAnswer> => ({
  list: status.definition.list,
  object: 'watch_list',
  title: status.definition.title,
  publisher: status.definition.publisher,
  category: status.definition.category,
  required: status.definition.isRequired,
  state: status.state,
  max_age_days: status.definition.maxAgeDays,
  checked_at: showInstantOrNull(status.checkedAt),
  age_seconds: status.ageSeconds,
  refreshed: status.isRefreshed,
  version: status.version && showVersion(status.version),
  refusal: status.refusal && { ...status.refusal, at: showInstant(status.refusal.at) },
});

export const showVersion = (version: ListVersion): z.infer<typeof listVersionAnswer> => ({
  id: showId('lsv', version.id),
  object: 'list_version',
  label: version.label,
  format: version.format,
  origin: version.origin,
  published_on: version.publishedOn,
  loaded_at: showInstant(version.loadedAt),
  checksum_sha256: version.checksum.toString('hex'),
  bytes: version.bytes,
  entries: version.entries,
  names: version.names,
  skipped: version.skipped,
  added: version.added,
  changed: version.changed,
  removed: version.removed,
});

/** Gauges that need a query. */
export async function measureLists({ sql, metrics }: Pick<Context, 'sql' | 'metrics'>): Promise<void> {
  const rows = await sql<{ list: string; age: number; entries: number }[]>`
    select l.list, extract(epoch from now() - l.checked_at)::float8 as age, v.entries
    from aml_lists l join aml_list_versions v on v.id = l.version_id`;
  for (const { list, age, entries } of rows) {
    metrics.listAge.set({ list }, Math.max(0, Math.round(age)));
    metrics.listEntries.set({ list }, entries);
  }
}

/** `12 min`, `5 h`, `3 d` */
export function showAge(seconds: number): string {
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
