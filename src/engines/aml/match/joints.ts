/** Matches leftover words with words that the other side writes together or apart. A joint is a group of words that matches as one. */
import { wordSimilarity } from './distance.ts';
import { fold } from './fold.ts';
import { firstIn, flagsIn, lengthIn, tokenText } from './index.ts';
import { areReadAlike, type Pairing, SYLLABLES } from './pairing.ts';
import { type ApartWord, alikeInParts } from './parts.ts';
import { EDGE, HANGUL, INITIAL, KNOWN, PARTICLE, SOFT } from './tokens.ts';
import { nasabBehind } from './words.ts';

const JOINED_MIN = 0.84;
const JOINED_LENGTH_MIN = 4;
/** Both sides of a joint start with the same letter and have about the same length. */
const JOINED_LENGTH_SLACK = 2;
/** The same, if either side has a word from a script without vowels. */
const MUTE_LENGTH_SLACK = 6;
/** Most neighbours that match one word of the other side. */
const SPAN_MAX = 3;
/** A word that matches this well by itself is not tried as half of a joint. */
const HALF_MAX = 0.93;
/** How much better a joint must match than one of its words alone. */
const JOINED_GAIN = 0.05;
const JOINED_SIMILARITY = 0.97;
/** Shorter names without spaces are like many words. */
const WHOLE_LENGTH_MIN = 8;
const WHOLE_MIN = 0.9;
const NO_PARTS = INITIAL | EDGE | PARTICLE | SOFT;

/** Tries to match leftover words with words that the other side writes together. */
export function join(pairing: Pairing): void {
  const { tokens, listedCount } = pairing;
  if (openIn(pairing.answeredBy, tokens.length) === 0 && openIn(pairing.answers, listedCount) === 0) return;
  joinHalves(pairing);
  if (tokens.length === 1 || listedCount === 1) joinWhole(pairing);
  if (openIn(pairing.answeredBy, tokens.length) === 0 || openIn(pairing.answers, listedCount) === 0) return;
  for (let q = 0; q < tokens.length; q++)
    if (pairing.answeredBy[q] === -1 && tokens[q]!.text.length >= JOINED_LENGTH_MIN) joinSpan(pairing, q, 'query');
  for (let l = 0; l < listedCount; l++)
    if (pairing.answers[l] === -1 && lengthIn(pairing.listedFacts[l]!) >= JOINED_LENGTH_MIN) joinSpan(pairing, l, 'listed');
  if (openIn(pairing.answeredBy, tokens.length) > 1 && openIn(pairing.answers, listedCount) > 1)
    pairJoint(pairing, openOf(pairing.answeredBy, tokens.length), openOf(pairing.answers, listedCount), JOINED_MIN);
}

/** False only if no word of a name can join with neighbours of the other side, however the words are paired. */
export function mayJoinSpan(pairing: Pairing): boolean {
  const { tokens, listedCount, listedFacts } = pairing;
  const slack = slackOf(pairing);
  for (let q = 0; q < tokens.length; q++) {
    for (let l = 0; l < listedCount; l++) {
      if (!beginAlike(pairing, q, l)) continue;
      const apart = tokens[q]!.text.length - lengthIn(listedFacts[l]!);
      for (let more = 0, i = 1; i < SPAN_MAX && l + i < listedCount; i++) {
        more += lengthIn(listedFacts[l + i]!);
        if (Math.abs(apart - more) <= slack) return true;
      }
      for (let more = 0, i = 1; i < SPAN_MAX && q + i < tokens.length; i++) {
        more += tokens[q + i]!.text.length;
        if (Math.abs(apart + more) <= slack) return true;
      }
    }
  }
  return false;
}

