/**
 * Politicians from EveryPolitician: Popolo JSON (`ep-popolo-v1.0.json`, one legislature with all its terms). The file is read twice, because the
 * terms, which show who is still in office, come after the people.
 */
import { z } from 'zod';
import { countryCode } from '../countries.ts';
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { listedBirth } from './dates.ts';
import { SourceIds, toEntry } from './fields.ts';
import { readJsonElements } from './json-document.ts';

export const popoloFormat: ListFormat = {
  id: 'everypolitician_popolo',
  recognizes: (name, head) => head.trimStart().startsWith('{') && (/"persons"\s*:\s*\[/.test(head) || /popolo/i.test(name)),
  read: readPopolo,
};

const text = z.string().nullish();
const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  family_name: text,
  other_names: z.array(z.object({ name: text })).nullish(),
  birth_date: text,
  gender: text,
  links: z.array(z.object({ url: text })).nullish(),
  sources: z.array(z.object({ url: text })).nullish(),
});
const membershipSchema = z.object({
  person_id: z.string(),
  organization_id: text,
  legislative_period_id: text,
  role: text,
  start_date: text,
  end_date: text,
});
type Membership = z.infer<typeof membershipSchema>;
const periodSchema = z.object({ id: z.string(), name: text, end_date: text });
const organizationSchema = z.object({ id: z.string(), name: text });

interface Legislature {
  memberships: Map<string, Membership[]>;
  periods: Map<string, { name: string; endedOn: string | null }>;
  organizations: Map<string, string>;
}

async function* readPopolo(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  for (const file of files) {
    const legislature = await readLegislature(file);
    const country = countryOfName(file.name);
    for await (const { number, value } of readJsonElements(file, ['persons'])) {
      const where = `${file.name}, person ${number}`;
      const person = parseElement(personSchema, value, where);
      const memberships = legislature.memberships.get(person.id) ?? [];
      yield toEntry(
        {
          sourceId: ids.add(person.id, where),
          category: 'pep',
          names: [
            { text: person.name, kind: 'primary', family: person.family_name ?? '' },
            ...(person.other_names ?? []).map((other) => ({ text: other.name ?? '', kind: 'alias' as const })),
          ],
          births: [person.birth_date ?? ''],
          countries: [country],
          gender: person.gender ?? '',
          programs: memberships.map((membership) => officeOf(membership, legislature)),
          endedOn: lastEnd(memberships.map((membership) => endOf(membership, legislature))) ?? '',
          url: [...(person.sources ?? []), ...(person.links ?? [])].find((page) => page.url)?.url ?? '',
        },
        where,
      );
    }
  }
  ids.end(files);
}

async function readLegislature(file: ListFile): Promise<Legislature> {
  const legislature: Legislature = { memberships: new Map(), periods: new Map(), organizations: new Map() };
  for await (const { member, number, value } of readJsonElements(file, ['memberships', 'events', 'organizations'])) {
    const where = `${file.name}, ${member} ${number}`;
    if (member === 'events') {
      const period = parseElement(periodSchema, value, where);
      legislature.periods.set(period.id, { name: period.name ?? '', endedOn: listedBirth(period.end_date ?? '')?.to ?? null });
    } else if (member === 'organizations') {
      const organization = parseElement(organizationSchema, value, where);
      legislature.organizations.set(organization.id, organization.name ?? '');
    } else {
      const membership = parseElement(membershipSchema, value, where);
      const known = legislature.memberships.get(membership.person_id);
      if (known) known.push(membership);
      else legislature.memberships.set(membership.person_id, [membership]);
    }
  }
  return legislature;
}

function parseElement<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ListFileError('malformed', `${where} is not in the Popolo format`);
  return parsed.data;
}

/** `Member of House of Representatives, 2015–`. */
function officeOf(membership: Membership, { organizations, periods }: Legislature): string {
  const role = membership.role ?? 'member';
  const organization = organizations.get(membership.organization_id ?? '') || 'the legislature';
  const period = periods.get(membership.legislative_period_id ?? '')?.name ?? '';
  return `${role.charAt(0).toUpperCase()}${role.slice(1)} of ${organization}${period === '' ? '' : `, ${period}`}`;
}

const endOf = (membership: Membership, { periods }: Legislature): string | null =>
  listedBirth(membership.end_date ?? '')?.to ?? periods.get(membership.legislative_period_id ?? '')?.endedOn ?? null;

/** Null if there are no ends, or if one of them is open. */
export function lastEnd(ends: readonly (string | null)[]): string | null {
  return ends.includes(null) ? null : ([...ends].sort().at(-1) ?? null);
}

/** The files do not state their country, but their names do: `Nigeria-Assembly-….json`, `nigeria-peps.csv`. */
export function countryOfName(name: string): string {
  const words = name.split(/[^\p{L}]+/u).filter((word) => word !== '');
  for (let count = Math.min(4, words.length); count > 0; count--) {
    const code = countryCode(words.slice(0, count).join(' '));
    // Two or three letters are as likely to be a word as a code.
    if (code !== null && words.slice(0, count).join('').length > 3) return code;
  }
  return '';
}
