/**
 * OpenSanctions: FollowTheMoney entities, one JSON object a line. In `entities.ftm.json` sanctions and offices are separate entities that point to
 * the person; in `targets.nested.json` they are nested in the person. Both are read the same way. Only targets count: persons
 * and organizations.
 */
import { z } from 'zod';
import type { Category, ListEntry, ListFacts, ListFile, ListFormat, NameKind } from '../list.ts';
import { ListFileError } from '../list.ts';
import { listedBirth } from './dates.ts';
import { SourceIds, toEntry } from './fields.ts';
import { readJsonLines } from './json-lines.ts';

export const openSanctionsFormat: ListFormat = {
  id: 'opensanctions_json',
  recognizes: (_name, head) => head.trimStart().startsWith('{') && /"schema"\s*:\s*"/.test(head) && /"properties"\s*:\s*\{/.test(head),
  read: readOpenSanctions,
};

const entitySchema = z.object({
  id: z.string(),
  caption: z.string().nullish(),
  schema: z.string(),
  properties: z.record(z.string(), z.array(z.unknown())),
  target: z.boolean().nullish(),
  last_seen: z.string().nullish(),
});
type Entity = z.infer<typeof entitySchema>;
type Properties = Entity['properties'];

const nestedSchema = z.object({ properties: z.record(z.string(), z.array(z.unknown())) });

/** What points to people, by person id. All of it is held while persons are read: about 200 bytes for each office and sanction. */
interface Links {
  sanctions: Map<string, Sanction[]>;
  offices: Map<string, Office[]>;
}

interface Sanction {
  programs: string[];
  listedOn: string | null;
}

interface Office {
  /** Name of the office. Empty if the publisher gives none. */
  post: string;
  /** The last day in office. Null if the office is not known to have ended. */
  endedOn: string | null;
}

async function* readOpenSanctions(
  files: ListFile[],
  facts: ListFacts,
  options: { category: Category } = { category: 'adverse_media' },
): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const links = await readLinks(files);
  const ids = new SourceIds();
  for await (const { entity, where } of readEntities(files)) {
    facts.publishedOn = later(facts.publishedOn, listedBirth(entity.last_seen?.slice(0, 10) ?? '')?.to ?? null);
    if (LINK_SCHEMAS.has(entity.schema) || entity.target === false) continue;
    if (entity.schema === 'Person') yield readPerson(entity, links, options.category, ids, where);
    else if (isOrganization(entity.schema)) yield readOrganization(entity, links, options.category, ids, where);
    else facts.skipped += 1;
  }
  ids.end(files);
}

const LINK_SCHEMAS: ReadonlySet<string> = new Set(['Sanction', 'Occupancy', 'Position']);

/** Schemata of FollowTheMoney that are organizations. Vessels, aircraft, securities and wallets are not. */
export const isOrganization = (schema: string): boolean => ORGANIZATIONS.has(schema);
const ORGANIZATIONS: ReadonlySet<string> = new Set(['Organization', 'Company', 'LegalEntity', 'PublicBody']);

