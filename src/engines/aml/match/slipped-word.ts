/** Pairs a word that has two slips with the one listed word left over, if all other names agree. */
import { slippedSimilarity } from './distance.ts';
import { formGroups } from './form-groups.ts';
import { findFold, flagsIn, type ListIndex, tokenText } from './index.ts';
import { isName, strangeness } from './known.ts';
import { EDIT, EXACT, FOLDED, type Pairing, VARIANT } from './pairing.ts';
import { SERVANT_PREFIX } from './tables.ts';
import { tellingOf } from './tally.ts';
import { ABJAD, EDGE, HAN, HANGUL, INITIAL, PARTICLE, SOFT, SYLLABIC } from './tokens.ts';

/** How many other names must agree, and the points (`tally.ts`) that they need together. */
const NAMES_MIN = 2;
const POINTS_MIN = 5;
const NO_SLIP = PARTICLE | INITIAL | SOFT | EDGE | ABJAD | HAN | HANGUL | SYLLABIC;
/** The least similarity of the other names: none of them may have a slip as well. */
const AGREES = Math.fround(0.95);

/** `Tobenna Dankwambo Zndti` is `Tobenna Dankwambo Zandit`, although `Zndti` by itself would be a different name. */
export function pairSlippedWord(pairing: Pairing): void {
  const { tokens, index } = pairing;
  if (tokens.length <= NAMES_MIN || pairing.listedCount <= NAMES_MIN) return;
  const q = onlyOpen(pairing.answeredBy, tokens.length, (at) => tokens[at]!.flags);
  if (q === -1) return;
  const l = onlyOpen(pairing.answers, pairing.listedCount, (at) => flagsIn(pairing.listedFacts[at]!));
  if (l === -1 || !doOthersAgree(pairing, q)) return;
  const { text, folded, flags, written } = tokens[q]!;
  if ((flags | flagsIn(pairing.listedFacts[l]!)) & NO_SLIP) return;
  const listed = tokenText(index, pairing.listedToken[l]!);
  const isServant = written > 1 || listed.startsWith(SERVANT_PREFIX);
  if (isServant && !(text.startsWith(SERVANT_PREFIX) && listed.startsWith(SERVANT_PREFIX))) return;
  const from = isServant ? SERVANT_PREFIX.length : 0;
  const similarity = slippedSimilarity(text.slice(from), listed.slice(from));
  if (similarity === 0 || isMeant(folded, index) || strangeness(text, listed) !== 'no') return;
  pairing.answeredBy[q] = l;
  pairing.answers[l] = q;
  pairing.similarity[q] = similarity;
  pairing.how[q] = EDIT;
}

/** Whether the word is a name of its own: in the tables, or on a loaded list. Such a word is not a slip. */
const isMeant = (folded: string, index: ListIndex): boolean =>
  isName(folded) || formGroups(folded).length > 0 || findFold(index, folded) !== -1;

/** The position of the one word without a partner. Particles do not count. -1: there is none, or more than one. */
function onlyOpen(partner: Int8Array, length: number, flagsOf: (at: number) => number): number {
  let open = -1;
  for (let at = 0; at < length; at++) {
    if (partner[at] !== -1 || flagsOf(at) & PARTICLE) continue;
    if (open !== -1) return -1;
    open = at;
  }
  return open;
}

function doOthersAgree({ tokens, answeredBy, similarity, how, joints }: Pairing, slipped: number): boolean {
  if (joints.length > 0) return false;
  let names = 0;
  let points = 0;
  for (let q = 0; q < tokens.length; q++) {
    const { flags } = tokens[q]!;
    if (q === slipped || answeredBy[q] === -1 || flags & (PARTICLE | EDGE)) continue;
    if (flags & INITIAL || similarity[q]! < AGREES) return false;
    if (how[q] !== EXACT && how[q] !== FOLDED && how[q] !== VARIANT) return false;
    names++;
    points += tellingOf(flags);
  }
  return names >= NAMES_MIN && points >= POINTS_MIN;
}
