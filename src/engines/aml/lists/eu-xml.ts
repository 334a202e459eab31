/** The EU's consolidated list of financial sanctions (FSF) as XML 1.1: `xmlFullSanctionsList_1_1`. */
import type { ListEntry, ListFacts, ListFile, ListFormat } from '../list.ts';
import { birthOfParts, isoDay, listedBirth } from './dates.ts';
import { idOf, SourceIds, toEntry } from './fields.ts';
import { type DraftName, personName } from './names.ts';
import { elementsAt, readXml, textAt, type XmlElement } from './xml.ts';

/** `logicalId`, as in the CSV. */
export const LOGICAL_ID = /^\d{1,12}$/;

export const euXmlFormat: ListFormat = {
  id: 'eu_xml',
  recognizes: (_name, head) => /<(?:\w{1,20}:)?export\s[^<>]*(?:\/fsd\/export|generationDate=)/.test(head),
  read: readEuXml,
};

async function* readEuXml(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  for (const file of files) {
    for await (const element of readXml(file, { root: 'export', records: ['sanctionEntity'] })) {
      if (element.name === 'export') facts.publishedOn = isoDay(element.attributes.generationDate ?? '');
      else yield readEntity(element, ids, `${file.name}, line ${element.line}`);
    }
  }
  ids.end(files);
}

/** The list has persons and enterprises only; a group of any other kind counts among the latter. */
const isPerson = (entity: XmlElement): boolean =>
  elementsAt(entity, 'subjectType').some(({ attributes }) => attributes.code === 'person' || attributes.classificationCode === 'P');

/** Types of identification that number an organization: `regnumber`, `fiscalcode`, `tradelic` … */
export const REGISTRATION_TYPE = /^(?:reg|fiscal|tax|trade|imo|other)/i;

function readEntity(entity: XmlElement, ids: SourceIds, where: string): ListEntry {
  const isOrganization = !isPerson(entity);
  const aliases = elementsAt(entity, 'nameAlias').map(({ attributes }) => attributes);
  const regulations = elementsAt(entity, 'regulation');
  return toEntry(
    {
      sourceId: ids.add(idOf(entity.attributes.logicalId ?? '', LOGICAL_ID, where), where),
      category: 'sanction',
      type: isOrganization ? 'organization' : undefined,
      names: euNames(
        aliases.map((alias) => ({
          whole: alias.wholeName ?? '',
          given: [alias.firstName ?? '', alias.middleName ?? ''],
          last: alias.lastName ?? '',
          isWeak: alias.strong === 'false',
        })),
      ),
      births: elementsAt(entity, 'birthdate').map(({ attributes }) =>
        euBirth({
          calendar: attributes.calendarType ?? '',
          date: attributes.birthdate ?? '',
          year: attributes.year ?? '',
          month: attributes.monthOfYear ?? '',
          day: attributes.dayOfMonth ?? '',
          rangeFrom: attributes.yearRangeFrom ?? '',
          rangeTo: attributes.yearRangeTo ?? '',
          circa: attributes.circa ?? '',
        }),
      ),
      countries: elementsAt(entity, isOrganization ? 'address' : 'citizenship').flatMap(({ attributes }) => [
        attributes.countryIso2Code ?? '',
        attributes.countryDescription ?? '',
      ]),
      ...(isOrganization && {
        registrations: elementsAt(entity, 'identification')
          .filter(({ attributes }) => REGISTRATION_TYPE.test(attributes.identificationTypeCode ?? ''))
          .map(({ attributes }) => attributes.number ?? ''),
      }),
      gender: aliases.map(({ gender }) => gender ?? '').find((gender) => gender !== '') ?? '',
      programs: regulations.map(({ attributes }) => attributes.programme ?? ''),
      listedOn: entity.attributes.designationDate ?? '',
      url: regulations.map((regulation) => textAt(regulation, 'publicationUrl')).find((url) => url !== '') ?? '',
    },
    where,
  );
}

export interface EuName {
  whole: string;
  given: string[];
  last: string;
  isWeak: boolean;
}

/** The list marks no primary name, so the first name that is not weak serves as one. */
export function euNames(names: readonly EuName[]): DraftName[] {
  const primary = names.find(({ isWeak }) => !isWeak) ?? names[0];
  return names.map((name) => {
    const kind = name === primary ? 'primary' : name.isWeak ? 'weak' : 'alias';
    const parts = personName(name.given, name.last, kind);
    return name.whole.trim() === '' ? parts : { ...parts, text: name.whole };
  });
}

export interface EuBirth {
  calendar: string;
  date: string;
  year: string;
  month: string;
  day: string;
  rangeFrom: string;
  rangeTo: string;
  circa: string;
}

/** Null for a date in another calendar: a converted date would look more certain than it is. */
export function euBirth(birth: EuBirth) {
  if (birth.calendar !== '' && birth.calendar !== 'GREGORIAN') return null;
  const circa = birth.circa === 'true';
  const [from, to] = [birthOfParts(birth.rangeFrom, '', '', circa), birthOfParts(birth.rangeTo, '', '', circa)];
  if (from && to && from.from <= to.to) return { from: from.from, to: to.to, circa };
  const day = listedBirth(birth.date);
  return day ? { ...day, circa } : birthOfParts(birth.year, birth.month, birth.day, circa);
}
