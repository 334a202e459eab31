/**
 * The refresh that nobody has to think of: lists that an operator has once had fetched are asked for again. A list that was never
 * fetched, or was imported by hand, is left alone, so that a fresh service asks nobody on its own account.
 */

import type { ListFormat } from '../engines/aml/list.ts';
import type { Context } from '../foundation/context.ts';
import type { ListDefinition } from './definitions.ts';
import { updateList } from './update.ts';

/** Of the time between refreshes: whoever starts again sooner asks nobody anew. */
const DUE_SHARE = 0.5;

/** One list after the other; one that fails does not hold up the others. Breaks off when `stop` is aborted. */
export async function refreshLists(
  ctx: Context,
  definitions: readonly ListDefinition[],
  formats: readonly ListFormat[],
  stop: AbortSignal,
): Promise<void> {
  const dueSeconds = ctx.config.CONFAM_LISTS_REFRESH_HOURS * 3600 * DUE_SHARE;
  const due = await ctx.sql<{ list: string }[]>`
    select list from aml_lists
    where fetched <> '[]' and greatest(checked_at, refused_at) < now() - ${dueSeconds} * interval '1 second'`;
  for (const definition of definitions) {
    if (stop.aborted) return;
    if (definition.addresses.length === 0 || !due.some(({ list }) => list === definition.list)) continue;
    try {
      await updateList(ctx, definition, formats, { stop });
    } catch (error) {
      if (stop.aborted) return;
      ctx.log.error({ list: definition.list, err: error }, 'list refresh failed');
    }
  }
}