/** False only if the words at these places, given as bits, cannot be one joint. There is at least one on either side. */
export function mayJoinAll(pairing: Pairing, query: number, listed: number): boolean {
  let apart = 0;
  for (let q = 0; q < pairing.tokens.length; q++) if (query & (1 << q)) apart += pairing.tokens[q]!.text.length;
  for (let l = 0; l < pairing.listedCount; l++) if (listed & (1 << l)) apart -= lengthIn(pairing.listedFacts[l]!);
  return Math.abs(apart) <= slackOf(pairing) && beginAlike(pairing, lowestBit(query), lowestBit(listed));
}

const slackOf = ({ isMute }: Pairing): number => (isMute ? MUTE_LENGTH_SLACK : JOINED_LENGTH_SLACK);

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** The submitted name, or the row that it is compared with. */
type Side = 'query' | 'listed';

/** Tries to match the word `one` of this side with two or three leftover neighbours of the other. */
function joinSpan(pairing: Pairing, one: number, side: Side): void {
  const isQuery = side === 'query';
  const other = isQuery ? 'listed' : 'query';
  const length = isQuery ? pairing.listedCount : pairing.tokens.length;
  for (let from = 0; from + 1 < length; from++) {
    if (!isFree(pairing, from, other) || !isFree(pairing, from + 1, other)) continue;
    if (!(isQuery ? beginAlike(pairing, one, from) : beginAlike(pairing, from, one))) continue;
    const spans = [[from, from + 1]];
    if (from + 2 < length && isFree(pairing, from + 2, other)) spans.push([from, from + 1, from + 2]);
    for (const span of spans)
      if (isQuery ? pairJoint(pairing, [one], span, JOINED_MIN) : pairJoint(pairing, span, [one], JOINED_MIN)) return;
  }
}

/** Whether a word of this side may still become part of a joint. A paired particle may, because its partner may belong to another name. */
function isFree({ answers, answeredBy, listedFacts, tokens }: Pairing, at: number, side: Side): boolean {
  const partner = side === 'listed' ? answers[at]! : answeredBy[at]!;
  return partner === -1 || (partner >= 0 && ((side === 'listed' ? flagsIn(listedFacts[at]!) : tokens[at]!.flags) & PARTICLE) !== 0);
}

function beginAlike({ tokens, listedFacts }: Pairing, q: number, l: number): boolean {
  const { text, flags } = tokens[q]!;
  const facts = listedFacts[l]!;
  const [sent, listed] = [text.charCodeAt(0), firstIn(facts)];
  if (sent === listed || areOfFather(sent, listed) || areSyllabic(flags, flagsIn(facts))) return true;
  // `Eltigani` and `al-Tijani`, `Laouar` and `al-Awar`, `Benali` and `ibn Ali`.
  return (isWrittenTogether(sent, listed) && isParticle(flagsIn(facts))) || (isWrittenTogether(listed, sent) && isParticle(flags));
}

const isWrittenTogether = (one: number, particle: number): boolean =>
  (particle === A && (one === E || one === L)) || (particle === I && one === B);
const isParticle = (flags: number): boolean => (flags & (PARTICLE | EDGE)) !== 0;

const [A, B, E, I, L] = ['a', 'b', 'e', 'i', 'l'].map((letter) => letter.charCodeAt(0)) as [number, number, number, number, number];
const areOfFather = (one: number, other: number): boolean => (one === A && other === B) || (one === B && other === A);
/** `Abu Hafs` as it is written together in the Maghreb: `Bouhafs`. */
const withoutFather = (text: string): string => text.replace(/^abo?u(?=.{3})/, 'bou');

