/** What both UK lists share: one row for each combination of a person's names, births and addresses, and the way cells are written. */
import { type ListEntry, type ListFile, ListFileError } from '../list.ts';
import { type CellOf, type CsvRow, columnsByName, readCsvRows } from './csv.ts';
import { SourceIds, toEntry } from './fields.ts';
import { type DraftName, lastFirst, namesIn, personName } from './names.ts';

/** The lists have 5,000 people. The rows of one person need not be adjacent. */
const DESIGNATIONS_MAX = 200_000;
/** Names and births of one person together. */
const VALUES_MAX = 5_000;

/** Collects what the rows say about one person, without repeats. */
export class UkPerson {
  readonly where: string;
  readonly births = new Set<string>();
  readonly countries = new Set<string>();
  readonly programs = new Set<string>();
  gender = '';
  listedOn = '';
  private readonly names = new Map<string, DraftName>();

  constructor(where: string) {
    this.where = where;
  }

  /** `type`: `Primary name`, `Prime Alias`, `Primary name variation`, `AKA`, `FKA`, `Alias`. `quality`: `Low quality`, `Low quality a.k.a`. */
  addName(given: readonly string[], family: string, type: string, quality: string): void {
    const kind = /^low/i.test(quality) ? 'weak' : isPrimary(type) ? 'primary' : /^fka/i.test(type) ? 'former' : 'alias';
    const name = personName(given, family, kind);
    this.names.set(`${name.text}|${kind}`, name);
  }

  /** `ФЕРЕПАДЕ, Оламидотун`, or the parts in their usual order. */
  addOriginal(text: string): void {
    for (const part of namesIn(text)) this.names.set(`${part}|original`, lastFirst(part, 'original'));
  }

  /** `Nigeria`, `(1) Nigeria (2) Ghana`, `(1) Nigeria. (2) Ghana`. */
  addNationalities(text: string): void {
    for (const part of text.split(/\(\d+\)|\.\s/)) this.countries.add(part.replace(/\.\s*$/, ''));
  }

  get isTooLarge(): boolean {
    return this.names.size + this.births.size > VALUES_MAX;
  }

  toEntry(sourceId: string): ListEntry {
    return toEntry(
      {
        sourceId,
        category: 'sanction',
        names: [...this.names.values()],
        births: [...this.births],
        countries: [...this.countries],
        gender: this.gender,
        programs: [...this.programs],
        listedOn: this.listedOn,
      },
      this.where,
    );
  }
}

const isPrimary = (type: string): boolean => /^prim/i.test(type) && !/variation/i.test(type);

/** People by the publisher's number, and a count of other entries. */
export class UkDesignations {
  private readonly persons = new Map<string, UkPerson>();
  private readonly others = new Set<string>();

  get skipped(): number {
    return this.others.size;
  }

  /** For a layout with one record a person. Throws `duplicate_id`. */
  onlyOnce(id: string, where: string): string {
    if (!this.persons.has(id) && !this.others.has(id)) return id;
    throw new ListFileError('duplicate_id', `${where}: an earlier designation has the same id`);
  }

  /** Null for an entry that is not a person. */
  at(id: string, type: string, where: string): UkPerson | null {
    if (this.persons.size + this.others.size > DESIGNATIONS_MAX) {
      throw new ListFileError('too_large', `${where}: more than ${DESIGNATIONS_MAX} designations`);
    }
    if (type.toLowerCase() !== 'individual') {
      this.others.add(id);
      return null;
    }
    const person = this.persons.get(id) ?? new UkPerson(where);
    if (person.isTooLarge) throw new ListFileError('too_large', `${where}: more than ${VALUES_MAX} names and births of one person`);
    this.persons.set(id, person);
    return person;
  }

  *entries(files: readonly ListFile[]): Generator<ListEntry> {
    const ids = new SourceIds();
    for (const [id, person] of this.persons) yield person.toEntry(ids.add(id, person.where));
    ids.end(files);
  }
}

export interface UkTable<Column extends string> {
  /** The cells of the line before the header, which states the date. Empty if there is no such line. */
  title: string[];
  cell: CellOf<Column>;
  row: CsvRow;
}

/** The rows of a CSV file after its header, which is its first or second line. */
export async function* readUkRows<Column extends string>(file: ListFile, columns: readonly Column[]): AsyncGenerator<UkTable<Column>> {
  let title: string[] | null = null;
  let header: CsvRow | null = null;
  let cell: CellOf<Column> | null = null;
  for await (const row of readCsvRows(file, { delimiter: ',', endsLines: true })) {
    if (cell === null || header === null) {
      if (title === null && TITLE.test(row.cells[0] ?? '') && row.cells.slice(2).every((text) => text.trim() === '')) {
        title = row.cells;
        continue;
      }
      header = row;
      cell = columnsByName(file.name, header, columns);
      continue;
    }
    if (row.cells.length !== header.cells.length) {
      const rule = row.cells.length < header.cells.length ? 'truncated' : 'malformed';
      throw new ListFileError(rule, `${file.name}, line ${row.line}: ${row.cells.length} columns, ${header.cells.length} in the header`);
    }
    yield { title: title ?? [], cell, row };
  }
  if (title === null && header === null) throw new ListFileError('empty', `${file.name} is empty`);
}

const TITLE = /^(?:last updated|report date)\b/i;

/** Whether these columns are in the first line, or in the second, below a title. */
export function hasUkHeader(head: string, columns: RegExp): boolean {
  const [first, second] = head.replace(/^\ufeff/, '').split(/\r?\n/, 2);
  return columns.test((TITLE.test(first!) ? second : first) ?? '');
}
