/** A list is brought up to date: its publisher is asked for what is new, and that is stored. One process at a time does a list. */

import type { ListFormat } from '../engines/aml/list.ts';
import { type Context, openSql } from '../foundation/context.ts';
import type { FetchedFile } from '../schema/aml.ts';
import type { ListDefinition } from './definitions.ts';
import { FETCH_LIMITS, type FetchLimits, fetchPublication, showAddress } from './fetch.ts';
import { type ListOutcome, refusing } from './refusal.ts';
import { confirmVersion, storeList } from './store.ts';

/** Of an advisory lock, which is held while a publisher is asked. The second number is the list. */
const UPDATE_LOCK = 7_266_204;

export interface UpdateOptions {
  /** Fetches and takes even what has not changed or has shrunk. */
  force?: boolean;
  limits?: FetchLimits;
  /** Breaks off what is being fetched; nothing is held against the publisher. */
  stop?: AbortSignal;
}

/** Throws only what is no fault of the publisher. */
export async function updateList(
  ctx: Context,
  definition: ListDefinition,
  formats: readonly ListFormat[],
  options: UpdateOptions = {},
): Promise<ListOutcome> {
  const { list } = definition;
  // Held by a connection of its own, not by a transaction, which must not wait for a network. If it is lost, the lock of storing is the second net.
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
  { force = false, limits = FETCH_LIMITS, stop }: UpdateOptions,
): Promise<ListOutcome> {
  const { list, addresses } = definition;
  const [current] = await ctx.sql<{ versionId: string; fetched: FetchedFile[] }[]>`
    select version_id, fetched from aml_lists where list = ${list}`;
  const known = force || !current ? [] : current.fetched;
  const publication = await fetchPublication(definition, known, limits, stop);
  if (publication.kind === 'unchanged') {
    const confirmed = await confirmVersion(ctx.sql, list, current!.versionId, current!.fetched);
    // Somebody imported another version meanwhile, of which the publisher has said nothing.
    return { kind: confirmed ? 'unchanged' : 'busy' };
  }
  try {
    const origin = addresses.map(showAddress).join(' ');
    return await storeList(ctx, definition, publication.files, { origin, fetched: publication.fetched, force }, formats);
  } finally {
    await publication.release();
  }
}
