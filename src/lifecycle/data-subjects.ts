/**
 * How a person is found in stored data: by keyed hashes of their identifiers. Jobs, calls and monitors are found by the hash of their subject; rows, and the
 * inputs of jobs, also by their cells, since a number may stand in a column that no check looks up.
 */
import type { AppMode } from '../access/owner.ts';
import { bareDigits, readCell, withoutFormula } from '../batches/written-values.ts';
import { COUNTRIES, screenedAs } from '../checks/aml.ts';
import { normalizePhone } from '../checks/phone.ts';
import { recordKinds } from '../checks/provider.ts';
import type { Identifier } from '../contract/subjects.ts';
import { readAddress } from '../engines/email/address.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { foldName } from '../names/fold.ts';
import { cacheKeys, subjectKeys } from '../pipeline/cache.ts';
import { withoutGuard } from '../rows/csv.ts';
import { portraitSubjects } from '../sandbox/portraits/read.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';

/** The families whose subject an identifier may be. */
const FAMILIES_BY_TYPE = {
  nin: ['nin', 'tin', 'face'],
  bvn: ['bvn', 'credit', 'face'],
  phone: ['document'],
  email: ['email'],
  passport: ['document'],
  drivers_license: ['document'],
  voter_card: ['document'],
  meter: ['document'],
  tin: ['tin'],
  person: ['aml'],
} as const;

/** A longer cell is not a name or a number. */
const CELL_LENGTH_MAX = 300;
const ELEVEN = /^\d{11}$/;
/** Matches the lower-case name of a column about NINs, but not `screening` or `opening`. */
const NAMES_NIN = /(?<![a-z])nin/;
const NAMES_BVN = /bvn/;

/** Identifiers that are recognized in any cell. Numbers of documents are found only where a check looked them up: elsewhere they look like any other text. */
const IN_CELLS = ['nin', 'bvn', 'phone', 'email'] as const;
const isInCells = (type: Identifier['type']): type is (typeof IN_CELLS)[number] => IN_CELLS.some((one) => one === type);

export const typesOf = (identifiers: readonly Identifier[]): string[] => [...new Set(identifiers.map(({ type }) => type))].toSorted();

/** By every index key. */
export function marksOf(cipher: Indexer, owner: AppMode, identifiers: readonly Identifier[]): PersonMarks {
  const cells: PersonMarks['cells'] = { nin: [], bvn: [], phone: [], email: [], name: [], born: [] };
  for (const identifier of identifiers) {
    if (identifier.type === 'person') {
      const words = wordsOf(identifier.name);
      cells.name.push(...nameMarks(cipher, words));
      cells.born.push(...spellingsOf(identifier.date_of_birth).flatMap((date) => bornMarks(cipher, words, date)));
    } else if (isInCells(identifier.type)) {
      cells[identifier.type].push(
        ...cellMarks(cipher, identifier.type === 'email' ? readAddress(identifier.value).mailbox : identifier.value),
      );
    }
  }
  return {
    types: identifiers.map(({ type }) => type).toSorted(),
    subjects: identifiers.flatMap((identifier) =>
      FAMILIES_BY_TYPE[identifier.type].flatMap((family) =>
        subjectsOf(identifier).flatMap((subject) => inHex(cipher.indexes('subject', family, subject))),
      ),
    ),
    cells,
    cached: { app: cachedAs(cipher, owner, 'app', identifiers), deployment: cachedAs(cipher, owner, 'deployment', identifiers) },
    portraits: identifiers.flatMap(({ type, ...identifier }) =>
      type === 'nin' || type === 'bvn'
        ? inHex(portraitSubjects(cipher, type, (identifier as { value: string }).value)).map((subject) => ({ type, subject }))
        : [],
    ),
  };
}

/** The form in which checks look it up (`Check.subject`). Of a person: one for each country that may have been given. */
function subjectsOf(identifier: Identifier): string[] {
  if (identifier.type === 'email') return [readAddress(identifier.value).mailbox];
  if (identifier.type !== 'person') return [identifier.value];
  return ['', ...COUNTRIES].flatMap((country) => screenedAs({ ...identifier, country }));
}

