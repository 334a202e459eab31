/** Hits of a screening, each explained word by word. */
import { State } from '../parts/common.tsx';

interface Evidence {
  verdict: string;
  listed: string[];
}

export interface Hit {
  list: string;
  source_id: string;
  category: string;
  name: string;
  matched_alias: string;
  score: number;
  explanation: {
    tokens: { query: string | null; listed: string | null; how: string; similarity: number }[];
    dob: Evidence;
    country: Evidence;
    gender: Evidence;
  };
  cleared: { reason: string } | null;
}

export const Hits = ({ hits }: { hits: readonly Hit[] }) => (
  <section class="card" aria-labelledby="hits">
    <header>
      <h2 id="hits">{hits.length === 0 ? 'No hits' : `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'} on watch lists`}</h2>
    </header>
    {hits.map((hit) => (
      <article key={`${hit.list} ${hit.source_id}`} class="body stack tight">
        <h3>
          <bdi>{hit.name}</bdi> <span class="soft">{Math.round(hit.score * 100)} of 100</span>{' '}
          {hit.cleared ? (
            <State word="Cleared: somebody else" tone="good" />
          ) : (
            <State word={hit.category.replaceAll('_', ' ')} tone="warn" />
          )}
        </h3>
        <p class="small soft">
          {hit.list} {hit.source_id}
          {hit.matched_alias !== hit.name && (
            <>
              , matched as <bdi>{hit.matched_alias}</bdi>
            </>
          )}
        </p>
        <ul class="key">
          {hit.explanation.tokens.map(({ query, listed, how }, at) => (
            <li key={at}>
              <bdi>{query ?? 'nothing'}</bdi> → <bdi>{listed ?? 'nothing'}</bdi> <span class="soft small">{how.replaceAll('_', ' ')}</span>
            </li>
          ))}
        </ul>
        <p class="small">
          Birth: {hit.explanation.dob.verdict.replaceAll('_', ' ')} · country: {hit.explanation.country.verdict.replaceAll('_', ' ')} ·
          gender: {hit.explanation.gender.verdict.replaceAll('_', ' ')}
        </p>
      </article>
    ))}
  </section>
);
