/** What both UK lists share: one row for each combination of an entry's names, births and addresses, and the way cells are written. */
import { type ListEntry, type ListFile, ListFileError } from '../list.ts';
import { type CellOf, type CsvRow, columnsByName, readCsvRows } from './csv.ts';
import { SourceIds, toEntry } from './fields.ts';
import { type DraftName, lastFirst, namesIn, organizationNames, personName } from './names.ts';

/** The lists have 5,000 people and organizations. The rows of one need not be adjacent. */
const DESIGNATIONS_MAX = 200_000;
/** Names, births and numbers of one entry together. */
const VALUES_MAX = 5_000;

/** Collects what the rows say about one person or organization, without repeats. */
export class UkDesignation {
  readonly where: string;
  readonly isOrganization: boolean;
  readonly births = new Set<string>();
  readonly countries = new Set<string>();
  readonly registrations = new Set<string>();
  readonly programs = new Set<string>();
  gender = '';
  listedOn = '';
  private readonly names = new Map<string, DraftName>();

  constructor(where: string, isOrganization: boolean) {
    this.where = where;
    this.isOrganization = isOrganization;
  }

  /** `type`: `Primary name`, `Prime Alias`, `Primary name variation`, `AKA`, `FKA`, `Alias`. `quality`: `Low quality`, `Low quality a.k.a`. */
  addName(given: readonly string[], family: string, type: string, quality: string): void {
    const kind = /^low/i.test(quality) ? 'weak' : isPrimary(type) ? 'primary' : /^fka/i.test(type) ? 'former' : 'alias';
    const name = personName(given, family, kind);
    this.names.set(`${name.text}|${kind}`, name);
  }

  /** `ФЕРЕПАДЕ, Оламидотун`, or the parts in their usual order. */
  addOriginal(text: string): void {
    if (this.isOrganization) for (const name of organizationNames(text, 'original')) this.names.set(`${name.text}|original`, name);
    else for (const part of namesIn(text)) this.names.set(`${part}|original`, lastFirst(part, 'original'));
  }

  /** `Nigeria`, `(1) Nigeria (2) Ghana`, `(1) Nigeria. (2) Ghana`. */
  addNationalities(text: string): void {
    for (const part of text.split(/\(\d+\)|\.\s/)) this.countries.add(part.replace(/\.\s*$/, ''));
  }

  /** `1027700035032`, `(1) 7704009700 (2) 1027700035032`, and text around them. */
  addRegistrations(text: string): void {
    if (this.isOrganization) for (const [number] of text.matchAll(NUMBER)) this.registrations.add(number);
  }

  get isTooLarge(): boolean {
    return this.names.size + this.births.size + this.registrations.size > VALUES_MAX;
  }

  toEntry(sourceId: string): ListEntry {
    return toEntry(
      {
        sourceId,
        category: 'sanction',
        type: this.isOrganization ? 'organization' : undefined,
        names: [...this.names.values()],
        births: this.isOrganization ? [] : [...this.births],
        countries: [...this.countries],
        registrations: [...this.registrations],
        gender: this.gender,
        programs: [...this.programs],
        listedOn: this.listedOn,
      },
      this.where,
    );
  }
}

/** A number as registries write it, with at least five digits. */
const NUMBER = /\b[A-Z]{0,4}-?\d(?:[\d./-]{3,38})\d\b/g;

const isPrimary = (type: string): boolean => /^prim/i.test(type) && !/variation/i.test(type);

/** People and organizations by the publisher's number, and a count of other entries. */
export class UkDesignations {
  private readonly designations = new Map<string, UkDesignation>();
  private readonly others = new Set<string>();

  get skipped(): number {
    return this.others.size;
  }

  /** For a layout with one record an entry. Throws `duplicate_id`. */
  onlyOnce(id: string, where: string): string {
    if (!this.designations.has(id) && !this.others.has(id)) return id;
    throw new ListFileError('duplicate_id', `${where}: an earlier designation has the same id`);
  }

  /** Null for a ship. */
  at(id: string, type: string, where: string): UkDesignation | null {
    if (this.designations.size + this.others.size > DESIGNATIONS_MAX) {
      throw new ListFileError('too_large', `${where}: more than ${DESIGNATIONS_MAX} designations`);
    }
    const isOrganization = /^entity$/i.test(type);
    if (!isOrganization && !/^individual$/i.test(type)) {
      this.others.add(id);
      return null;
    }
    const designation = this.designations.get(id) ?? new UkDesignation(where, isOrganization);
    if (designation.isTooLarge)
      throw new ListFileError('too_large', `${where}: more than ${VALUES_MAX} names, births and numbers of one entry`);
    this.designations.set(id, designation);
    return designation;
  }

  *entries(files: readonly ListFile[]): Generator<ListEntry> {
    const ids = new SourceIds();
    for (const [id, designation] of this.designations) yield designation.toEntry(ids.add(id, designation.where));
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
export async function* readUkRows<Column extends string>(
  file: ListFile,
  columns: readonly Column[],
  optional: readonly Column[] = [],
): AsyncGenerator<UkTable<Column>> {
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
      cell = columnsByName(file.name, header, columns, optional);
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
