/** Screens one person against an index: candidates, comparison, evidence. For each entry the best name counts. */
import { categories } from '../list.ts';
import type { Explanation, Match, ScreenOptions, Subject, TokenMatch, TokenRelation } from '../screening.ts';
import { Candidates } from './candidates.ts';
import { COMMON_CAP, Comparer, type Comparison, RULES } from './compare.ts';
import { knownOf, type Verdicts, weighEvidence } from './evidence.ts';
import { type EntryDetail, type ListIndex, rowKinds, tokenText } from './index.ts';
import type { Pairing } from './pairing.ts';
import { openSimilar } from './similar.ts';
import { type Token, tokenise } from './tokens.ts';

/** Changes whenever the same input may get a different score. */
export const ENGINE_VERSION = 'confam-aml-5';

/** Cap for a name that the publisher itself calls unreliable. */
const WEAK_CAP = 0.8;
/** Names with a lower score are dropped: births and countries never make a hit. */
const NAME_MIN = 0.6;
const WEAK = rowKinds.indexOf('weak');

export interface Matcher {
  /** Best first. */
  screen(subject: Subject, options: ScreenOptions): Match[];
}

interface Scored {
  row: number;
  entry: number;
  score: number;
  comparison: Comparison;
  verdicts: Verdicts;
  isWeak: boolean;
}

/** One for each thread; the index may be shared. */
export function openMatcher(index: ListIndex): Matcher {
  const findSimilar = openSimilar(index);
  const candidates = new Candidates(index);
  const comparer = new Comparer(index);

  function score(row: number, comparison: Comparison, known: ReturnType<typeof knownOf>): Scored {
    const entry = index.rowEntry[row]!;
    const verdicts = weighEvidence(index, entry, known);
    const fits = verdicts.birth === 'exact' || verdicts.birth === 'within_range';
    const isWeak = index.rowKind[row] === WEAK && !fits && comparison.score > WEAK_CAP;
    const name = isWeak ? (comparison.isCommon ? COMMON_CAP : WEAK_CAP) : comparison.score;
    const total = name + verdicts.birthEffect + verdicts.countryEffect + verdicts.genderEffect;
    return { row, entry, score: rounded(Math.min(1, Math.max(0, total))), comparison, verdicts, isWeak };
  }

  return {
    screen(subject, { threshold, lists }) {
      const tokens = tokenise(subject.name);
      if (tokens.length === 0 || index.rowCount === 0) return [];
      const similar = tokens.map(findSimilar);
      comparer.begin(tokens, similar);
      const known = knownOf(subject);
      const wanted = lists && new Set(lists.map((list) => index.lists.findIndex((one) => one.list === list)));
      const best = new Map<number, Scored>();
      for (const row of candidates.find(tokens, similar)) {
        const entry = index.rowEntry[row]!;
        if (wanted && !wanted.has(index.entryList[entry]!)) continue;
        const comparison = comparer.compare(row);
        if (comparison.score < NAME_MIN) continue;
        const scored = score(row, comparison, known);
        if (scored.score < threshold) continue;
        const before = best.get(entry);
        if (!before || scored.score > before.score || (scored.score === before.score && candidates.isLikelier(row, before.row)))
          best.set(entry, scored);
      }
      return [...best.values()]
        .sort((a, b) => b.score - a.score || a.entry - b.entry)
        .map((scored) => matchOf(index, scored, tokens, comparer));
    },
  };
}

const rounded = (score: number): number => Math.round(score * 1000) / 1000;
const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array, from: number, to: number): string => decoder.decode(bytes.slice(from, to));

function matchOf(index: ListIndex, scored: Scored, tokens: Token[], comparer: Comparer): Match {
  const { row, entry } = scored;
  const detail = JSON.parse(textOf(index.detailBytes, index.detailStart[entry]!, index.detailStart[entry + 1]!)) as EntryDetail;
  const { list, version } = index.lists[index.entryList[entry]!]!;
  comparer.compare(row);
  return {
    list,
    listVersion: version,
    sourceId: detail.id,
    digest: detail.digest,
    category: categories[index.entryCategory[entry]!]!,
    name: detail.name,
    matchedAlias: textOf(index.textBytes, index.textStart[row]!, index.textStart[row + 1]!),
    score: scored.score,
    explanation: explain(index, scored, tokens, comparer.pairing),
    programs: detail.programs,
    listedOn: detail.listedOn,
    endedOn: detail.endedOn,
    url: detail.url,
  };
}

const relations: readonly TokenRelation[] = ['exact', 'folded', 'nickname', 'edit', 'script', 'initial', 'edit'];

/** Explains the row that was paired last. */
function explain(index: ListIndex, { entry, comparison, verdicts, isWeak }: Scored, tokens: Token[], pairing: Pairing): Explanation {
  const listed = pairing.listedTokens().map((token) => tokenText(index, token));
  const pairs: TokenMatch[] = [];
  for (const [q, { text }] of tokens.entries()) {
    const l = pairing.answeredBy[q]!;
    if (l >= 0)
      pairs.push({ query: text, listed: listed[l]!, how: relations[pairing.how[q]!]!, similarity: rounded(pairing.similarity[q]!) });
    else if (l === -1) pairs.push({ query: text, listed: null, how: 'unmatched', similarity: 0 });
  }
  for (const joint of pairing.joints)
    pairs.push({
      query: joint.query.map((q) => tokens[q]!.text).join(' '),
      listed: joint.listed.map((l) => listed[l]!).join(' '),
      how: 'joined',
      similarity: rounded(joint.similarity),
    });
  for (const [l, text] of listed.entries())
    if (pairing.answers[l] === -1) pairs.push({ query: null, listed: text, how: 'unmatched', similarity: 0 });
  const rules = Object.entries(RULES).flatMap(([name, bit]) => (comparison.rules & bit ? [name] : []));
  if (isWeak) rules.push('weak_alias');
  const births: string[] = [];
  for (let i = index.birthStart[entry]!; i < index.birthStart[entry + 1]!; i++) births.push(birthText(index, i));
  const countries: string[] = [];
  for (let i = index.countryStart[entry]!; i < index.countryStart[entry + 1]!; i++)
    countries.push(String.fromCharCode(index.countries[i]! >> 8, index.countries[i]! & 255));
  const gender = ['', 'male', 'female'][index.entryGender[entry]!]!;
  return {
    tokens: pairs,
    rules,
    name_score: rounded(comparison.score),
    dob: { verdict: verdicts.birth, listed: births, effect: verdicts.birthEffect },
    country: { verdict: verdicts.country, listed: countries, effect: verdicts.countryEffect },
    gender: { verdict: verdicts.gender, listed: gender === '' ? [] : [gender], effect: verdicts.genderEffect },
  };
}

/** `1970-05-31`, `1970`, `1968-01-01 to 1972-12-31`, with `circa` before it if the list says so. */
function birthText(index: ListIndex, birth: number): string {
  const date = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10);
  const [from, to] = [date(index.birthFrom[birth]!), date(index.birthTo[birth]!)];
  const isYear = from.slice(0, 4) === to.slice(0, 4) && from.endsWith('-01-01') && to.endsWith('-12-31');
  const text = from === to ? from : isYear ? from.slice(0, 4) : `${from} to ${to}`;
  return index.birthCirca[birth] === 1 ? `circa ${text}` : text;
}
