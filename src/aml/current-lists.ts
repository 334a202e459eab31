/** The current lists, read as one: for the index of screenings, for rescreening, and to know which list is missing. */

import type { ListEntry } from '../engines/aml/list.ts';
import { bound, type Sql, type Tx } from '../foundation/context.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { ListDefinition } from './definitions.ts';

/** Announces that a list has a new version or that its publisher confirmed the current one. The payload is the list. */
export const LISTS_CHANNEL = 'confam_lists';

/** Entries yielded together. */
const BATCH_ENTRIES = 2_000;

export interface CurrentVersion {
  /** UUID. */
  id: string;
  list: string;
  label: string;
  /** `YYYY-MM-DD` */
  publishedOn: string | null;
  /** Instants in Postgres's notation. */
  loadedAt: string;
  checkedAt: string;
  entries: number;
}

export interface CurrentEntry {
  list: string;
  sourceId: string;
  /** 16 hex digits. */
  digest: string;
  entry: ListEntry;
}

export interface CurrentLists {
  versions: CurrentVersion[];
  /** Can be iterated once, within the call. */
  entries: AsyncIterable<CurrentEntry[]>;
}

/** Reads versions and entries of the lists of `definitions` in one snapshot, even if a new version is stored meanwhile. */
export async function readCurrentLists<Result>(
  { sql }: { sql: Sql },
  definitions: readonly Pick<ListDefinition, 'list'>[],
  use: (inForce: CurrentLists) => Promise<Result>,
): Promise<Result> {
  const lists = definitions.map(({ list }) => list);
  const result = await sql.begin('isolation level repeatable read read only', async (tx) => {
    await bound(tx, 'reading');
    const versions = await tx<CurrentVersion[]>`
      select v.id, v.list, v.label, v.published_on::text, v.loaded_at::text, l.checked_at::text, v.entries
      from aml_lists l join aml_list_versions v on v.id = l.version_id where l.list = any(${lists}::text[]) order by v.list`;
    const entries = tx<CurrentEntry[]>`
      select list, source_id, encode(digest, 'hex') as digest, entry from aml_entries
      where to_version is null and list = any(${lists}::text[])`.cursor(BATCH_ENTRIES);
    // An object, because `begin` awaits the members of an array.
    return { value: await use({ versions: [...versions], entries }) };
  });
  return result.value as Result;
}

/** Entries that a version added or changed and that no later version has touched. */
export function changedSince(sql: Sql | Tx, versionId: string): AsyncIterable<CurrentEntry[]> {
  return sql<CurrentEntry[]>`
    select list, source_id, encode(digest, 'hex') as digest, entry from aml_entries
    where from_version = ${versionId} and to_version is null`.cursor(BATCH_ENTRIES);
}

export interface MissingList {
  list: string;
  reason: 'absent' | 'too_old';
}

/** Required lists that are absent or too old; without them no screening may say "clear". */
export function missingLists(
  definitions: readonly Pick<ListDefinition, 'list' | 'isRequired' | 'maxAgeDays'>[],
  versions: readonly Pick<CurrentVersion, 'list' | 'checkedAt'>[],
  nowMs: number,
): MissingList[] {
  const checkedAt = new Map(versions.map((version) => [version.list, version.checkedAt]));
  return definitions
    .filter(({ isRequired }) => isRequired)
    .flatMap(({ list, maxAgeDays }): MissingList[] => {
      const checked = checkedAt.get(list);
      if (checked === undefined) return [{ list, reason: 'absent' }];
      return isTooOld(checked, maxAgeDays, nowMs) ? [{ list, reason: 'too_old' }] : [];
    });
}

export const isTooOld = (checkedAt: string, maxAgeDays: number, nowMs: number): boolean =>
  nowMs - Date.parse(checkedAt) > maxAgeDays * DAY_MS;
