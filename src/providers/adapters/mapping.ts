/**
 * Helpers that adapters share for turning a vendor's answer into a record: schemas for members that registries leave empty, for vendors' forms of dates and
 * genders, and for telephone numbers and images. A value that does not fit fails its schema and so becomes a surprise.
 */
import { z } from 'zod';
import { imageUri as dataUri, isDate } from '../../checks/inputs.ts';
import { type CompanyPrefix, type CompanyType, companyTypes } from '../../checks/provider.ts';

/** Trimmed text; empty where the registry has nothing. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value?.trim() ?? '');

/** Member of the record → the vendor's spellings of it; the first spelling with a value counts. */
type Spellings = Record<string, string | readonly string[]>;

/** Reads the named members, all of which are text, and ignores the rest. */
export const texts = (spellings: Spellings) =>
  z
    .looseObject(Object.fromEntries(Object.values(spellings).flatMap((names) => [names].flat().map((name) => [name, text]))))
    .transform((sent) => {
      const read = (names: string | readonly string[]) => [names].flat().map((name) => sent[name] as string);
      return Object.fromEntries(
        Object.entries(spellings).map(([member, names]) => [member, read(names).find((value) => value !== '') ?? '']),
      );
    });

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Nigeria is one hour ahead of UTC all year. */
const LAGOS_OFFSET_MS = 3_600_000;

/** `1990-03-12`, `12/03/1990` and `12-03-1990` (day first), `12-Mar-1990`, or an ISO time → `YYYY-MM-DD`. Empty stays empty. */
export const date = text.transform((written, context) => {
  if (written === '') return '';
  const found = ofTime(written) ?? ofWords(written) ?? written;
  if (isDate(found)) return found;
  context.addIssue({ code: 'custom', message: 'no date' });
  return z.NEVER;
});

/** A time stands for its date in Nigeria, where midnight is still the previous evening in UTC. */
function ofTime(written: string): string | undefined {
  const [, day, rest, offset] = /^(\d{4}-\d{2}-\d{2})[T ]([\d:.]+)(Z|[+-]\d{2}:?\d{2})?$/.exec(written) ?? [];
  // `Date` reads 30 February as 2 March.
  if (day === undefined || offset === undefined || !isDate(day)) return day;
  const time = Date.parse(`${day}T${rest}${offset}`);
  return Number.isNaN(time) ? undefined : new Date(time + LAGOS_OFFSET_MS).toISOString().slice(0, 10);
}

function ofWords(written: string): string | undefined {
  const [, day, month, year] = /^(\d{1,2})[-/ ](\d{1,2}|[a-z]{3,9})[-/ ](\d{4})$/i.exec(written) ?? [];
  if (day === undefined || month === undefined) return undefined;
  const number = /\d/.test(month) ? Number(month) : MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** `MALE` or `FEMALE`, as the register of persons writes it; anything else is left as it is. */
export const gender = text.transform((written) => {
  const upper = written.toUpperCase();
  return upper === 'M' ? 'MALE' : upper === 'F' ? 'FEMALE' : upper;
});

/** `Male` or `Female`, as banks write it. */
export const bankGender = gender.transform((upper) => upper.slice(0, 1) + upper.slice(1).toLowerCase());

/** Bare base64, even if the vendor sends a data URI. Empty for a link, which nobody would follow. */
export const image = text.transform((sent) => sent.replace(/^(data:[^,]*,|https?:.*)/is, ''));

/** A data URI, even if the vendor sends bare base64. */
export const imageUri = image.transform(dataUri);

/** E.164 → `08031234567`. */
export const localPhone = (e164: string): string => e164.replace(/^\+234/, '0');

/** `0803…` or `234803…` → E.164. */
export const phone = text.transform((written) => written.replace(/^(0|\+?234)(?=\d{10}$)/, '+234'));

/** The parts of `COMPANY:1432074`. */
export function companyOf(identifier: string): { prefix: CompanyPrefix; type: CompanyType; number: string } {
  const [type, number] = identifier.split(':') as [CompanyType, string];
  const [prefix] = Object.entries(companyTypes).find(([, named]) => named === type) as [CompanyPrefix, CompanyType];
  return { prefix, type, number };
}

/** The number of a company without its prefix, and the part of the registry that the prefix names. Without a prefix, that is the part that was asked for. */
export function registeredAs(written: string, identifier: string): { rc_number: string; company_type: CompanyType } {
  const [, prefix, number] = /^(?:(RC|BN|IT|LLP|LP)[\s-]*)?(.*)$/s.exec(written.toUpperCase()) as unknown as [
    string,
    CompanyPrefix?,
    string?,
  ];
  return { rc_number: number!, company_type: prefix ? companyTypes[prefix] : companyOf(identifier).type };
}

/** `ACTIVE` or `INACTIVE`; any other state (dissolved, struck off) keeps the registry's word. */
export const companyStatus = text.transform((written) => written.toUpperCase().replace(/^NOT ACTIVE$/, 'INACTIVE'));

/** Joins the parts of a name that are present. */
export const fullName = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' ');