const cachedAs = (cipher: Indexer, owner: AppMode, scope: 'app' | 'deployment', identifiers: readonly Identifier[]): string[] =>
  identifiers.flatMap((identifier) =>
    identifier.type === 'person'
      ? []
      : recordKinds.flatMap((kind) =>
          [cacheKeys, subjectKeys].flatMap((keysOf) =>
            keysOf(cipher, { ...owner, scope }, kind, identifier.value).map((key) => key.toString('base64')),
          ),
        ),
  );

/** The people that something is about: indexes into the list passed to `dataSubjectsOf`, ascending. */
export type Matches = readonly number[];

/** The people whom a step looks for: one, or several at once. */
export interface DataSubjects {
  /** The marks of all these people. */
  marks: PersonMarks;
  /** By the hash of a subject, in hex. */
  bySubject: ReadonlyMap<string, Matches>;
  /** The people whose identifier is in a cell or in a member of an input. `field`: the name of the input or column; null if it has none that helps. */
  match(value: unknown, field: string | null): Matches;
  /** For rows to correct, which no check has read: the people whose name is in one cell and whose birth date, if it is known, is in another. */
  matchCells(cells: readonly unknown[]): Matches;
  /** The people whose name the text is, whatever their birth date. */
  matchName(text: string): Matches;
}

/** Stored marks, which may be older than the current index key, and what the later keys make of them: their identifiers are not known. */
export function carriedOn(cipher: Indexer, marks: PersonMarks): PersonMarks {
  if (cipher.newestKey === 1) return marks;
  const { types, subjects, cells, cached, portraits } = marks;
  const all = (hashes: readonly string[], encoding: 'hex' | 'base64'): string[] => [
    ...new Set(hashes.flatMap((one) => cipher.later(Buffer.from(one, encoding)).map((hash) => hash.toString(encoding)))),
  ];
  const of = (kind: keyof PersonMarks['cells']): string[] => all(cells[kind], 'hex');
  return {
    types,
    subjects: all(subjects, 'hex'),
    cells: { nin: of('nin'), bvn: of('bvn'), phone: of('phone'), email: of('email'), name: of('name'), born: of('born') },
    cached: { app: all(cached.app, 'base64'), deployment: all(cached.deployment, 'base64') },
    portraits: portraits.flatMap(({ type, subject }) => all([subject], 'hex').map((one) => ({ type, subject: one }))),
  };
}

const NOBODY: Matches = [];

/** The union, ascending and without duplicates. */
export const union = (...some: readonly Matches[]): Matches => {
  const found = some.filter(({ length }) => length > 0);
  return found.length < 2 ? (found[0] ?? NOBODY) : [...new Set(found.flat())].toSorted((one, other) => one - other);
};

/** By mark: the people who have it. `marksIn`: the marks of one kind. */
function peopleByMark(all: readonly PersonMarks[], marksIn: (marks: PersonMarks) => readonly string[]): ReadonlyMap<string, Matches> {
  const people = new Map<string, number[]>();
  for (const [at, marks] of all.entries())
    for (const mark of new Set(marksIn(marks))) {
      const known = people.get(mark);
      if (known) known.push(at);
      else people.set(mark, [at]);
    }
  return people;
}

const among = (people: ReadonlyMap<string, Matches>, marks: readonly string[]): Matches =>
  union(...marks.map((mark) => people.get(mark) ?? NOBODY));

/** `all`: of each person, by every index key; what was stored goes through `carriedOn` first. */
export function dataSubjectsOf(cipher: Indexer, ...all: readonly PersonMarks[]): DataSubjects {
  const withCell = (kind: keyof PersonMarks['cells']) => peopleByMark(all, ({ cells }) => cells[kind]);
  const matchIdentifiers = identifierMatcher(cipher, withCell);
  return {
    marks: merged(all),
    bySubject: peopleByMark(all, ({ subjects }) => subjects),
    match: (cell, field) => valuesIn(cell, field).reduce((found, [value, name]) => union(found, matchIdentifiers(value, name)), NOBODY),
    ...nameMatchers(cipher, withCell('name'), withCell('born')),
  };
}

