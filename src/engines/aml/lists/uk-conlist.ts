/** `ConList.csv`, the consolidated list of the UK's Office of Financial Sanctions Implementation. The UK Sanctions List has since replaced it. */
import type { ListEntry, ListFacts, ListFile, ListFormat } from '../list.ts';
import { isoDay } from './dates.ts';
import { idOf } from './fields.ts';
import { hasUkHeader, readUkRows, UkDesignations } from './uk.ts';

const GIVEN = ['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5'] as const;
const COLUMNS = [
  ...GIVEN,
  'Name 6',
  'Name Non-Latin Script',
  'DOB',
  'Nationality',
  'Other Information',
  'Group Type',
  'Alias Type',
  'Alias Quality',
  'Regime',
  'Listed On',
  'Group ID',
] as const;
/** Left out by old files. */
const OPTIONAL = ['Country'] as const;
type Column = (typeof COLUMNS)[number] | (typeof OPTIONAL)[number];
const GROUP_ID = /^\d{1,9}$/;

export const ukConlistFormat: ListFormat = {
  id: 'uk_conlist',
  recognizes: (_name, head) => hasUkHeader(head, /\bGroup Type,Alias Type\b/i),
  read: readConlist,
};

async function* readConlist(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const designations = new UkDesignations();
  for (const file of files) {
    for await (const { title, cell, row } of readUkRows<Column>(file, COLUMNS, OPTIONAL)) {
      facts.publishedOn ??= isoDay(title[1] ?? '');
      const where = `${file.name}, line ${row.line}`;
      const designation = designations.at(idOf(cell(row, 'Group ID'), GROUP_ID, where), cell(row, 'Group Type'), where);
      if (designation === null) continue;
      const given = GIVEN.map((column) => cell(row, column));
      designation.addName(given, cell(row, 'Name 6'), cell(row, 'Alias Type'), cell(row, 'Alias Quality'));
      designation.addOriginal(cell(row, 'Name Non-Latin Script'));
      designation.births.add(cell(row, 'DOB'));
      designation.addNationalities(cell(row, designation.isOrganization ? 'Country' : 'Nationality'));
      designation.addRegistrations(/\(Business Reg No\):([^()]*(?:\(\d+\)[^()]*)*)/.exec(cell(row, 'Other Information'))?.[1] ?? '');
      designation.programs.add(cell(row, 'Regime'));
      designation.gender ||= /\(Gender\):\s*(male|female)\b/i.exec(cell(row, 'Other Information'))?.[1] ?? '';
      designation.listedOn ||= cell(row, 'Listed On');
    }
  }
  facts.skipped = designations.skipped;
  yield* designations.entries(files);
}
