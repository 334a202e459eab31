/**
 * Finds which of the first rows of a table is its header, and which columns are read. People put titles above a header, start to the right of the
 * first column, and end each line with a delimiter. Used for CSV and sheets alike.
 */
import { namedColumns } from './column-names.ts';
import type { RowLimits } from './row.ts';

/** What a table reader must be told about names. It knows none itself. */
export interface Names {
  /** Whether a check looks for a column with this name. */
  isWanted(name: string): boolean;
  /** Positions of columns that our own files add: results, and errors of rows. */
  ours(names: readonly string[]): ReadonlySet<number>;
}

export const NO_NAMES: Names = { isWanted: () => false, ours: () => new Set() };

/** How many of a table's first non-blank rows may be the header. */
export const HEAD_ROWS = 20;

export interface Layout {
  columns: string[];
  labels: string[];
  /** Position of each column in a row of the file; null if the row is exactly the columns, in order. */
  places: readonly number[] | null;
  /** Positions that may hold a value: those of the columns, and of columns that are left out. */
  known: ReadonlySet<number>;
  /** Names of the columns left out. */
  leftOut: string[];
  /** Least number of cells in a row, including columns left out. A shorter row has lost cells, and which ones is unknown. */
  width: number;
}

/** Position of the header in `rows` (the first non-blank rows), and how many of its names are wanted. */
export function findHeader(rows: readonly (readonly string[])[], { isWanted }: Names): { at: number; wanted: number } {
  let found = { at: -1, wanted: 0 };
  for (const [at, cells] of rows.entries()) {
    const wanted = cells.filter((cell) => cell.trim() !== '' && isWanted(cell.trim())).length;
    if (wanted > found.wanted && !cells.some(isDatum) && rows.slice(0, at).every((above) => isNarrower(above, cells)))
      found = { at, wanted };
  }
  if (found.at !== -1) return found;
  // No name is wanted. A title has one cell, and a table has more.
  const [first, ...others] = rows;
  const wider = others.findIndex((cells) => filled(cells) > 1);
  const isTitle = first !== undefined && filled(first) === 1 && wider !== -1 && isTable(rows, wider + 1);
  return { at: isTitle ? wider + 1 : 0, wanted: 0 };
}

const filled = (cells: readonly string[]): number => cells.reduce((count, cell) => count + (cell.trim() === '' ? 0 : 1), 0);

/** Whether `above` may be a title. Above a table of one column a title may also have one cell. */
const isNarrower = (above: readonly string[], header: readonly string[]): boolean => filled(above) < Math.max(2, filled(header));

/** Whether the row may be a header: it holds no data, and the row below has more than one cell. */
function isTable(rows: readonly (readonly string[])[], at: number): boolean {
  const below = rows[at + 1];
  return !rows[at]!.some(isDatum) && below !== undefined && filled(below) > 1;
}

/** An email address, or something that looks like a person's number. Neither is a column name. */
const isDatum = (cell: string): boolean => /@/.test(cell) || /^[\s+'-]*\d[\d\s./-]{5,}$/.test(cell);

/** `below`: some of the rows after the header, which show whether a column without a name holds anything. Throws `UploadError`. */
export function layOut(header: readonly string[], below: readonly (readonly string[])[], names: Names, limits: RowLimits): Layout {
  const cells = header.map((cell) => cell.trim());
  const ours = names.ours(cells);
  // Cells to the right of our own columns belong to no column. A spreadsheet pads the header with an empty cell for each.
  const end = ours.size === 0 ? cells.length : Math.max(...ours);
  const places = cells.flatMap((name, place) =>
    !ours.has(place) && (name !== '' || (place < end && below.some((row) => isFilled(row, place)))) ? [place] : [],
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

/** The cells of a row in the order of its columns. Null if there are too few, or one outside the columns holds something. */
export function arrange({ columns, places, known, width }: Layout, cells: string[]): string[] | null {
  if (places === null && cells.length === columns.length) return cells;
  if (cells.length < width) return null;
  for (let place = 0; place < cells.length; place++) if (!known.has(place) && isFilled(cells, place)) return null;
  return places === null ? cells.slice(0, columns.length) : places.map((place) => cells[place]!);
}

/**
 * The cells of a row that `arrange` refused. Cells under a column come first, in column order, so that each is shown under the right name; stray cells follow.
 */
export function keepApart({ places, known }: Layout, cells: string[]): string[] {
  if (places === null) return cells;
  return [...places.map((place) => cells[place] ?? ''), ...cells.filter((_, place) => !known.has(place) && isFilled(cells, place))];
}