function identifierMatcher(
  cipher: Indexer,
  withCell: (kind: keyof PersonMarks['cells']) => ReadonlyMap<string, Matches>,
): DataSubjects['match'] {
  const [nins, bvns, phones, mailboxes] = [withCell('nin'), withCell('bvn'), withCell('phone'), withCell('email')];
  const hasNumbers = nins.size + bvns.size > 0;
  return (value, field) => {
    const text = textOf(value);
    if (text === null) return NOBODY;
    const number = numberIn(text);
    const numbers = hasNumbers && number !== null && ELEVEN.test(number) ? cellMarks(cipher, number) : [];
    const phone = phones.size > 0 && number !== null ? phoneOf(number) : null;
    const mailbox = mailboxes.size > 0 ? mailboxIn(text) : null;
    // The same digits may be the NIN of one person and the BVN of another, so the name of the column decides if it says which.
    const name = field?.toLowerCase() ?? '';
    const [isNin, isBvn] = [NAMES_NIN.test(name), NAMES_BVN.test(name)];
    return union(
      isBvn && !isNin ? NOBODY : among(nins, numbers),
      isNin && !isBvn ? NOBODY : among(bvns, numbers),
      phone === null ? NOBODY : among(phones, cellMarks(cipher, phone)),
      mailbox === null ? NOBODY : among(mailboxes, cellMarks(cipher, mailbox)),
    );
  };
}

/** `names`, `born`: the people by their name, and by their name with their birth date. */
function nameMatchers(
  cipher: Indexer,
  names: ReadonlyMap<string, Matches>,
  born: ReadonlyMap<string, Matches>,
): Pick<DataSubjects, 'matchCells' | 'matchName'> {
  const named = (words: string): Matches => (words === '' ? NOBODY : among(names, nameMarks(cipher, words)));
  return {
    matchCells(cells) {
      if (names.size === 0) return NOBODY;
      const texts = textsIn(cells);
      const dates = ['', ...new Set(texts.flatMap(datesIn))];
      // A mark of a birth date is one of the name too.
      const bornAs = (words: string): Matches[] => dates.map((date) => among(born, bornMarks(cipher, words, date)));
      return union(...texts.map(wordsOf).flatMap((words) => (named(words).length === 0 ? [] : bornAs(words))));
    },
    matchName: (text) => (names.size > 0 && text.length <= CELL_LENGTH_MAX ? named(wordsOf(text)) : NOBODY),
  };
}

/** Ids and times have many digits, and reading one as a phone number takes long. */
const ID_OR_TIME = /^(?:[a-z]{3}_[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/** The people whose identifier or name, in any spelling, is a member of an answer. `body`: JSON; anything else names nobody. */
export function matchAnswer(dataSubjects: DataSubjects, body: string): Matches {
  const found: Matches[] = [];
  for (const [value, member] of valuesOfAnswer(body)) {
    if (typeof value === 'number') found.push(dataSubjects.match(value, member));
    else if (typeof value === 'string' && !ID_OR_TIME.test(value))
      found.push(dataSubjects.match(value, member), dataSubjects.matchName(value));
  }
  return union(...found);
}

/** The values in an answer, without those of its envelope: `success` is a first name too. `body`: JSON; anything else has none. */
export function valuesOfAnswer(body: string): [unknown, string | null][] {
  try {
    const { status, meta, ...told } = (JSON.parse(body) ?? {}) as Record<string, unknown>;
    return valuesIn(told);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [];
  }
}

function merged(all: readonly PersonMarks[]): PersonMarks {
  const cells = (kind: keyof PersonMarks['cells']) => all.flatMap((marks) => marks.cells[kind]);
  return {
    types: all.flatMap(({ types }) => types),
    subjects: all.flatMap(({ subjects }) => subjects),
    cells: { nin: cells('nin'), bvn: cells('bvn'), phone: cells('phone'), email: cells('email'), name: cells('name'), born: cells('born') },
    cached: { app: all.flatMap(({ cached }) => cached.app), deployment: all.flatMap(({ cached }) => cached.deployment) },
    portraits: all.flatMap(({ portraits }) => portraits),
  };
}

/** Hashes by the current key of everything in a cell that may be somebody's identifier. */
export function marksInCell(cipher: Indexer, cell: unknown): string[] {
  return textsIn(cell).flatMap((text) => {
    const number = numberIn(text);
    const found = [number !== null && ELEVEN.test(number) ? number : null, number && phoneOf(number), mailboxIn(text)];
    return found.filter((one) => one !== null).map((one) => cipher.index('cell', one).toString('hex'));
  });
}

/** As `marksInCell`, and for a name: of rows to correct. */
export const marksInName = (cipher: Indexer, cell: unknown): string[] =>
  textsIn(cell).flatMap((text) => {
    const words = wordsOf(text);
    return words === '' ? [] : [cipher.index('name', words).toString('hex')];
  });

const inHex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));
const cellMarks = (cipher: Indexer, text: string): string[] => inHex(cipher.indexes('cell', text));
const nameMarks = (cipher: Indexer, words: string): string[] => inHex(cipher.indexes('name', words));
const bornMarks = (cipher: Indexer, words: string, date: string): string[] => inHex(cipher.indexes('born', words, date));

