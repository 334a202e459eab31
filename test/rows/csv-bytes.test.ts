/** CSV as bytes is the same as CSV as text, whatever the cells hold and however they come. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from '../../src/rows/csv.ts';
import { type Cell, CsvBytes, cellOf } from '../../src/rows/csv-bytes.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    '=1+1',
    '-5',
    'a,b',
    'a;b',
    'a"b',
    'a,"b',
    'a\\b,c',
    'a\nb',
    '\ta',
    'é,ü',
    '＝1',
    'a\u001b[2J',
    'a\u007f',
    'a,\u009b2J',
    'a’b\u00a0c',
    'a\u202eb',
    'a;\u2066b',
    '\ud800',
    'ẹ́'.repeat(40),
    'x'.repeat(9_000),
  ),
);
const value = fc.oneof(text, fc.jsonValue(), fc.constantFrom(null, true, 0, -1, 1.5, 1e21, 2 ** 53, 12_345_678));

test('cells, JSON and cells that rows share come to the lines of csvLine', () => {
  const row = fc.array(fc.tuple(value, fc.constantFrom('cell', 'json', 'shared')), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), fc.nat(11), (rows, takenAfter) => {
      const lines = new CsvBytes();
      const taken: Buffer[] = [];
      for (const [i, cells] of rows.entries()) {
        for (const [value, how] of cells) {
          const json = Buffer.from(`,${JSON.stringify(value)},`);
          if (how === 'cell') lines.cell(cellOf(value));
          else if (how === 'json') lines.json(json, 1, json.length - 1);
          else lines.cells(shared(cellOf(value)));
        }
        lines.endLine();
        if (i === takenAfter) taken.push(lines.take());
      }
      taken.push(lines.take());
      const expected = rows.map((cells) =>
        csvLine(cells.flatMap(([value, how]) => (how === 'shared' ? shared(cellOf(value)) : cellOf(value)))),
      );
      expect(Buffer.concat(taken).equals(Buffer.from(expected.join('')))).toBe(true);
    }),
  );
});

/** The same list for the same cell, as rows in one state share theirs. */
const lists = new Map<Cell, Cell[]>();
function shared(cell: Cell): Cell[] {
  const list = lists.get(cell) ?? [cell, 'completed', null, 0];
  lists.set(cell, list);
  return list;
}
