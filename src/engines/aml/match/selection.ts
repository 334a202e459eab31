/** Finds a value by its rank without sorting all values. */

/** Values are divided into this many ranges first, `KINDS_PER_UNIT` for each unit of evidence. The last range has no upper limit. */
const KINDS = 512;
const KINDS_PER_UNIT = 16;
const counts = new Uint32Array(KINDS);
const kindOf = (value: number): number => Math.min(KINDS - 1, (value * KINDS_PER_UNIT) | 0);

/** The value at `place` (from 0) among the first `count` values in ascending order. Reorders them. */
export function ranked(values: Float32Array, count: number, place: number): number {
  counts.fill(0);
  for (let i = 0; i < count; i++) counts[kindOf(values[i]!)]!++;
  let kind = 0;
  let below = 0;
  while (below + counts[kind]! <= place) below += counts[kind++]!;
  let alike = 0;
  for (let i = 0; i < count; i++) if (kindOf(values[i]!) === kind) values[alike++] = values[i]!;
  return selected(values, alike, place - below);
}

/** The same, without ranges: Hoare's selection. */
function selected(values: Float32Array, count: number, place: number): number {
  let from = 0;
  let to = count - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1]!;
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (place <= j) to = j;
    else if (place >= i) from = i;
    else break;
  }
  return values[place]!;
}
