/** A hit of a screening as people compare it with the customer: which name of which list, how alike, and what the list says. */
import type { ComponentChildren } from 'preact';
import type { AmlScreening } from '../../client/catalogue.ts';
import { count, counted } from '../format.ts';
import { State } from '../parts/common.tsx';
import { agreementWords, alike, birthWords, categoryName, effect, points, relationWords, ruleWords } from './hit-words.ts';

/** `cleared`: the clearance that was in force when the hit was found; `Job.cleared` says what holds now. */
export type Hit = AmlScreening['entity']['hits'][number];

export const hitsWord = (total: number): string => (total === 0 ? 'No hits' : `${counted(total, 'hit')} on watch lists`);

/** A result shows 100 hits of one party at most. `of`: the party, where one job screens several. */
export const BestOnly = ({ shown, total, of }: { shown: number; total: number; of?: ComponentChildren }) =>
  shown < total && (
    <p class="body soft">
      {of ? <>For {of} the</> : 'The'} {count(shown)} best of {count(total)} hits are shown.
    </p>
  );

interface ExplainedHitProps {
  hit: Hit;
  /** Publisher and title of the list. */
  title: string;
  masked: boolean;
  /** Now, whatever was so when the hit was found. */
  isCleared: boolean;
  /** Who was screened, where one job screens several. */
  of?: ComponentChildren;
  children?: ComponentChildren;
}

export const ExplainedHit = ({ hit, title, masked, isCleared, of, children }: ExplainedHitProps) => (
  <article class="body stack tight">
    <h3>
      <bdi>{hit.name}</bdi> <span class="soft">{alike(hit.score)}</span>{' '}
      {isCleared ? <State word="Cleared: not a match" tone="good" /> : <State word={categoryName(hit.category)} tone="warn" />}
    </h3>
    {of}
    <Explanation hit={hit} title={title} masked={masked} />
    {!masked && <Listing hit={hit} />}
    {children}
  </article>
);

interface ExplanationProps {
  hit: Hit;
  /** Publisher and title of the list. */
  title: string;
  masked: boolean;
}

/** How the hit was found. The words and the list are masked with the rest, and dots would say nothing. */
const Explanation = ({ hit: { source_id, name, matched_alias, explanation }, title, masked }: ExplanationProps) => (
  <>
    {!masked && (
      <>
        <p class="small soft">
          {title}, entry {source_id}
          {matched_alias !== name && (
            <>
              , matched as <bdi>{matched_alias}</bdi>
            </>
          )}
        </p>
        <ul class="key">
          {explanation.tokens.map(({ query, listed, how }, at) => (
            <li key={at}>
              <bdi>{query ?? 'nothing'}</bdi> → <bdi>{listed ?? 'nothing'}</bdi> <span class="soft small">{relationWords[how]}</span>
            </li>
          ))}
        </ul>
      </>
    )}
    {!masked && (
      <p class="small">
        Name: {points(explanation.name_score)} of 100
        {explanation.rules.length > 0 && ` · ${explanation.rules.map(ruleWords).join(' · ')}`}
      </p>
    )}
    <p class="small">
      Date of birth: {birthWords[explanation.dob.verdict]}
      {!masked && effect(explanation.dob.effect)} · country: {agreementWords[explanation.country.verdict]}
      {!masked && effect(explanation.country.effect)} · gender: {agreementWords[explanation.gender.verdict]}
      {!masked && effect(explanation.gender.effect)}
    </p>
  </>
);

/** Most programmes, offices or headlines, and most values of a field, that are shown for one hit. */
const SHOWN = 10;

const several = (values: readonly string[]): string =>
  values.length > SHOWN ? `${values.slice(0, SHOWN).join(', ')} and ${count(values.length - SHOWN)} more` : values.join(', ');

/** What the list says about its entry: whoever decides compares it with the customer. */
function Listing({ hit: { explanation, programs, listed_on, ended_on, url } }: { hit: Hit }) {
  const facts = [
    ['Listed for', several(programs)],
    ['Listed on', listed_on ?? ''],
    ['Office ended on', ended_on ?? ''],
    ['Listed date of birth', several(explanation.dob.listed)],
    ['Listed country', several(explanation.country.listed)],
    ['Listed gender', several(explanation.gender.listed)],
  ].filter(([, value]) => value !== '');
  if (facts.length === 0 && !isPage(url)) return null;
  return (
    <dl class="facts small">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="when">
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
      {isPage(url) && (
        <div>
          <dt>Page of the list</dt>
          <dd class="when">
            <a href={url} target="_blank" rel="noreferrer">
              {new URL(url).host}
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Lists come from elsewhere: anything but a page is not made a link. */
const isPage = (url: string | null): url is string => url !== null && /^https?:\/\//i.test(url) && URL.canParse(url);
