/**
 * Canada's consolidated list of autonomous sanctions (SEMA and JVCFOA): `sema-lmes.xml`. Records have no id of their own, so country, schedule and
 * item (as in the regulation) identify them. Where one item holds several records, the name is added to the id.
 */
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { type Draft, oneLine, SourceIds, toEntry } from './fields.ts';
import { type DraftName, namesIn, organizationNames, personName } from './names.ts';
import { readXml, textAt, type XmlElement } from './xml.ts';

/** All records are held until the end of the file: only then is it known whether an item identifies a single record. The list has 5,000 records. */
const RECORDS_MAX = 200_000;

export const canadaXmlFormat: ListFormat = {
  id: 'canada_xml',
  recognizes: (_name, head) => ['<data-set', '<record>', '<Country>'].every((tag) => head.includes(tag)),
  read: readCanada,
};

interface Held {
  draft: Draft;
  where: string;
}

async function* readCanada(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const held: Held[] = [];
  const uses = new Map<string, number>();
  for (const file of files) {
    for await (const element of readXml(file, { root: 'data-set', records: ['record'] })) {
      if (element.name !== 'record') continue;
      const where = `${file.name}, line ${element.line}`;
      const item = itemOf(element);
      uses.set(item, (uses.get(item) ?? 0) + 1);
      if (uses.size + held.length > 2 * RECORDS_MAX) throw new ListFileError('too_large', `${where}: more than ${RECORDS_MAX} records`);
      if (isShip(element)) facts.skipped += 1;
      else held.push({ draft: readRecord(element, item, where), where });
    }
  }
  const ids = new SourceIds();
  for (const { draft, where } of held) {
    const isAlone = uses.get(draft.sourceId) === 1;
    const sourceId = ids.add(isAlone ? draft.sourceId : `${draft.sourceId}/${draft.names[0]!.text}`, where);
    yield toEntry({ ...draft, sourceId }, where);
  }
  ids.end(files);
}

const isShip = (record: XmlElement): boolean => textAt(record, 'ShipIMONumber') !== '';

/** `Belarus/1, Part 1/12`. Some regulations have a single, unnumbered schedule. */
const itemOf = (record: XmlElement): string =>
  [english(textAt(record, 'Country')), textAt(record, 'Schedule'), textAt(record, 'Item')].filter((part) => part !== '').join('/');

function readRecord(record: XmlElement, item: string, where: string): Draft {
  const organization = textAt(record, 'EntityOrShip');
  const isOrganization = organization !== '';
  const name = personName([textAt(record, 'GivenName')], textAt(record, 'LastName'), 'primary');
  const aliases = isOrganization ? organizationNames(textAt(record, 'Aliases'), 'alias') : aliasesIn(textAt(record, 'Aliases')).map(alias);
  if (item === '' || textAt(record, 'Item') === '') throw new ListFileError('bad_value', `${where}: the record has no item number`);
  return {
    sourceId: item,
    category: 'sanction',
    type: isOrganization ? 'organization' : undefined,
    names: [isOrganization ? { text: organization, kind: 'primary' } : name, ...aliases],
    births: isOrganization ? [] : oneLine(textAt(record, 'DateOfBirthOrShipBuildDate')).split(' or '),
    // This is the country of the regulation, which also lists people from elsewhere.
    programs: [english(textAt(record, 'Country'))],
    listedOn: textAt(record, 'DateOfListing'),
  };
}

const alias = (text: string): DraftName => ({ text, kind: 'alias' });

/** `Russia / Russie` */
const english = (text: string): string => text.split(' / ')[0]!.trim();

/** A label in the middle of a field: `… Dagalo Arabic: …`. */
const LABELLED = / (?=[A-Z][a-z]{1,30} ?:)/;

/** Splits at commas, and at `or` or a slash if both sides are whole names. In `Nikolay or Nikolai Zubanda` the first side is not. */
function aliasesIn(field: string): string[] {
  return oneLine(field)
    .replaceAll(',', ';')
    .split(LABELLED)
    .flatMap(namesIn)
    .flatMap((text) => {
      const parts = text.split(/ or | ?\/ ?/i);
      return parts.every((part) => /\S\s+\S/.test(part)) ? parts : [parts.join(' ')];
    });
}
