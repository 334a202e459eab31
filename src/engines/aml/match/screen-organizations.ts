/**
 * Screens one organization: by its name, by the acronym that its name may have on a list, and by its registration number. For each entry the best of them
 * counts.
 */
import { plainRegistration } from '../list.ts';
import type { Matcher, Subject } from '../screening.ts';
import { Candidates } from './candidates.ts';
import { type Comparison, RULES } from './compare.ts';
import { knownOf, weighEvidence } from './evidence.ts';
import { matchOf, rounded, type Scored } from './explain.ts';
import { findFold, type ListIndex, ROW_WORD, rowKinds, tokenText } from './index.ts';
import { OrganizationComparer } from './organization-compare.ts';
import {
  acronymsOf,
  readingsOf,
  registrationToken,
  surelyTelling,
  tellingOf,
  tokenizeOrganization,
  wordToken,
} from './organization-tokens.ts';
import { openSimilar } from './similar.ts';
import type { SimilarFolds } from './similar-folds.ts';
import type { Token } from './tokens.ts';

/** Words that most names share find nothing. */
const POSTINGS_MAX = 3_000;
const WEAK_CAP = 0.8;
const NAME_MIN = 0.6;
/** Initials may stand for another name, and four of them do so often: a hit only if the country agrees too. */
const ACRONYM_CAP = 0.78;
const SHORT_ACRONYM_CAP = 0.74;
const SHORT_ACRONYM = 4;
/** Score of a number that agrees, whatever the names are; and where they are alike too. */
const NUMBER_SCORE = 0.8;
const NUMBER_AND_NAME_SCORE = 0.95;
const ALIKE_MIN = 0.5;
/** Shorter numbers repeat from registry to registry: they support a name, but find none. */
const NUMBER_LENGTH_MIN = 7;
/** Readings of a name with brackets: with them, without them, what they hold. */
const READINGS_MAX = 3;
/** A word that tells less may be missing. */
const TELLING = 0.5;
/** Rows read for one word that stands for a whole name. */
const WORD_ROWS_MAX = 500;

const WEAK = rowKinds.indexOf('weak');
const ACRONYM = rowKinds.indexOf('acronym');
const REGISTRATION = rowKinds.indexOf('registration');

/** One way to search: the words of the name, or a single word that stands for it. */
interface Question {
  tokens: Token[];
  similar: SimilarFolds[];
}

/** A row whose name was compared. */
interface Named {
  question: Question;
  row: number;
  comparison: Comparison;
}

/** A listed entry, what is known about the subject, and whether both have the same registration number. */
interface About {
  entry: number;
  known: ReturnType<typeof knownOf>;
  hasNumber: boolean;
}

type Found = Scored & { question: Question };

export interface OrganizationMatcher extends Matcher {
  /** Whether a listed name has every telling word of this one, as written or as it sounds. Far quicker than a screening. */
  hasWordsOf(name: string): boolean;
}

export function openOrganizationMatcher(index: ListIndex): OrganizationMatcher {
  const findSimilar = openSimilar(index, { isPersonal: false });
  const candidates = new Candidates(index, POSTINGS_MAX);
  const comparer = new OrganizationComparer(index);
  const asked = (tokens: Token[]): Question => ({ tokens, similar: tokens.map(findSimilar) });

  function* searchFor(name: string): Generator<Named> {
    const whole = asked(tokenizeOrganization(name));
    if (whole.tokens.length === 0) return;
    comparer.begin(whole.tokens, whole.similar);
    for (const row of [...candidates.find(whole.tokens, whole.similar)]) {
      if (index.rowKind[row] === REGISTRATION) continue;
      const isAcronym = index.rowKind[row] === ACRONYM;
      // Only a name that is nothing but the acronym, to the letter.
      if (isAcronym && whole.tokens.length > 1) continue;
      const comparison = comparer.compare(row);
      if (isAcronym && comparison.score < 1) continue;
      yield { question: whole, row, comparison: isAcronym ? asAcronym(comparison, whole.tokens[0]!.text) : comparison };
    }
    for (const acronym of acronymsOf(name)) {
      const token = wordToken(acronym);
      const rows = rowsOf(index, token).filter(
        (row) => tokenText(index, index.rowWords[index.rowWordStart[row]! * ROW_WORD]!) === acronym && index.rowKind[row] !== ACRONYM,
      );
      if (rows.length === 0) continue;
      const question = asked([token]);
      comparer.begin(question.tokens, question.similar);
      for (const row of rows) yield { question, row, comparison: asAcronym(comparer.compare(row), acronym) };
    }
  }

  return {
    hasWordsOf: (name) => hasWordsOf(index, name),
    screen(subject, { threshold, lists }) {
      if (index.rowCount === 0) return [];
      const known = knownOf(subject);
      const wanted = lists && new Set(lists.map((list) => index.lists.findIndex((one) => one.list === list)));
      const isWanted = (entry: number) => !wanted || wanted.has(index.entryList[entry]!);
      const registered = registeredAs(index, subject);
      const best = new Map<number, Found>();
      const offer = (found: Found) => {
        if (found.score < threshold || found.score <= (best.get(found.entry)?.score ?? Number.NEGATIVE_INFINITY)) return;
        best.set(found.entry, found);
      };
      for (const name of readingsOf(subject.name).slice(0, READINGS_MAX))
        for (const named of searchFor(name)) {
          const entry = index.rowEntry[named.row]!;
          const found = isWanted(entry) && foundByName(index, named, { entry, known, hasNumber: registered.has(entry) });
          if (found) offer(found);
        }
      const number = plainRegistration(subject.registration ?? '');
      if (registered.size > 0 && number.length >= NUMBER_LENGTH_MIN && threshold <= NUMBER_SCORE) {
        const question = asked([registrationToken(number)]);
        for (const [entry, row] of registered) {
          if (best.has(entry) || !isWanted(entry)) continue;
          const found = foundByNumber(index, { question, row }, { entry, known });
          if (found) best.set(entry, found);
        }
      }
      return [...best.values()]
        .sort((a, b) => b.score - a.score || a.entry - b.entry)
        .map((found) => {
          comparer.begin(found.question.tokens, found.question.similar);
          comparer.compare(found.row);
          return matchOf(index, 'organization', found, found.question.tokens, comparer.pairing);
        });
    },
  };
}

