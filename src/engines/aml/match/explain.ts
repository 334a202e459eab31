/** A match as an answer shows it: the entry, the name that matched, and why. */
import { DAY_MS } from '../../../foundation/time.ts';
import { categories, type EntryType } from '../list.ts';
import type { Explanation, Match, TokenMatch, TokenRelation } from '../screening.ts';
import { type Comparison, RULES } from './compare.ts';
import type { Verdicts } from './evidence.ts';
import { type EntryDetail, type ListIndex, tokenText } from './index.ts';
import type { Pairing } from './pairing.ts';
import type { Token } from './tokens.ts';

export interface Scored {
  row: number;
  entry: number;
  score: number;
  comparison: Comparison;
  verdicts: Verdicts;
  /** Rules that say more than the comparison of the names. */
  further: readonly string[];
}

export const rounded = (score: number): number => Math.round(score * 1000) / 1000;
const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array, from: number, to: number): string => decoder.decode(bytes.slice(from, to));

/** `pairing` holds the pairs of `tokens` and the row. */
export function matchOf(index: ListIndex, type: EntryType, scored: Scored, tokens: readonly Token[], pairing: Pairing): Match {
  const { row, entry } = scored;
  const detail = JSON.parse(textOf(index.detailBytes, index.detailStart[entry]!, index.detailStart[entry + 1]!)) as EntryDetail;
  const { list, version } = index.lists[index.entryList[entry]!]!;
  return {
    list,
    listVersion: version,
    sourceId: detail.id,
    digest: detail.digest,
    type,
    category: categories[index.entryCategory[entry]!]!,
    name: detail.name,
    matchedAlias: textOf(index.textBytes, index.textStart[row]!, index.textStart[row + 1]!),
    score: scored.score,
    explanation: explain(index, scored, tokens, pairing),
    programs: detail.programs,
    listedOn: detail.listedOn,
    endedOn: detail.endedOn,
    url: detail.url,
  };
}

const relations: readonly TokenRelation[] = ['exact', 'folded', 'nickname', 'edit', 'script', 'initial', 'edit'];

function explain(
  index: ListIndex,
  { entry, comparison, verdicts, further }: Scored,
  tokens: readonly Token[],
  pairing: Pairing,
): Explanation {
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
  const births: string[] = [];
  for (let i = index.birthStart[entry]!; i < index.birthStart[entry + 1]!; i++) births.push(birthText(index, i));
  const countries: string[] = [];
  for (let i = index.countryStart[entry]!; i < index.countryStart[entry + 1]!; i++)
    countries.push(String.fromCharCode(index.countries[i]! >> 8, index.countries[i]! & 255));
  const gender = ['', 'male', 'female'][index.entryGender[entry]!]!;
  return {
    tokens: pairs,
    rules: [...rules, ...further],
    name_score: rounded(comparison.score),
    dob: { verdict: verdicts.birth, listed: births, effect: verdicts.birthEffect },
    country: { verdict: verdicts.country, listed: countries, effect: verdicts.countryEffect },
    gender: { verdict: verdicts.gender, listed: gender === '' ? [] : [gender], effect: verdicts.genderEffect },
  };
}

/** `1970-05-31`, `1970`, `1968-01-01 to 1972-12-31`, with `circa` before it if the list says so. */
function birthText(index: ListIndex, birth: number): string {
  const date = (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10);
  const [from, to] = [date(index.birthFrom[birth]!), date(index.birthTo[birth]!)];
  const isYear = from.slice(0, 4) === to.slice(0, 4) && from.endsWith('-01-01') && to.endsWith('-12-31');
  const text = from === to ? from : isYear ? from.slice(0, 4) : `${from} to ${to}`;
  return index.birthCirca[birth] === 1 ? `circa ${text}` : text;
}
