/**
 * The automatic refresh: asks again for every list that an operator has fetched once. Lists never fetched, or imported by hand, are left alone, so a fresh
 * service contacts nobody on its own.
 */

import type { ListFormat } from '../engines/aml/list.ts';
import type { Context } from '../foundation/context.ts';
import type { ListDefinition } from './definitions.ts';
import { updateList } from './update.ts';

/** Share of the refresh interval that must have passed: a restart before that asks nobody again. */
const DUE_SHARE = 0.5;

/** One list after the other; a failing list does not delay the others. Stops when `stop` is aborted. */
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
