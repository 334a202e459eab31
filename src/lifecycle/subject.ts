/**
 * Who a person is in stored data. Jobs, calls and monitors are found by the keyed HMAC of their subject; rows, and the inputs of jobs, also by their cells, since
 * a number may stand in a column that no check looks up.
 */
import { COUNTRIES, personOf } from '../checks/aml.ts';
import { normalisePhone } from '../checks/phone.ts';
import { recordKinds } from '../checks/provider.ts';
import type { Identifier } from '../contract/subjects.ts';
import { readAddress } from '../engines/email/address.ts';
import type { Cipher } from '../foundation/crypto.ts';
import { foldName } from '../names/fold.ts';
import { cacheKey } from '../pipeline/cache.ts';

type Owner = { appId: string; live: boolean };

/** The families whose subject an identifier may be. */
const FAMILIES = { nin: ['nin', 'face'], bvn: ['bvn', 'credit', 'face'], phone: ['document'], email: ['email'], person: ['aml'] } as const;

/** The form in which checks look it up (`Check.subject`). Of a person: one for each country that may have been given. */
function subjectsOf(identifier: Identifier): string[] {
  if (identifier.type === 'email') return [readAddress(identifier.value).mailbox];
  if (identifier.type !== 'person') return [identifier.value];
  return ['', ...COUNTRIES].map((country) => personOf({ ...identifier, country }));
}

/** Hex of the HMACs under which the person is stored as a subject. */
export const subjectIndexes = (cipher: Cipher, identifiers: readonly Identifier[]): string[] =>
  identifiers.flatMap((identifier) =>
    FAMILIES[identifier.type].flatMap((family) =>
      subjectsOf(identifier).map((subject) => cipher.index('subject', family, subject).toString('hex')),
    ),
  );

/** Keys of cached and pending answers. An app that shares its cache has put the person into the shared one, too. */
export const cacheKeys = (cipher: Cipher, owner: Owner, isShared: boolean, identifiers: readonly Identifier[]): string[] =>
  identifiers.flatMap((identifier) => {
    if (identifier.type === 'person') return [];
    return recordKinds.flatMap((kind) =>
      (isShared ? (['app', 'deployment'] as const) : (['app'] as const)).map((scope) =>
        cacheKey(cipher, { ...owner, scope }, kind, identifier.value),
      ),
    );
  });

/** Whether a cell, or a member of an input, is one of the identifiers. `field`: the input or column it stands in; null if that says nothing. */
export type IsTheirs = (value: unknown, field: string | null) => boolean;

const ELEVEN = /^\d{11}$/;

export function cellMatcher(identifiers: readonly Identifier[]): IsTheirs {
  const of = (type: 'nin' | 'bvn' | 'phone'): Set<string> =>
    new Set(identifiers.flatMap((identifier) => (identifier.type === type ? [identifier.value] : [])));
  const [nins, bvns, phones] = [of('nin'), of('bvn'), of('phone')];
  const mailboxes = new Set(
    identifiers.flatMap((identifier) => (identifier.type === 'email' ? [readAddress(identifier.value).mailbox] : [])),
  );
  return (value, field) => {
    const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
    if (text === '' || text.length > 300) return false;
    const name = field?.toLowerCase() ?? '';
    // The same digits may be the NIN of one person and the BVN of another: a column that says what it holds is believed.
    if (ELEVEN.test(text) && ((nins.has(text) && !name.includes('bvn')) || (bvns.has(text) && !name.includes('nin')))) return true;
    if (phones.size > 0 && /\d{7}/.test(text.replace(/\D/g, '')) && phones.has(normalisePhone(text) ?? '')) return true;
    return mailboxes.size > 0 && text.includes('@') && mailboxes.has(mailboxIn(text) ?? '');
  };
}

function mailboxIn(text: string): string | null {
  try {
    return readAddress(text.toLowerCase()).mailbox;
  } catch {
    return null;
  }
}

/** For rows to correct, which no check has read: whether some cell is the person's name and, if a birth date is known, another one that date. */
export function personMatcher(identifiers: readonly Identifier[]): (cells: readonly unknown[]) => boolean {
  const people = identifiers.flatMap((identifier) =>
    identifier.type === 'person' ? [{ words: wordsOf(identifier.name), dates: spellingsOf(identifier.date_of_birth) }] : [],
  );
  return (cells) => {
    if (people.length === 0) return false;
    const texts = cells.filter((cell) => typeof cell === 'string');
    return people.some(
      ({ words, dates }) =>
        texts.some((text) => text.length <= 300 && wordsOf(text) === words) &&
        (dates === null || texts.some((text) => dates.has(text.replace(/\D/g, '')))),
    );
  };
}

/** The digits of a date as files write it. */
function spellingsOf(date: string | undefined): Set<string> | null {
  if (date === undefined) return null;
  const [year, month, day] = date.split('-') as [string, string, string];
  return new Set([year + month + day, day + month + year, month + day + year]);
}

const wordsOf = (name: string): string => foldName(name).words.toSorted().join(' ');
