/**
 * Which of the first rows of a table is its header, and which of its columns are read. People put titles above a header, begin beside the first
 * column, and end each line with a delimiter. Used alike for CSV and sheets.
 */
import { namedColumns, type RowLimits } from './row.ts';

/** What a reader of tables is told about names: it knows none itself. */
export interface Names {
  /** Whether a column of such a name is looked for. */
  isWanted(name: string): boolean;
  /** The places of columns that a file of ours has brought: results, and what was wrong with rows. */
  ours(names: readonly string[]): ReadonlySet<number>;
}

export const NO_NAMES: Names = { isWanted: () => false, ours: () => new Set() };

/** Rows at the beginning of a table among which its header is looked for, blank ones not counted. */
export const HEAD_ROWS = 20;

export interface Layout {
  columns: string[];
  labels: string[];
  /** Where in a row of the file each column stands; null: the row is the columns, in order. */
  places: readonly number[] | null;
  /** Places that may have something in them: those of columns, and of columns that are left out. */
  known: ReadonlySet<number>;
  /** Names of those columns. */
  leftOut: string[];
  /** Cells that a row has at least, those that are left out included: a shorter one has lost some, and nobody knows which. */
  width: number;
}

/** The place of the header in `rows`, the first ones that are not blank, and how many of its names are looked for. */
export function findHeader(rows: readonly (readonly string[])[], { isWanted }: Names): { at: number; wanted: number } {
  let found = { at: -1, wanted: 0 };
  for (const [at, cells] of rows.entries()) {
    const wanted = cells.filter((cell) => cell.trim() !== '' && isWanted(cell.trim())).length;
    if (wanted > found.wanted && !cells.some(isDatum) && rows.slice(0, at).every((above) => isNarrower(above, cells)))
      found = { at, wanted };
  }
  if (found.at !== -1) return found;
  // No name is known: a title is one cell, and a table has more.
  const [first, ...others] = rows;
  const wider = others.findIndex((cells) => filled(cells) > 1);
  const isTitle = first !== undefined && filled(first) === 1 && wider !== -1 && isTable(rows, wider + 1);
  return { at: isTitle ? wider + 1 : 0, wanted: 0 };
}

const filled = (cells: readonly string[]): number => cells.reduce((count, cell) => count + (cell.trim() === '' ? 0 : 1), 0);

/** Whether `above` may be a title: a table of one column may have one of one cell. */
const isNarrower = (above: readonly string[], header: readonly string[]): boolean => filled(above) < Math.max(2, filled(header));

/** Whether the row there may be a header: without data, and with a row below that is wider than one cell. */
function isTable(rows: readonly (readonly string[])[], at: number): boolean {
  const below = rows[at + 1];
  return !rows[at]!.some(isDatum) && below !== undefined && filled(below) > 1;
}

/** An address, or a number of somebody's: nobody's column is called so. */
const isDatum = (cell: string): boolean => /@/.test(cell) || /^[\s+'-]*\d[\d\s./-]{5,}$/.test(cell);

/** `below`: some of the rows behind the header, which show whether a column without a name has anything in it. Throws `UploadError`. */
export function layOut(header: readonly string[], below: readonly (readonly string[])[], names: Names, limits: RowLimits): Layout {
  const cells = header.map((cell) => cell.trim());
  const ours = names.ours(cells);
  const places = cells.flatMap((name, place) =>
    !ours.has(place) && (name !== '' || below.some((row) => isFilled(row, place))) ? [place] : [],
  );
  const leftOut = [...ours].map((place) => cells[place]!);
  const named = namedColumns(
    places.map((place) => cells[place] || `column ${place + 1}`),
    limits,
  );
  const isWhole = places.length === cells.length;
  const known = new Set([...places, ...ours]);
  return { ...named, places: isWhole ? null : places, known, leftOut, width: Math.max(...known) + 1 };
}

const isFilled = (row: readonly string[], place: number): boolean => (row[place] ?? '').trim() !== '';

/** The cells of a row by its columns; null: it has too few, or something where no column is. */
export function arrange({ columns, places, known, width }: Layout, cells: string[]): string[] | null {
  if (places === null && cells.length === columns.length) return cells;
  if (cells.length < width) return null;
  for (let place = 0; place < cells.length; place++) if (!known.has(place) && isFilled(cells, place)) return null;
  return places === null ? cells.slice(0, columns.length) : places.map((place) => cells[place]!);
}
