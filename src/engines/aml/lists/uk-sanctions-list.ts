/** `UK-Sanctions-List`, the list of the Foreign, Commonwealth and Development Office, as CSV and as XML. */
import type { ListEntry, ListFacts, ListFile, ListFormat } from '../list.ts';
import { isoDay } from './dates.ts';
import { idOf } from './fields.ts';
import { hasUkHeader, readUkRows, UkDesignations } from './uk.ts';
import { elementsAt, readXml, textAt, textsAt } from './xml.ts';

const GIVEN = ['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5'] as const;
const COLUMNS = [
  ...GIVEN,
  'Name 6',
  'Unique ID',
  'Name type',
  'Alias strength',
  'Name non-latin script',
  'Regime Name',
  'Designation Type',
  'Date Designated',
  'D.O.B',
  'Nationality(/ies)',
  'Gender',
] as const;
/** `RUS2176` */
const UNIQUE_ID = /^[A-Z]{2,8}\d{1,6}$/;

export const ukSanctionsCsvFormat: ListFormat = {
  id: 'uk_sanctions_csv',
  recognises: (_name, head) => hasUkHeader(head, /\bUnique ID,OFSI Group ID\b/i),
  read: readCsv,
};

async function* readCsv(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const designations = new UkDesignations();
  for (const file of files) {
    for await (const { title, cell, row } of readUkRows(file, COLUMNS)) {
      facts.publishedOn ??= isoDay(title.join(' ').replace(/^[^\d]*/, ''));
      const where = `${file.name}, line ${row.line}`;
      const person = designations.at(idOf(cell(row, 'Unique ID'), UNIQUE_ID, where), cell(row, 'Designation Type'), where);
      if (person === null) continue;
      const given = GIVEN.map((column) => cell(row, column));
      person.addName(given, cell(row, 'Name 6'), cell(row, 'Name type'), cell(row, 'Alias strength'));
      person.addOriginal(cell(row, 'Name non-latin script'));
      for (const birth of cell(row, 'D.O.B').split(/\(\d+\)/)) person.births.add(birth.trim());
      person.addNationalities(cell(row, 'Nationality(/ies)'));
      person.programs.add(cell(row, 'Regime Name'));
      person.gender ||= cell(row, 'Gender');
      person.listedOn ||= cell(row, 'Date Designated');
    }
  }
  facts.skipped = designations.skipped;
  yield* designations.entries(files);
}

export const ukSanctionsXmlFormat: ListFormat = {
  id: 'uk_sanctions_xml',
  recognises: (_name, head) => /<(?:\w+:)?Designations[\s>]/.test(head),
  read: readDesignations,
};

async function* readDesignations(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const designations = new UkDesignations();
  for (const file of files) {
    for await (const element of readXml(file, { root: 'Designations', records: ['DateGenerated', 'Designation'] })) {
      if (element.name === 'DateGenerated') facts.publishedOn = isoDay(element.text);
      if (element.name !== 'Designation') continue;
      const where = `${file.name}, line ${element.line}`;
      const id = designations.onlyOnce(idOf(textAt(element, 'UniqueID'), UNIQUE_ID, where), where);
      const person = designations.at(id, textAt(element, 'IndividualEntityShip'), where);
      if (person === null) continue;
      for (const name of elementsAt(element, 'Names/Name')) {
        const given = GIVEN.map((column) => textAt(name, column.replace(' ', '')));
        person.addName(given, textAt(name, 'Name6'), textAt(name, 'NameType'), textAt(name, 'AliasStrength'));
      }
      for (const name of textsAt(element, 'NonLatinNames/NonLatinName/NameNonLatinScript')) person.addOriginal(name);
      const individuals = elementsAt(element, 'IndividualDetails/Individual');
      for (const individual of individuals) {
        for (const birth of textsAt(individual, 'DOBs/DOB')) person.births.add(birth);
        for (const nationality of textsAt(individual, 'Nationalities/Nationality')) person.addNationalities(nationality);
        person.gender ||= textAt(individual, 'Genders/Gender');
      }
      person.programs.add(textAt(element, 'RegimeName'));
      person.listedOn = textAt(element, 'DateDesignated');
    }
  }
  facts.skipped = designations.skipped;
  yield* designations.entries(files);
}
