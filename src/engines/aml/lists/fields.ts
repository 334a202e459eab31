/**
 * Turns cells and members of a list file into the fields of an entry. An unreadable value is dropped but its entry kept: a person whose birth date
 * makes no sense is still listed.
 */
import { countryCode } from '../countries.ts';
import {
  type Category,
  type ListEntry,
  type ListedBirth,
  type ListedName,
  ListFileError,
  NAME_LENGTH_MAX,
  type NameKind,
  plainRegistration,
} from '../list.ts';
import { isoDay, listedBirth } from './dates.ts';

export interface Draft {
  sourceId: string;
  category: Category;
  /** Default: a person. */
  type?: 'organization' | undefined;
  names: { text: string; kind: NameKind; family?: string }[];
  /** Text for `listedBirth`; null for a date that could not be read. */
  births?: (string | ListedBirth | null)[];
  countries?: string[];
  gender?: string;
  /** Numbers of an organization, as written. */
  registrations?: string[];
  programs?: string[];
  listedOn?: string;
  endedOn?: string;
  url?: string;
}

/** More names than any publisher lists for one person. The index holds every one of them. */
const NAMES_MAX = 2_000;
/** Limits for one entry. Programs are offices and charges that analysts read. */
const PROGRAMS_MAX = 100;
const PROGRAM_LENGTH_MAX = 300;
const REGISTRATIONS_MAX = 50;
const URL_LENGTH_MAX = 2_048;

/** `where`: file and line or record, for the error message. Throws `bad_value` if no name has a letter. */
export function toEntry(draft: Draft, where: string): ListEntry {
  const names = listedNames(draft.names);
  if (names.length === 0) throw new ListFileError('bad_value', `${where}: the entry has no name`);
  if (names.length > NAMES_MAX) throw new ListFileError('too_large', `${where}: the entry has more than ${NAMES_MAX} names`);
  const registrations = registrationsOf(draft.registrations ?? []);
  return {
    sourceId: draft.sourceId,
    category: draft.category,
    ...(draft.type !== undefined && { type: draft.type }),
    names,
    births: (draft.births ?? []).map((birth) => (typeof birth === 'string' ? listedBirth(birth) : birth)).filter((birth) => birth !== null),
    countries: [...new Set((draft.countries ?? []).map(countryCode).filter((code) => code !== null))].sort(),
    gender: genderOf(draft.gender ?? ''),
    ...(registrations.length > 0 && { registrations }),
    programs: [...new Set((draft.programs ?? []).map((text) => cutAtWord(oneLine(text), PROGRAM_LENGTH_MAX)))]
      .filter(Boolean)
      .slice(0, PROGRAMS_MAX),
    listedOn: isoDay(draft.listedOn ?? ''),
    endedOn: listedBirth(draft.endedOn ?? '')?.to ?? null,
    url: pageOf(draft.url ?? ''),
  };
}

/** Primary name first. Of two equal names the first counts. An alias without Latin letters is `original` if the primary name has some. */
function listedNames(drafts: Draft['names']): ListedName[] {
  const names = new Map<string, ListedName>();
  for (const draft of [...drafts].sort((a, b) => Number(b.kind === 'primary') - Number(a.kind === 'primary'))) {
    const text = cutAtWord(oneLine(draft.text), NAME_LENGTH_MAX);
    if (!/\p{L}/u.test(text) || names.has(text)) continue;
    const family = oneLine(draft.family ?? '');
    const kind = names.size === 0 ? 'primary' : draft.kind === 'primary' ? 'alias' : draft.kind;
    names.set(text, { text, kind, ...(family !== '' && text.includes(family) && { family }) });
  }
  const [primary, ...others] = names.values();
  if (primary === undefined) return [];
  for (const name of others) {
    if (name.kind === 'alias' && hasLatin(primary.text) && !hasLatin(name.text)) name.kind = 'original';
  }
  return [primary, ...others];
}

const hasLatin = (text: string): boolean => /\p{Script=Latin}/u.test(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
export const oneLine = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.lastIndexOf(' ', length);
  return text.slice(0, cut > 0 ? cut : length).toWellFormed();
}

/** Shorter numbers, and those without a digit, identify nobody. */
const REGISTRATION_LENGTH_MIN = 5;
const REGISTRATION_LENGTH_MAX = 40;

const registrationsOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.map(plainRegistration))]
    .filter((number) => number.length >= REGISTRATION_LENGTH_MIN && number.length <= REGISTRATION_LENGTH_MAX && /\d{3}/.test(number))
    .sort()
    .slice(0, REGISTRATIONS_MAX);

function genderOf(text: string): 'male' | 'female' | null {
  const word = text.trim().toLowerCase();
  if (word === 'male' || word === 'm') return 'male';
  return word === 'female' || word === 'f' ? 'female' : null;
}

/** Analysts see this as a link, so only web addresses pass. */
function pageOf(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > URL_LENGTH_MAX || !URL.canParse(trimmed)) return null;
  return /^https?:$/.test(new URL(trimmed).protocol) ? trimmed : null;
}

/** Checks that an id has this publisher's form. Throws `bad_value`. */
export function idOf(text: string, form: RegExp, where: string): string {
  if (!form.test(text)) throw new ListFileError('bad_value', `${where}: the id does not have the form of this publisher's ids`);
  return text;
}

/** Ids seen in one publication. `where` as in `toEntry`. */
export class SourceIds {
  private readonly seen = new Set<string>();

  /** Throws `bad_value` for an empty or overlong id, `duplicate_id` for a repeated one. */
  add(id: string, where: string): string {
    if (id === '' || id.length > ID_LENGTH_MAX)
      throw new ListFileError('bad_value', `${where}: the id is empty or longer than ${ID_LENGTH_MAX}`);
    if (this.seen.has(id)) throw new ListFileError('duplicate_id', `${where}: an earlier entry has the same id`);
    this.seen.add(id);
    return id;
  }

  /** Throws `empty` if there was no entry: an empty list would clear everybody. */
  end(files: readonly { name: string }[]): void {
    if (this.seen.size === 0)
      throw new ListFileError('empty', `${files.map((file) => file.name).join(', ')}: the list has no persons and no organizations`);
  }
}

const ID_LENGTH_MAX = 200;