async function readLinks(files: ListFile[]): Promise<Links> {
  const links: Links = { sanctions: new Map(), offices: new Map() };
  const positions = new Map<string, string>();
  for await (const { entity } of readEntities(files)) {
    const { schema, properties } = entity;
    if (schema === 'Position') positions.set(entity.id, firstText(properties, 'name') || (entity.caption ?? ''));
    if (schema === 'Sanction') for (const id of texts(properties, 'entity')) push(links.sanctions, id, sanctionOf(properties));
    if (schema === 'Occupancy') {
      for (const id of texts(properties, 'holder'))
        push(links.offices, id, { post: firstText(properties, 'post'), endedOn: endOf(properties) });
    }
  }
  for (const offices of links.offices.values()) for (const office of offices) office.post = positions.get(office.post) ?? '';
  return links;
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

async function* readEntities(files: ListFile[]): AsyncGenerator<{ entity: Entity; where: string }> {
  for (const file of files) {
    for await (const { line, value } of readJsonLines(file)) {
      const where = `${file.name}, line ${line}`;
      const entity = entitySchema.safeParse(value);
      if (!entity.success) throw new ListFileError('malformed', `${where} is not an OpenSanctions entity`);
      yield { entity: entity.data, where };
    }
  }
}

function readPerson(entity: Entity, links: Links, usual: Category, ids: SourceIds, where: string): ListEntry {
  const { properties } = entity;
  const category = categoryOf(texts(properties, 'topics')) ?? usual;
  const sanctions = [...(links.sanctions.get(entity.id) ?? []), ...nested(properties, 'sanctions').map(sanctionOf)];
  const offices = [...(links.offices.get(entity.id) ?? []), ...nested(properties, 'positionOccupancies').map(officeOf)];
  const families = texts(properties, 'lastName');
  const named = (kind: NameKind, property: string) =>
    texts(properties, property).map((text) => ({ text, kind, family: families.find((family) => text.includes(family)) ?? '' }));
  const names = named('alias', 'name');
  const primary = names.find((name) => name.text === entity.caption) ?? names[0];
  return toEntry(
    {
      sourceId: ids.add(entity.id, where),
      category,
      names: [
        ...(primary ? [{ ...primary, kind: 'primary' as const }] : []),
        ...names,
        ...named('alias', 'alias'),
        ...named('former', 'previousName'),
        ...named('weak', 'weakAlias'),
      ],
      births: texts(properties, 'birthDate'),
      countries: ['nationality', 'citizenship', ...(category === 'pep' ? ['country'] : [])].flatMap((property) =>
        texts(properties, property),
      ),
      gender: firstText(properties, 'gender'),
      programs: [
        ...sanctions.flatMap((sanction) => sanction.programs),
        ...offices.map((office) => office.post),
        ...texts(properties, 'position'),
      ],
      listedOn: firstOf(sanctions),
      endedOn: category === 'pep' ? (lastEnd(offices) ?? '') : '',
      url: pageOf(entity),
    },
    where,
  );
}

function readOrganization(entity: Entity, links: Links, usual: Category, ids: SourceIds, where: string): ListEntry {
  const { properties } = entity;
  const sanctions = [...(links.sanctions.get(entity.id) ?? []), ...nested(properties, 'sanctions').map(sanctionOf)];
  const named = (kind: NameKind, property: string) => texts(properties, property).map((text) => ({ text, kind }));
  return toEntry(
    {
      sourceId: ids.add(entity.id, where),
      category: categoryOf(texts(properties, 'topics')) ?? usual,
      type: 'organization',
      names: [
        ...(entity.caption ? [{ text: entity.caption, kind: 'primary' as const }] : []),
        ...named('alias', 'name'),
        ...named('alias', 'alias'),
        ...named('alias', 'abbreviation'),
        ...named('former', 'previousName'),
        ...named('weak', 'weakAlias'),
      ],
      countries: ['jurisdiction', 'mainCountry', 'country'].flatMap((property) => texts(properties, property)),
      registrations: REGISTRATIONS.flatMap((property) => texts(properties, property)),
      programs: sanctions.flatMap((sanction) => sanction.programs),
      listedOn: firstOf(sanctions),
      url: pageOf(entity),
    },
    where,
  );
}

const REGISTRATIONS = ['registrationNumber', 'taxNumber', 'idNumber', 'innCode', 'ogrnCode', 'vatCode', 'leiCode', 'uscCode'];

/** The first day of listing; empty if none is known. */
const firstOf = (sanctions: readonly Sanction[]): string =>
  sanctions
    .map((sanction) => sanction.listedOn ?? '')
    .filter(Boolean)
    .sort()[0] ?? '';

const pageOf = ({ id }: Entity): string => `https://www.opensanctions.org/entities/${encodeURIComponent(id)}/`;

/**
 * The category of the gravest topic: legal restrictions (sanctions, export controls, investment bans, frozen assets) first, then crime, then
 * politics. Findings that regulators and procurers publish count as adverse media. Null if no topic falls into a category.
 */
function categoryOf(topics: readonly string[]): Category | null {
  const has = (...starts: string[]): boolean =>
    topics.some((topic) => starts.some((start) => topic === start || topic.startsWith(`${start}.`)));
  if (has('sanction', 'export.control', 'invest.ban', 'asset.frozen')) return 'sanction';
  if (has('wanted', 'crime')) return 'wanted';
  if (has('role.pep', 'role.rca', 'role.pol', 'gov.head', 'poi')) return 'pep';
  if (has('debarment', 'reg', 'corp.disqual', 'export.risk', 'invest.risk', 'role.oligarch', 'forced.labor')) return 'adverse_media';
  return null;
}

function sanctionOf(properties: Properties): Sanction {
  const programs = ['program', 'programId', 'authority'].map((property) => texts(properties, property)).find((found) => found.length > 0);
  const dates = [...texts(properties, 'listingDate'), ...texts(properties, 'startDate')].sort();
  return { programs: programs ?? [], listedOn: dates[0] ?? null };
}

function officeOf(properties: Properties): Office {
  const [post] = nested(properties, 'post');
  return { post: post ? firstText(post, 'name') : firstText(properties, 'post'), endedOn: endOf(properties) };
}

/** An office that is marked as held, or has no known end, has not ended. */
function endOf(properties: Properties): string | null {
  if (texts(properties, 'status').includes('current')) return null;
  return texts(properties, 'endDate').reduce<string | null>((end, text) => later(end, listedBirth(text)?.to ?? null), null);
}

const lastEnd = (offices: readonly Office[]): string | null =>
  offices.every((office) => office.endedOn !== null)
    ? offices.reduce<string | null>((end, office) => later(end, office.endedOn), null)
    : null;

const later = (a: string | null, b: string | null): string | null => (b === null || (a !== null && a > b) ? a : b);

const texts = (properties: Properties, property: string): string[] =>
  (properties[property] ?? []).filter((value): value is string => typeof value === 'string');

const firstText = (properties: Properties, property: string): string => texts(properties, property)[0] ?? '';

/** The properties of nested entities. */
const nested = (properties: Properties, property: string): Properties[] =>
  (properties[property] ?? []).flatMap((value) => {
    const entity = nestedSchema.safeParse(value);
    return entity.success ? [entity.data.properties] : [];
  });