/** A whole name without its spaces, in either order of its words. */
function joinWhole(pairing: Pairing): void {
  const { tokens, listedCount, index, answers, answeredBy } = pairing;
  if (tokens.length === listedCount) return;
  const isQuery = tokens.length === 1;
  // A word that is not a name by itself is not part of a name either.
  for (const { flags } of tokens) if (flags & NO_PARTS) return;
  for (let l = 0; l < listedCount; l++) if (flagsIn(pairing.listedFacts[l]!) & NO_PARTS) return;
  const apart = isQuery
    ? Array.from({ length: listedCount }, (_, l) => tokenText(index, pairing.listedToken[l]!))
    : tokens.map(({ text }) => text);
  const one = isQuery ? tokens[0]!.text : tokenText(index, pairing.listedToken[0]!);
  if (one.length < WHOLE_LENGTH_MIN || Math.abs(apart.reduce((sum, { length }) => sum + length, 0) - one.length) > JOINED_LENGTH_SLACK)
    return;
  let best = 0;
  for (let from = 0; from < apart.length; from++)
    best = Math.max(best, wordSimilarity(fold(one), fold([...apart.slice(from), ...apart.slice(0, from)].join(''))));
  if (best < WHOLE_MIN) return;
  answeredBy.fill(-2, 0, tokens.length);
  answers.fill(-2, 0, listedCount);
  const places = (count: number) => Array.from({ length: count }, (_, i) => i);
  pairing.joints.push({ query: places(tokens.length), listed: places(listedCount), similarity: best * JOINED_SIMILARITY });
}

/** `Minho` resembles `Min`, but `Min Ho` matches it better. */
function joinHalves(pairing: Pairing): void {
  for (let q = 0; q < pairing.tokens.length; q++) {
    const l = pairing.answeredBy[q]!;
    const similarity = pairing.similarity[q]!;
    if (l < 0 || similarity >= HALF_MAX) continue;
    // With the word behind, then with the word before.
    for (let from = 0; from >= -1; from--) {
      const to = from + 1;
      const isListed = isOpen(pairing.answers, l + from, l + to, l, pairing.listedCount);
      if (isListed && pairJoint(pairing, [q], [l + from, l + to], similarity + JOINED_GAIN)) break;
      const isQuery = isOpen(pairing.answeredBy, q + from, q + to, q, pairing.tokens.length);
      if (isQuery && pairJoint(pairing, [q + from, q + to], [l], similarity + JOINED_GAIN)) break;
    }
  }
}

/** Whether the words at `query` and those at `places` are the same, divided differently. Records them as a joint. */
function pairJoint(pairing: Pairing, query: number[], places: number[], least: number): boolean {
  const { tokens, index } = pairing;
  if (!beginAlike(pairing, query[0]!, places[0]!)) return false;
  let length = 0;
  for (const q of query) length += tokens[q]!.text.length;
  for (const l of places) length -= lengthIn(pairing.listedFacts[l]!);
  if (Math.abs(length) > slackOf(pairing)) return false;
  // Nor does a word end in a particle that stands before the next one (`Amin al-Sayyid` is not `Amina`).
  if (query.length > 1 && isBefore(tokens[query.at(-1)!]!.flags, tokens[query.at(-1)!]!.text)) return false;
  if (places.length > 1 && isBefore(flagsIn(pairing.listedFacts[places.at(-1)!]!), tokenText(index, pairing.listedToken[places.at(-1)!]!)))
    return false;
  // An initial is never a letter of its neighbour.
  if (query.length > 1 && query.some((q) => tokens[q]!.flags & INITIAL)) return false;
  if (places.length > 1 && places.some((l) => flagsIn(pairing.listedFacts[l]!) & INITIAL)) return false;
  let sent = '';
  for (const q of query) sent += tokens[q]!.text;
  let listed = '';
  for (const l of places) listed += tokenText(index, pairing.listedToken[l]!);
  const isOfFather = areOfFather(sent.charCodeAt(0), listed.charCodeAt(0));
  if (isOfFather) [sent, listed] = [withoutFather(sent), withoutFather(listed)];
  const areSyllables = isSyllabic(pairing, query, places);
  const inLetters = areSyllables ? alikeInSyllables(sent, listed, ...flagsOf(pairing, query, places)) : alikeInLetters(sent, listed);
  const inParts = areSyllables || inLetters === 1 ? 0 : partsAlike(pairing, query, places);
  const similarity = Math.max(inParts, inLetters);
  if (similarity < least) return false;
  if (inParts === 0 && similarity < 1 && (isOfFather ? !/^bo?u/.test(sent) || !/^bo?u/.test(listed) : areNames(pairing, query, places)))
    return false;
  for (const q of query) {
    if (pairing.answeredBy[q]! >= 0) pairing.answers[pairing.answeredBy[q]!] = -1;
    pairing.answeredBy[q] = -2;
  }
  for (const l of places) {
    if (pairing.answers[l]! >= 0) pairing.answeredBy[pairing.answers[l]!] = -1;
    pairing.answers[l] = -2;
  }
  pairing.joints.push({ query, listed: places, similarity: similarity * JOINED_SIMILARITY });
  return true;
}

