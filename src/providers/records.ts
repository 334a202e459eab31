/**
 * What a record must satisfy before it may become an entity, whichever vendor sent it: the members that it needs, their form, and that it is about the
 * subject that was asked for. Adapters map what a vendor sends; this check stands behind all of them.
 */
import { z } from 'zod';
import { checks } from '../checks/catalog.ts';
import { isPast } from '../checks/inputs.ts';
import {
  companyTypes,
  describeIssues,
  type Lookup,
  type LookupResult,
  ProviderFailure,
  type Receipt,
  type RecordKind,
} from '../checks/provider.ts';
import { isStorable, valueFlaw } from '../rows/storable.ts';

/** NUL and lone surrogates are traces of damage: shown with replacement characters, a damaged name would be charged and cached. */
const text = z.string().refine(isStorable, { error: 'damaged text', abort: true });
/** Far longer than any name, even that of a body of trustees. */
const NAME_LENGTH_MAX = 1_000;
const name = text.max(NAME_LENGTH_MAX);
/** What consists of nothing but blanks, control characters and marks of direction would be charged and shown as nothing. */
const VISIBLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;
const present = name.refine((value) => VISIBLE.test(value), 'empty');
const birthDate = z.iso.date().refine(isPast, 'in the future');
const scalar = z.union([text, z.number(), z.boolean(), z.null()]);
/**
 * Whatever a registry may say, up to `depth` levels deep. No record is deeper, and code that walks through one would overflow the stack. One rule for the whole
 * value: schemas of schemas take seconds for an answer that breaks them a hundred thousand times.
 */
const nested = (depth: number) => z.unknown().refine((value) => valueFlaw(value, depth + 1) === null, 'too deep, or damaged text');
const DEPTH_MAX = 4;
/** What identifies somebody, and is screened, must be readable. */
const SCREENED = ['surname', 'firstname', 'othername', 'gender', 'date_of_birth', 'nationality'];
const person = z.object(Object.fromEntries(SCREENED.map((name) => [name, scalar.optional()]))).catchall(nested(DEPTH_MAX - 2));
const people = z.array(person).nullish();
/** Read as "nobody" or "nothing" if they were of another type. */
const company = {
  company_type: text.nullish(),
  registration_date: text.nullish(),
  directors: people,
  shareholders: people,
  beneficial_owners: people,
  proprietors: people,
  trustees: people,
  secretary: person.nullish(),
};

/** Registries leave members empty, but never those that identify the subject. Members not named here are text. */
const identity = { firstname: present, surname: present, middlename: name.optional(), birthdate: birthDate };
const schemas: Partial<Record<RecordKind, z.ZodObject>> = {
  nin: z.object({ nin: present, ...identity }).catchall(text),
  bvn: z
    .object({ bvn: present, first_name: present, last_name: present, middle_name: name.optional(), date_of_birth: birthDate })
    .catchall(text),
  cac: z.object({ rc_number: present, company_name: present, status: present, ...company }).catchall(nested(DEPTH_MAX - 1)),
  tin: z.object({ taxpayer_name: present }).catchall(text),
  drivers_license: z.object({ license_number: present, full_name: present, date_of_birth: birthDate }).catchall(text),
  passport: z.object({ passport_number: present, first_name: present, last_name: present }).catchall(text),
  voter_card: z.object({ vin_number: present, full_name: present }).catchall(text),
  phone: z.object({ phone_number: present, full_name: present }).catchall(text),
};

/** The member that must repeat the number that was asked for, if the registry repeats it. */
const IDENTIFIER: Partial<Record<RecordKind, string>> = {
  nin: 'nin',
  bvn: 'bvn',
  drivers_license: 'license_number',
  passport: 'passport_number',
  voter_card: 'vin_number',
  phone: 'phone_number',
  cac: 'rc_number',
};

/** Throws `surprise` for a record that is incomplete or about somebody else. */
export function checkRecord(lookup: Pick<Lookup, 'kind' | 'identifier'>, result: LookupResult, receipt: Receipt | undefined): void {
  if (!result.found) return;
  const parsed = schemas[lookup.kind]?.safeParse(result.record);
  if (parsed?.success === false) throw new ProviderFailure('surprise', { receipt, detail: describeIssues(parsed.error, nameOfMember) });
  const other = lookup.kind === 'tin' ? otherTaxpayer(result.record, lookup.identifier) : otherSubject(result.record, lookup);
  if (other === null) return;
  // A vendor may write RC before any number, or know one part of the registry only: the rest of its answers are good.
  const scope = other === 'company_type' ? 'subject' : undefined;
  throw new ProviderFailure('surprise', { scope, receipt, detail: `${other}: another subject's` });
}

/** Members that we know. Vendors may send others, named after people or numbers, so only these are logged. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...[...Object.values(schemas), ...checks.map(({ entity }) => entity)].flatMap(({ shape }) => Object.keys(shape)),
  ...SCREENED,
]);
/** A name of at most four digits is a place in a list. */
const nameOfMember = (name: string): string => (MEMBERS.has(name) || /^\d{1,4}$/.test(name) ? name : '*');

/** The member that shows that the record is about somebody else; null if there is none. */
function otherSubject(record: Record<string, unknown>, { kind, identifier }: Pick<Lookup, 'kind' | 'identifier'>): string | null {
  const member = IDENTIFIER[kind];
  const [number, part] = kind === 'cac' ? identifier.split(':').reverse() : [identifier];
  if (member && bare(record[member]) !== bare(number)) return member;
  // Each part of the company registry has its own numbers.
  return kind === 'cac' && PARTS.has(record.company_type) && record.company_type !== part ? 'company_type' : null;
}

const PARTS: ReadonlySet<unknown> = new Set(Object.values(companyTypes));

/** Members of a tax record that hold a number. Vendors fill different ones, so only numbers in the requested format are compared. */
const TAX_NUMBERS = ['tin', 'firstin', 'jittin', 'cac_reg_number'];
const formOf = (value: unknown): string =>
  String(value)
    .toUpperCase()
    .replace(/\d/g, '0')
    .replace(/^RC0+$/, 'RC0');

function otherTaxpayer(record: Record<string, unknown>, identifier: string): string | null {
  const alike = TAX_NUMBERS.filter((member) => formOf(record[member]) === formOf(identifier));
  return alike.length === 0 || alike.some((member) => bare(record[member]) === bare(identifier)) ? null : alike[0]!;
}

/** Vendors write numbers in either case, and with or without spaces, hyphens, the registry's prefix and leading zeros. */
const bare = (value: unknown): string =>
  String(value)
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/^(RC|BN|IT|LLP|LP)(?=\d)/, '')
    .replace(/^0+(?=.)/, '');
