/** The last stage of an erasure: what belongs to no job and is found by its hash. Answers of registries, kept answers, portraits; also `erase-screened.ts`. */
import { mayHaveShared } from '../access/apps.ts';
import { forgetAnswersNaming } from '../access/idempotency.ts';
import type { Identifier } from '../contract/subjects.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import { type DataSubjects, type Matches, matchAnswer, valuesOfAnswer } from './data-subjects.ts';
import { count, type ErasureRow, type StepGroup } from './erasure-group.ts';

interface Cached {
  key: Buffer;
  /** Null unless it is about an email address. */
  subject: Buffer | null;
}

/** Answers of registries, in the cache or still to come. */
export async function eraseCached(tx: Tx, { erasures, people, held }: StepGroup): Promise<void> {
  const { appId } = erasures[0]!;
  const isShared = await mayHaveShared(tx, appId);
  const keysOf = ({ cached }: PersonMarks): string[] => [...cached.app, ...(isShared ? cached.deployment : [])];
  const heldKeys = new Set(held ? keysOf(held.marks) : []);
  const asked = new Map<string, ErasureRow>();
  for (const [at, { marks }] of people.entries())
    for (const key of keysOf(marks)) if (!heldKeys.has(key) && !asked.has(key)) asked.set(key, erasures[at]!);
  const inBytes = (some: Iterable<string>) => tx`${byteaArray([...some].map((one) => Buffer.from(one, 'base64')))}::bytea[]`;
  const [sought, kept] = [inBytes(asked.keys()), inBytes(heldKeys)];
  const isSought = tx`(key = any(${sought}) or subject = any(${sought})) and key <> all(${kept}) and (subject is null or subject <> all(${kept}))`;
  const askedBy = ({ key, subject }: Cached): ErasureRow => (asked.get(key.toString('base64')) ?? asked.get(subject!.toString('base64')))!;
  for (const row of await tx<Cached[]>`delete from cache_records where ${isSought} returning key, subject`)
    count(askedBy(row), 'cached_answers', 1);
  // Kept if another app's job is waiting for it: otherwise the vendor's answer would reach nobody.
  const isOthers = tx`exists (select 1 from jobs j where j.id = pending_lookups.job_id and j.app_id <> ${appId})`;
  for (const row of await tx<Cached[]>`delete from pending_lookups where ${isSought} and not ${isOthers} returning key, subject`)
    count(askedBy(row), 'pending_answers', 1);
}

/** Answers kept for an Idempotency-Key that name one of these people. Returns the place from which to continue, or null. */
export async function eraseKeptAnswers(
  { cipher }: Context,
  tx: Tx,
  { erasures, people, dataSubjects, isLong }: StepGroup,
  place: string | null,
): Promise<string | null> {
  const { appId, live } = erasures[0]!;
  const texts = people.map(({ identifiers }) => identifiers?.map((one) => ({ text: literally(one), isName: one.type === 'person' })));
  const quick: DataSubjects = { ...dataSubjects, matchName: remembering(dataSubjects.matchName) };
  const isAboutThem = (body: string): boolean => {
    const text = body.toLowerCase();
    // Inside a longer text, only the spelling in the request is found; as a whole value, any spelling is.
    const named = texts.findIndex((some) => some?.some((one) => text.includes(one.text) && (!one.isName || standsIn(text, one.text))));
    const [at = texts.indexOf(undefined)] = named === -1 ? matchAnswer(quick, body) : [named];
    // After a restore the identifiers are not known, only hashes of them. Answers are kept for a day, so losing all of them costs little.
    const erasure = erasures[at];
    if (erasure) count(erasure, 'kept_answers', 1);
    return erasure !== undefined;
  };
  return forgetAnswersNaming(tx, cipher, { appId, live }, isAboutThem, { place, isLong });
}

const REMEMBERED_MAX = 5_000;
const REMEMBERED_LENGTH_MAX = 100;

/** Answers share most of their words, and checking an answer's words for names takes longer than decrypting it. */
function remembering(matchName: DataSubjects['matchName']): DataSubjects['matchName'] {
  const known = new Map<string, Matches>();
  return (text) => {
    const matches = known.get(text) ?? matchName(text);
    if (text.length <= REMEMBERED_LENGTH_MAX && known.size < REMEMBERED_MAX) known.set(text, matches);
    return matches;
  };
}

/** The lower-case text to look for within longer texts: of a phone number, the digits after the country code or the zero. */
const literally = (identifier: Identifier): string =>
  identifier.type === 'person'
    ? identifier.name.toLowerCase()
    : identifier.type === 'phone'
      ? identifier.value.replace(/^\+234/, '')
      : identifier.value.toLowerCase();

/** Whether an answer has the name as whole words: not within others (`Ali` in `invalid`), nor in our own (`Eta` in `eta_seconds`). Both in lower case. */
function standsIn(answer: string, name: string): boolean {
  return valuesOfAnswer(answer).some(([value]) => typeof value === 'string' && hasWords(value, name));
}

const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}_]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{M}\p{N}_]/u;

function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1))
    if (
      !ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at)) &&
      !BEGINS_WITH_WORD.test(text.slice(at + words.length, at + words.length + 2))
    )
      return true;
  return false;
}

export async function erasePortraits(tx: Tx, { erasures, people, held }: StepGroup): Promise<void> {
  const heldSubjects = new Set(held?.marks.portraits.map(({ subject }) => subject));
  for (const [at, { marks }] of people.entries())
    for (const { type, subject } of marks.portraits) {
      if (heldSubjects.has(subject)) continue;
      const { appId, askedAt } = erasures[at]!;
      const gone = await tx`
        delete from sandbox_portraits
        where app_id = ${appId} and id_type = ${type} and subject = decode(${subject}, 'hex') and enrolled_at <= ${askedAt}::text::timestamptz`;
      count(erasures[at]!, 'portraits', gone.count);
    }
}
