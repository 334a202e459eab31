/** Which columns of an upload an earlier file of ours has brought: results, or rows to correct, that somebody sends again. */
import { findCheck } from '../checks/catalog.ts';
import { ERROR_COLUMNS } from '../rows/row.ts';
import { ROW_COLUMNS, resultColumns } from './table.ts';

/** Their places among `names`. What a client calls like that himself stands before what we have added. */
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