/** Whether a word is a particle that belongs to the name after it. */
const isBefore = (flags: number, text: string): boolean => (flags & PARTICLE) !== 0 && !nasabBehind.has(text);

function partsAlike(pairing: Pairing, query: number[], places: number[]): number {
  const { tokens, index, listedToken, listedFacts } = pairing;
  const mayDiffer = !areNames(pairing, query, places);
  const sent = query.map((q): ApartWord => tokens[q]!);
  const listed = places.map((l): ApartWord => ({ text: tokenText(index, listedToken[l]!), flags: flagsIn(listedFacts[l]!) }));
  if (sent.length === 1) return alikeInParts(sent[0]!, listed, mayDiffer);
  return listed.length === 1 ? alikeInParts(listed[0]!, sent, mayDiffer) : 0;
}

/** The words sent are known names: whoever writes them means them, so they are no slip for what the listed name joins (`Habiba Sule`, `Habibullah`). */
function areNames({ tokens, listedFacts }: Pairing, query: number[], places: number[]): boolean {
  if (flagsIn(listedFacts[places[0]!]!) & NO_KNOWN_NAMES) return false;
  return query.every((q) => tokens[q]!.flags & KNOWN && !(tokens[q]!.flags & NO_KNOWN_NAMES));
}
const NO_KNOWN_NAMES = SYLLABLES | HANGUL;

const isSyllabic = (pairing: Pairing, query: number[], places: number[]): boolean => areSyllabic(...flagsOf(pairing, query, places));

/** Flags of the first word on either side, which tell what kind of name it is. */
const flagsOf = ({ tokens, listedFacts }: Pairing, query: number[], places: number[]): [number, number] => [
  tokens[query[0]!]!.flags,
  flagsIn(listedFacts[places[0]!]!),
];

const areSyllabic = (sentFlags: number, listedFlags: number): boolean => (sentFlags & SYLLABLES) !== 0 && (listedFlags & SYLLABLES) !== 0;

const alikeInLetters = (sent: string, listed: string): number => (sent[0] === listed[0] ? wordSimilarity(fold(sent), fold(listed)) : 0);

/** The same syllables, in one romanization or two; another syllable is another name. */
const READ_SIMILARITY = 0.95;
const alikeInSyllables = (sent: string, listed: string, sentFlags: number, listedFlags: number): number =>
  fold(sent) === fold(listed) ? 1 : areReadAlike(sent, listed, sentFlags, listedFlags) ? READ_SIMILARITY : 0;

function openIn(partner: Int8Array, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) if (partner[i] === -1) count++;
  return count;
}

function openOf(partner: Int8Array, length: number): number[] {
  const open: number[] = [];
  for (let i = 0; i < length; i++) if (partner[i] === -1) open.push(i);
  return open;
}

/** Whether the neighbour of `known`, which is paired, is still unpaired. */
const isOpen = (partner: Int8Array, from: number, to: number, known: number, length: number): boolean =>
  from >= 0 && to < length && partner[from === known ? to : from] === -1;
