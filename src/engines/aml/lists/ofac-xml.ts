/** OFAC's lists in their classic XML: `SDN.XML`, `CONSOLIDATED.XML`. Ids are the same as in the CSV files. */
import type { ListEntry, ListFacts, ListFile, ListFormat } from '../list.ts';
import { isoDayOfUs } from './dates.ts';
import { idOf, SourceIds, toEntry } from './fields.ts';
import { type DraftName, personName } from './names.ts';
import { ENT_NUM, ofacPage } from './ofac-csv.ts';
import { elementsAt, readXml, textAt, textsAt, type XmlElement } from './xml.ts';

export const ofacXmlFormat: ListFormat = {
  id: 'ofac_xml',
  recognizes: (_name, head) => /<(?:\w+:)?sdnList[\s>]/.test(head),
  read: readOfacXml,
};

async function* readOfacXml(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  for (const file of files) {
    for await (const element of readXml(file, { root: 'sdnList', records: ['publshInformation', 'sdnEntry'] })) {
      if (element.name === 'publshInformation') facts.publishedOn = isoDayOfUs(textAt(element, 'Publish_Date'));
      if (element.name !== 'sdnEntry') continue;
      const where = `${file.name}, line ${element.line}`;
      const type = textAt(element, 'sdnType').toLowerCase();
      if (type === 'individual') yield readPerson(element, ids, where);
      else if (type === 'entity') yield readOrganization(element, ids, where);
      else facts.skipped += 1;
    }
  }
  ids.end(files);
}

function readPerson(entry: XmlElement, ids: SourceIds, where: string): ListEntry {
  const sourceId = ids.add(idOf(textAt(entry, 'uid'), ENT_NUM, where), where);
  return toEntry(
    {
      sourceId,
      category: 'sanction',
      names: [
        personName([textAt(entry, 'firstName')], textAt(entry, 'lastName'), 'primary'),
        ...elementsAt(entry, 'akaList/aka').map(readAlias),
      ],
      births: textsAt(entry, 'dateOfBirthList/dateOfBirthItem/dateOfBirth'),
      countries: [...textsAt(entry, 'nationalityList/nationality/country'), ...textsAt(entry, 'citizenshipList/citizenship/country')],
      // The classic layout has no element for gender: it is listed among the documents.
      gender: textAt(elementsAt(entry, 'idList/id').find((id) => textAt(id, 'idType') === 'Gender') ?? entry, 'idNumber'),
      programs: textsAt(entry, 'programList/program'),
      url: ofacPage(sourceId),
    },
    where,
  );
}

function readOrganization(entry: XmlElement, ids: SourceIds, where: string): ListEntry {
  const sourceId = ids.add(idOf(textAt(entry, 'uid'), ENT_NUM, where), where);
  return toEntry(
    {
      sourceId,
      category: 'sanction',
      type: 'organization',
      names: [{ text: textAt(entry, 'lastName'), kind: 'primary' }, ...elementsAt(entry, 'akaList/aka').map(readAlias)],
      countries: textsAt(entry, 'addressList/address/country'),
      registrations: elementsAt(entry, 'idList/id')
        .filter((id) => REGISTRATION_TYPE.test(textAt(id, 'idType')))
        .map((id) => textAt(id, 'idNumber')),
      programs: textsAt(entry, 'programList/program'),
      url: ofacPage(sourceId),
    },
    where,
  );
}

const REGISTRATION_TYPE =
  /regist|tax|company number|business number|enterprise|legal entity|v\.a\.t|c\.r\.|trade license|mercantil|r\.f\.c|^(?:ruc|rif|nit)\b|social credit/i;

function readAlias(alias: XmlElement): DraftName {
  const isFormer = textAt(alias, 'type').toLowerCase().startsWith('f.k.a');
  const kind = textAt(alias, 'category').toLowerCase() === 'weak' ? 'weak' : isFormer ? 'former' : 'alias';
  return personName([textAt(alias, 'firstName')], textAt(alias, 'lastName'), kind);
}
