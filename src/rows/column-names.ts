/** The columns of a table's header, and names in the form in which they may be shown: a name must not be personal data. */
import { type RowLimits, UploadError } from './row.ts';
import { isStorable } from './storable.ts';

/** The columns of a header, and their labels. Refuses a header with none, too many, a name that cannot be stored, or duplicates. */
export function namedColumns(cells: readonly string[], limits: RowLimits): { columns: string[]; labels: string[] } {
  const columns = cells.map((name) => name.trim());
  const labels = columnLabels(columns);
  if (columns.length === 0) throw new UploadError('no_columns', 'The header names no columns');
  if (columns.length > limits.columnsMax) {
    throw new UploadError('too_many_columns', `The header has ${columns.length} columns; at most ${limits.columnsMax} are allowed`);
  }
  const seen = new Map<string, number>();
  for (const [index, name] of columns.entries()) {
    const label = labels[index]!;
    if (!isStorable(name)) throw new UploadError('not_text', `The name of column ${index + 1} holds a NUL`, null, label);
    const twin = seen.get(name);
    if (twin !== undefined) {
      const message = `Columns ${twin + 1} and ${index + 1} of the header have the same name`;
      throw new UploadError('duplicate_column', message, null, label);
    }
    seen.set(name, index);
  }
  return { columns, labels };
}

/** Whether one of the names looks like an identifier or an address: a file without a header has data in place of names. */
export const lookLikeData = (columns: readonly string[]): boolean =>
  columns.some((name) => name.includes('@') || (isMostlyDigits(name) && digitsOf(name) >= 6));

/** Column names as they may be shown. If they look like data, all of them become "column 1", "column 2" … */
export function columnLabels(columns: readonly string[]): string[] {
  const headerless = lookLikeData(columns);
  return columns.map((name, index) => (headerless ? `column ${index + 1}` : fieldLabel(name, `column ${index + 1}`)));
}

/** A name that is safe to show: no control characters, at most 64 characters, nothing that may be a person's number. */
export function fieldLabel(name: string, otherwise: string): string {
  const clean = [...name.slice(0, 1024).replace(/\p{C}/gu, '')].slice(0, 64).join('').trim();
  return clean === '' || clean.includes('@') || isMostlyDigits(clean) ? otherwise : clean;
}

function isMostlyDigits(name: string): boolean {
  return digitsOf(name) * 2 >= name.trim().length;
}

function digitsOf(name: string): number {
  return name.match(/\p{Nd}/gu)?.length ?? 0;
}
