/** Finds the columns of an upload that come from an earlier file of ours (results, or rows to correct) that somebody sends again. */
import { findCheck } from '../checks/catalog.ts';
import { ERROR_COLUMNS } from './own-rows.ts';
import { ROW_COLUMNS, resultColumns } from './table.ts';

/** Their positions among `names`. A client's own column with such a name comes before the columns that we added. */
export function oursAmong(names: readonly string[]): ReadonlySet<number> {
  const ours = new Set(names.flatMap((name, place) => ((ERROR_COLUMNS as readonly string[]).includes(name) ? [place] : [])));
  let first = names.length;
  for (const [start, name] of names.entries()) {
    const check = name.endsWith('.status') ? findCheck(name.slice(0, -'.status'.length)) : undefined;
    if (!check || !names.includes(`${check.id}.outcome`, start)) continue;
    const added = new Set(resultColumns(check));
    for (let place = start; place < names.length; place++) if (added.has(names[place]!)) ours.add(place);
    first = Math.min(first, start);
  }
  for (const column of ROW_COLUMNS) {
    const place = names.indexOf(column, first);
    if (place !== -1) ours.add(place);
  }
  return ours;
}
