/** Brings a list up to date: asks its publisher for what is new and stores it. One process at a time per list. */

import type { Author } from '../access/audit/append.ts';
import { type ListFormat, READING } from '../engines/aml/list.ts';
import { type Context, openSql } from '../foundation/context.ts';
import type { FetchedFile } from '../schema/aml.ts';
import type { ListDefinition } from './definitions.ts';
import { FETCH_LIMITS, type FetchLimits, fetchPublication, showAddress } from './fetch.ts';
import { type ListOutcome, refusing } from './refusal.ts';
import { confirmVersion, storeList } from './store.ts';

/** Advisory lock, held while the publisher is asked. The second number is the list. */
const UPDATE_LOCK = 7_266_204;

export interface UpdateOptions {
  /** Fetches and stores a list even if it has not changed or has shrunk. */
  force?: boolean;
  limits?: FetchLimits;
  /** Aborts the fetch, which then does not count as the publisher's failure. */
  stop?: AbortSignal;
  by?: Author;
}

/** Throws only what the publisher did not cause. */
export async function updateList(
  ctx: Context,
  definition: ListDefinition,
  formats: readonly ListFormat[],
  options: UpdateOptions = {},
): Promise<ListOutcome> {
  const { list } = definition;
  // Held by its own connection rather than a transaction, which must not stay open across a network call. If the connection drops, the lock in `storeList` is
  // the second safety net.
  const holder = openSql(ctx.databaseUrl, 1);
  try {
    const [lock] = await holder<{ held: boolean }[]>`select pg_try_advisory_lock(${UPDATE_LOCK}, hashtext(${list})) as held`;
    return lock!.held ? await refusing(ctx, list, () => update(ctx, definition, formats, options)) : { kind: 'busy' };
  } finally {
    await holder.end({ timeout: 5 });
  }
}

async function update(
  ctx: Context,
  definition: ListDefinition,
  formats: readonly ListFormat[],
  { force = false, limits = FETCH_LIMITS, stop, by }: UpdateOptions,
): Promise<ListOutcome> {
  const { list, addresses } = definition;
  const [current] = await ctx.sql<{ versionId: string; fetched: FetchedFile[]; reading: number }[]>`
    select l.version_id, l.fetched, v.reading from aml_lists l join aml_list_versions v on v.id = l.version_id where l.list = ${list}`;
  // Without the publisher's validators everything is fetched.
  const known = force || !current || current.reading < READING ? [] : current.fetched;
  const publication = await fetchPublication(definition, known, limits, stop);
  if (publication.kind === 'unchanged') {
    const confirmed = await confirmVersion(ctx.sql, list, current!.versionId, current!.fetched);
    // A different version was imported in the meantime; the publisher's answer does not confirm it.
    return { kind: confirmed ? 'unchanged' : 'busy' };
  }
  try {
    const origin = addresses.map(showAddress).join(' ');
    return await storeList(ctx, definition, publication.files, { origin, fetched: publication.fetched, force, by }, formats);
  } finally {
    await publication.release();
  }
}
