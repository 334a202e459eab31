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
/** Left out by old files. */
const OPTIONAL = ['Address Country', 'Business registration number (s)'] as const;
type Column = (typeof COLUMNS)[number] | (typeof OPTIONAL)[number];
/** `RUS2176` */
const UNIQUE_ID = /^[A-Z]{2,8}\d{1,6}$/;

export const ukSanctionsCsvFormat: ListFormat = {
  id: 'uk_sanctions_csv',
  recognizes: (_name, head) => hasUkHeader(head, /\bUnique ID,OFSI Group ID\b/i),
  read: readCsv,
};

async function* readCsv(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const designations = new UkDesignations();
  for (const file of files) {
    for await (const { title, cell, row } of readUkRows<Column>(file, COLUMNS, OPTIONAL)) {
      facts.publishedOn ??= isoDay(title.join(' ').replace(/^[^\d]*/, ''));
      const where = `${file.name}, line ${row.line}`;
      const designation = designations.at(idOf(cell(row, 'Unique ID'), UNIQUE_ID, where), cell(row, 'Designation Type'), where);
      if (designation === null) continue;
      const given = GIVEN.map((column) => cell(row, column));
      designation.addName(given, cell(row, 'Name 6'), cell(row, 'Name type'), cell(row, 'Alias strength'));
      designation.addOriginal(cell(row, 'Name non-latin script'));
      for (const birth of cell(row, 'D.O.B').split(/\(\d+\)/)) designation.births.add(birth.trim());
      designation.addNationalities(cell(row, designation.isOrganization ? 'Address Country' : 'Nationality(/ies)'));
      designation.addRegistrations(cell(row, 'Business registration number (s)'));
      designation.programs.add(cell(row, 'Regime Name'));
      designation.gender ||= cell(row, 'Gender');
      designation.listedOn ||= cell(row, 'Date Designated');
    }
  }
  facts.skipped = designations.skipped;
  yield* designations.entries(files);
}

export const ukSanctionsXmlFormat: ListFormat = {
  id: 'uk_sanctions_xml',
  recognizes: (_name, head) => /<(?:\w+:)?Designations[\s>]/.test(head),
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
      const designation = designations.at(id, textAt(element, 'IndividualEntityShip'), where);
      if (designation === null) continue;
      for (const name of elementsAt(element, 'Names/Name')) {
        const given = GIVEN.map((column) => textAt(name, column.replace(' ', '')));
        designation.addName(given, textAt(name, 'Name6'), textAt(name, 'NameType'), textAt(name, 'AliasStrength'));
      }
      for (const name of textsAt(element, 'NonLatinNames/NonLatinName/NameNonLatinScript')) designation.addOriginal(name);
      if (designation.isOrganization) {
        for (const country of textsAt(element, 'Addresses/Address/AddressCountry')) designation.addNationalities(country);
        for (const number of textsAt(element, 'EntityDetails/Entity/BusinessRegistrationNumbers/BusinessRegistrationNumber'))
          designation.addRegistrations(number);
      }
      const individuals = elementsAt(element, 'IndividualDetails/Individual');
      for (const individual of individuals) {
        for (const birth of textsAt(individual, 'DOBs/DOB')) designation.births.add(birth);
        for (const nationality of textsAt(individual, 'Nationalities/Nationality')) designation.addNationalities(nationality);
        designation.gender ||= textAt(individual, 'Genders/Gender');
      }
      designation.programs.add(textAt(element, 'RegimeName'));
      designation.listedOn = textAt(element, 'DateDesignated');
    }
  }
  facts.skipped = designations.skipped;
  yield* designations.entries(files);
}