/** The values in a cell, each with its name. In a JSON row, a cell may hold objects and lists; list items take the name of their list. */
export function valuesIn(cell: unknown, field: string | null = null): [unknown, string | null][] {
  if (typeof cell !== 'object') return [[cell, field]];
  const found: [unknown, string | null][] = [];
  // A growing list instead of recursion: nesting may be deeper than the stack allows.
  const open: [unknown, string | null][] = [[cell, field]];
  for (const [value, name] of open) {
    if (typeof value !== 'object' || value === null) found.push([value, name]);
    else for (const [key, one] of Object.entries(value)) open.push([one, Array.isArray(value) ? name : key]);
  }
  return found;
}

const textsIn = (cell: unknown): string[] => valuesIn(cell).flatMap(([value]) => textOf(value) ?? []);

/** The text of a cell, as the intake reads it for any input. */
function textOf(value: unknown): string | null {
  const text =
    typeof value === 'string' ? withoutFormula(withoutGuard(value.trim())).trim() : typeof value === 'number' ? String(value) : '';
  return text === '' || text.length > CELL_LENGTH_MAX ? null : text;
}

/** A shorter number cannot be an identifier. Skipping them saves a closer look at most cells. */
const NUMBER_DIGITS_MIN = 7;

/** The text as the intake reads it for a numeric input; null if it has too few digits. */
const numberIn = (text: string): string | null => (digitsOf(text).length < NUMBER_DIGITS_MIN ? null : bareDigits(text));

/** Phone numbers as they are usually written, recognized without libphonenumber. */
const LOCAL_PHONE = /^0([789][01]\d{8})$/;

function phoneOf(number: string): string | null {
  const local = LOCAL_PHONE.exec(number);
  return local ? `+234${local[1]}` : normalizePhone(number);
}

function mailboxIn(text: string): string | null {
  if (!text.includes('@')) return null;
  try {
    return readAddress(text.toLowerCase()).mailbox;
  } catch {
    return null;
  }
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

const DATE_DIGITS = 8;

/** The digits of each date that the text may stand for. */
const datesIn = (text: string): string[] =>
  [text, readCell(text, 'date', 'dmy'), readCell(text, 'date', 'mdy')].map(digitsOf).filter((digits) => digits.length === DATE_DIGITS);

/** The digits of a date as files write it; without a date, none are needed. */
function spellingsOf(date: string | undefined): string[] {
  if (date === undefined) return [''];
  const [year, month, day] = date.split('-') as [string, string, string];
  return [...new Set([year + month + day, day + month + year, month + day + year])];
}

const wordsOf = (name: string): string => foldName(name).words.toSorted().join(' ');
