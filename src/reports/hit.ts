/** One hit of a screening: the listing, how each word of its name matched, and the evidence for and against it. */
import type { ScreeningHit } from '../checks/screening.ts';
import type { Category } from '../engines/aml/list.ts';
import type { Agreement, BirthVerdict, Evidence, TokenRelation } from '../engines/aml/screening.ts';
import { asWritten } from './as-written.ts';
import { type Column, FAINT, type Sheet, shownTime } from './page.ts';

const CLEARED = '#2f855a';
/** The console says these words and those below too, and may not import them: `src/console/job/hit-words.ts`. */
export const categories: Record<Category, { name: string; colour: string }> = {
  sanction: { name: 'Sanctions', colour: '#9b2c2c' },
  pep: { name: 'Politically exposed person', colour: '#553c9a' },
  wanted: { name: 'Police notice', colour: '#9c4221' },
  adverse_media: { name: 'Adverse media', colour: '#2c5282' },
};

/** Most programmes, offices or headlines, and most words of a name, that a report shows for one hit. */
const PROGRAMS_SHOWN = 20;
const TOKENS_SHOWN = 40;

/** `sent`: the name that was screened. */
export function writeHit(sheet: Sheet, number: number, hit: ScreeningHit, sent: string): void {
  const { explanation, cleared } = hit;
  const { name, colour } = categories[hit.category];
  const isOrganization = hit.type === 'organization';
  sheet.banner(`${number}. ${hit.name}`, `${name} · score ${figure(hit.score)}${cleared ? ' · cleared' : ''}`, cleared ? CLEARED : colour);
  sheet.facts([
    // Results of earlier releases, which screened persons only, do not say it.
    ['Listed as', `${hit.type ?? 'person'} on ${hit.list}, entry ${hit.source_id}, version ${hit.list_version}`],
    ['Name that matched', hit.matched_alias],
    ...(hit.programs.length > 0 ? [['Listed for', several(hit.programs, PROGRAMS_SHOWN)] as const] : []),
    ['Listed on', hit.listed_on ?? 'not stated'],
    ...(hit.ended_on === null ? [] : [['Office ended on', hit.ended_on] as const]),
    ...(hit.url === null ? [] : [['Page', hit.url] as const]),
    ['Name score', figure(explanation.name_score)],
    ['Rules applied', explanation.rules.length > 0 ? explanation.rules.map(tellRule).join('; ') : 'none'],
    ...(isOrganization ? [] : [['Date of birth', evidence(explanation.dob, births)] as const]),
    ['Country', evidence(explanation.country, agreements)],
    ...(isOrganization ? [] : [['Gender', evidence(explanation.gender, agreements)] as const]),
    ...(cleared === null ? [] : clearance(cleared)),
  ]);
  sheet.space(2);
  writeTokens(sheet, hit, sent);
  sheet.space(6);
}

function clearance({ clearance, cleared_by, recorded_by, reason, at, expires_at }: NonNullable<ScreeningHit['cleared']>) {
  const until = expires_at === null ? 'until the listing changes' : `until ${shownTime(expires_at)} or the listing changes`;
  return [
    ['Cleared', `by ${cleared_by} on ${shownTime(at)}, ${until} (${clearance})`] as const,
    ...(recorded_by ? [['Recorded by', recorded_by] as const] : []),
    ['Reason', reason] as const,
  ];
}

const tokenColumns: Column[] = [
  { title: 'Word sent', share: 0.28 },
  { title: 'Word listed', share: 0.28 },
  { title: 'How they match', share: 0.32 },
  { title: 'Similarity', share: 0.12, align: 'right' },
];

export const relations: Record<TokenRelation, string> = {
  exact: 'the same',
  folded: 'the same but for spelling variants',
  nickname: 'another form of the same name',
  edit: 'differ by a few letters',
  initial: 'initial',
  joined: 'written together',
  script: 'the same in the original script',
  unmatched: 'no counterpart',
};

function writeTokens(sheet: Sheet, { type = 'person', matched_alias, explanation: { tokens } }: ScreeningHit, sent: string): void {
  if (tokens.length === 0) return;
  const [wordSent, wordListed] = [asWritten(sent, type), asWritten(matched_alias, type)];
  sheet.table(
    tokenColumns,
    tokens
      .slice(0, TOKENS_SHOWN)
      .map(({ query, listed, how, similarity }) => [
        query === null ? '–' : wordSent(query),
        listed === null ? '–' : wordListed(listed),
        relations[how],
        how === 'unmatched' ? '–' : figure(similarity),
      ]),
  );
  const left = tokens.length - TOKENS_SHOWN;
  if (left > 0) sheet.paragraph(`${left} more words are not shown.`, { colour: FAINT });
}

export const births: Record<BirthVerdict, string> = {
  exact: 'the same day',
  within_range: 'within the listed range',
  same_year: 'the same year',
  near_year: 'a year apart',
  day_month_swapped: 'the same with day and month exchanged',
  different_day: 'the same year, a different day',
  different_year: 'another year',
  unknown: 'nothing to compare',
};

/** Codes of `explanation.rules`. */
export const rules: Record<string, string> = {
  conflict: 'each name has a word that the other lacks',
  nasab_order: 'son and father have changed places',
  single_token: 'only one word matches',
  query_longer: 'the name sent has more words',
  list_longer: 'the listed name has more words',
  joined: 'words are written together',
  initials: 'an initial stands for a name',
  common_names: 'only names that many people have match',
  acronym: 'initials stand for the whole name',
  numbers: 'the numbers differ',
  common_words: 'only words that many organizations have match',
  weak_alias: 'its publisher calls the alias weak: the name counts 0.8 at most, 0.74 if it is a common one',
  registration_number: 'the same registration number: at least 0.95 if the names are alike, otherwise 0.8',
};

const tellRule = (code: string): string => (code in rules ? `${rules[code]} (${code})` : code);

export const agreements: Record<Agreement, string> = { same: 'the same', different: 'different', unknown: 'nothing to compare' };

function evidence<Verdict extends string>({ verdict, listed, effect }: Evidence<Verdict>, meanings: Record<Verdict, string>): string {
  const listedAs = listed.length > 0 ? ` (listed: ${several(listed, PROGRAMS_SHOWN)})` : '';
  return `${meanings[verdict]}${listedAs}; ${effect === 0 ? 'score unchanged' : `score ${effect > 0 ? '+' : '−'}${figure(Math.abs(effect))}`}`;
}

/** As in the result: three decimals, so that the parts add up to the score. */
const figure = (score: number): string => score.toFixed(3);

const several = (items: readonly string[], max: number): string =>
  items.length <= max ? items.join('; ') : `${items.slice(0, max).join('; ')} and ${items.length - max} more`;
