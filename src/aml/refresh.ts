/**
 * The automatic refresh: asks again for every list that an operator has fetched once. Lists never fetched, or imported by hand, are left alone, so a fresh
 * service contacts nobody on its own. A list that an earlier release read in less detail is due at once.
 */

import { type ListFormat, READING } from '../engines/aml/list.ts';
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
    select l.list from aml_lists l join aml_list_versions v on v.id = l.version_id
    where l.fetched <> '[]' and greatest(case when v.reading >= ${READING} then l.checked_at end, l.refused_at, '-infinity') < now() - ${dueSeconds} * interval '1 second'`;
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