/** Rows whose only word is exactly this one. */
function rowsOf(index: ListIndex, token: Token): number[] {
  const fold = findFold(index, token.folded);
  if (fold === -1) return [];
  const rows = index.postings.subarray(
    index.postingStart[fold]!,
    Math.min(index.postingStart[fold + 1]!, index.postingStart[fold]! + WORD_ROWS_MAX),
  );
  return [...rows].filter((row) => index.rowWordStart[row + 1]! - index.rowWordStart[row]! === 1);
}

function hasWordsOf(index: ListIndex, name: string): boolean {
  if (index.rowCount === 0) return false;
  for (const folded of surelyTelling(name, TELLING)) if (findFold(index, folded) === -1) return false;
  const telling = tokenizeOrganization(name).filter(({ flags }) => tellingOf(flags) >= TELLING);
  const folds = telling.map(({ folded }) => findFold(index, folded));
  if (folds.length === 0 || folds.includes(-1)) return folds.length === 0;
  const rowsWith = (fold: number) => index.postings.subarray(index.postingStart[fold]!, index.postingStart[fold + 1]!);
  const [rarest] = folds.toSorted((a, b) => rowsWith(a).length - rowsWith(b).length);
  return rowsWith(rarest!).some((row) => folds.every((fold) => hasWord(index, row, fold)));
}

function hasWord(index: ListIndex, row: number, fold: number): boolean {
  for (let i = index.rowWordStart[row]!; i < index.rowWordStart[row + 1]!; i++) if (index.rowWords[i * ROW_WORD + 1] === fold) return true;
  return false;
}

/** Entries with the subject's number. */
function registeredAs(index: ListIndex, { registration }: Subject): Map<number, number> {
  const number = plainRegistration(registration ?? '');
  const rows = number === '' ? [] : rowsOf(index, registrationToken(number)).filter((row) => index.rowKind[row] === REGISTRATION);
  return new Map(rows.map((row) => [index.rowEntry[row]!, row]));
}

/** Null if the names are too different. */
function foundByName(index: ListIndex, { question, row, comparison }: Named, { entry, known, hasNumber }: About): Found | null {
  if (comparison.score < (hasNumber ? ALIKE_MIN : NAME_MIN)) return null;
  const verdicts = weighEvidence(index, entry, known);
  const isWeak = index.rowKind[row] === WEAK && comparison.score > WEAK_CAP;
  const name = isWeak ? WEAK_CAP : comparison.score;
  // The number tells more than the country.
  if (hasNumber) verdicts.countryEffect = 0;
  const total = (hasNumber ? Math.max(name, NUMBER_AND_NAME_SCORE) : name) + verdicts.countryEffect;
  const further = [...(isWeak ? ['weak_alias'] : []), ...(hasNumber ? ['registration_number'] : [])];
  return { row, entry, score: rounded(Math.min(1, Math.max(0, total))), comparison, verdicts, further, question };
}

/** Whatever its name is; null if it is of another country. */
function foundByNumber(
  index: ListIndex,
  { question, row }: Omit<Named, 'comparison'>,
  { entry, known }: Omit<About, 'hasNumber'>,
): Found | null {
  const verdicts = { ...weighEvidence(index, entry, known), countryEffect: 0 };
  if (verdicts.country === 'different') return null;
  const comparison = { score: 0, rules: 0, isCommon: false, needsBirth: false };
  return { row, entry, score: NUMBER_SCORE, comparison, verdicts, further: ['registration_number'], question };
}

const asAcronym = ({ score, rules, ...comparison }: Comparison, acronym: string): Comparison => ({
  ...comparison,
  score: Math.min(score, acronym.length > SHORT_ACRONYM ? ACRONYM_CAP : SHORT_ACRONYM_CAP),
  rules: rules | RULES.acronym,
});
