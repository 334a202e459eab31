/** The consolidated list of the UN Security Council: `consolidated.xml`. */
import type { ListEntry, ListFacts, ListFile, ListFormat, NameKind } from '../list.ts';
import { birthOfParts, isoDay, listedBirth } from './dates.ts';
import { idOf, SourceIds, toEntry } from './fields.ts';
import { type DraftName, lastFirst, namesIn, organizationNames } from './names.ts';
import { elementsAt, readXml, textAt, textsAt, type XmlElement } from './xml.ts';

const INDIVIDUAL = 'INDIVIDUALS/INDIVIDUAL';
const ENTITY = 'ENTITIES/ENTITY';
const NAME_PARTS = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'];
/** `QDi.001`: the committee's number, cited in decisions and notices. */
const REFERENCE = /^[A-Za-z]{2,6}\.\d{1,6}$/;

export const unXmlFormat: ListFormat = {
  id: 'un_xml',
  recognizes: (_name, head) => /<(?:\w+:)?CONSOLIDATED_LIST[\s>]/.test(head),
  read: readUn,
};

async function* readUn(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  for (const file of files) {
    for await (const element of readXml(file, { root: 'CONSOLIDATED_LIST', records: [INDIVIDUAL, ENTITY] })) {
      if (element.name === 'CONSOLIDATED_LIST') facts.publishedOn = isoDay(element.attributes.dateGenerated ?? '');
      else if (element.name === 'ENTITY') yield readEntity(element, ids, `${file.name}, line ${element.line}`);
      else yield readIndividual(element, ids, `${file.name}, line ${element.line}`);
    }
  }
  ids.end(files);
}

function readIndividual(individual: XmlElement, ids: SourceIds, where: string): ListEntry {
  const parts = NAME_PARTS.map((part) => known(textAt(individual, part))).filter((part) => part !== '');
  return toEntry(
    {
      sourceId: ids.add(idOf(textAt(individual, 'REFERENCE_NUMBER'), REFERENCE, where), where),
      category: 'sanction',
      names: [
        { text: parts.join(' '), kind: 'primary' },
        ...namesIn(textAt(individual, 'NAME_ORIGINAL_SCRIPT')).map((text) => ({ text, kind: 'original' as const })),
        ...elementsAt(individual, 'INDIVIDUAL_ALIAS').flatMap(readAlias),
      ],
      births: elementsAt(individual, 'INDIVIDUAL_DATE_OF_BIRTH').map(readBirth),
      countries: textsAt(individual, 'NATIONALITY/VALUE').map(known),
      gender: textAt(individual, 'GENDER'),
      programs: textsAt(individual, 'UN_LIST_TYPE'),
      listedOn: textAt(individual, 'LISTED_ON'),
    },
    where,
  );
}

function readEntity(entity: XmlElement, ids: SourceIds, where: string): ListEntry {
  return toEntry(
    {
      sourceId: ids.add(idOf(textAt(entity, 'REFERENCE_NUMBER'), REFERENCE, where), where),
      category: 'sanction',
      type: 'organization',
      names: [
        { text: known(textAt(entity, 'FIRST_NAME')), kind: 'primary' },
        ...organizationNames(textAt(entity, 'NAME_ORIGINAL_SCRIPT'), 'original'),
        ...elementsAt(entity, 'ENTITY_ALIAS').flatMap((alias) => organizationNames(textAt(alias, 'ALIAS_NAME'), kindOf(alias))),
      ],
      countries: textsAt(entity, 'ENTITY_ADDRESS/COUNTRY'),
      programs: textsAt(entity, 'UN_LIST_TYPE'),
      listedOn: textAt(entity, 'LISTED_ON'),
    },
    where,
  );
}

const readAlias = (alias: XmlElement): DraftName[] => namesIn(textAt(alias, 'ALIAS_NAME')).map((text) => lastFirst(text, kindOf(alias)));

function kindOf(alias: XmlElement): NameKind {
  const quality = textAt(alias, 'QUALITY').toLowerCase();
  return quality === 'low' ? 'weak' : quality.startsWith('f.k.a') ? 'former' : 'alias';
}

function readBirth(birth: XmlElement) {
  const note = textAt(birth, 'NOTE');
  const circa = textAt(birth, 'TYPE_OF_DATE').toUpperCase() === 'APPROXIMATELY' || /^approx/i.test(note);
  const from = birthOfParts(textAt(birth, 'FROM_YEAR'), '', '', circa);
  const to = birthOfParts(textAt(birth, 'TO_YEAR'), '', '', circa);
  if (from && to && from.from <= to.to) return { from: from.from, to: to.to, circa };
  const day = listedBirth(textAt(birth, 'DATE') || textAt(birth, 'YEAR') || note);
  return day && { ...day, circa: circa || day.circa };
}

/** The list writes `na` for unknown. `Na` is a name. */
const known = (text: string): string => (text === 'na' ? '' : text);
