/** Hits of a screening, each explained word by word. People who may decide that the listed person is somebody else can clear them. */
import { useState } from 'preact/hooks';
import type { Clearance } from '../../client/aml.ts';
import type { Job } from '../../client/client.ts';
import { DAY_MS } from '../format.ts';
import { Failure, Notice, Time } from '../parts/common.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useResource } from '../parts/resource.tsx';
import { say } from '../parts/toasts.tsx';
import { useListTitles } from '../screening/list-titles.ts';
import { client, may } from '../state.ts';
import { BestOnly, ExplainedHit, type Hit, hitsWord } from './explained-hit.tsx';

interface Decided {
  cleared_by: string;
  reason: string;
  /** ISO time. */
  at: string;
}

const keyOf = ({ list, source_id }: Pick<Hit, 'list' | 'source_id'>): string => `${list} ${source_id}`;

/** Most clearances that are read for one screening; a result shows as many hits. */
const CLEARANCES_MAX = 100;

const decided = ({ cleared_by, reason, created_at }: Clearance): Decided => ({ cleared_by, reason, at: created_at });

interface HitsProps {
  job: Job;
  hits: readonly Hit[];
  /** With those that the result does not show. */
  total: number;
  /** Which hits are cleared has changed. */
  onCleared: (cleared: Job['cleared']) => void;
}

export function Hits({ job, hits, total, onCleared }: HitsProps) {
  const [asked, setAsked] = useState<Hit | null>(null);
  const isCleared = (at: number) => job.cleared?.hits.includes(at) ?? false;
  const cleared = useReasons(job);
  const titleOf = useListTitles(!job.masked && hits.length > 0);
  const mayDecide = may('reviews') && hits.length > 0;
  return (
    <section class="card" aria-labelledby="hits">
      <header>
        <h2 id="hits">{hitsWord(total)}</h2>
      </header>
      <BestOnly shown={hits.length} total={total} />
      {mayDecide && job.masked && (
        <p class="body soft unprinted">
          {job.cleared?.all
            ? 'Show the job in clear to see who cleared its hits, and why.'
            : 'Show the job in clear to compare its hits and to clear them.'}
        </p>
      )}
      {cleared.error !== null && <Failure error={cleared.error} retry={cleared.reload} />}
      {hits.map((hit, at) => {
        const clearance = cleared.data?.get(keyOf(hit));
        return (
          <ExplainedHit
            key={`${at} ${keyOf(hit)}`}
            hit={hit}
            title={titleOf(hit.list)}
            masked={job.masked === true}
            isCleared={isCleared(at)}
          >
            {clearance && isCleared(at) && (
              <p class="small">
                <bdi>{clearance.cleared_by}</bdi> cleared it, <Time at={clearance.at} />: <bdi>{clearance.reason}</bdi>
              </p>
            )}
            {hit.cleared && !isCleared(at) && (
              <p class="small">It was cleared when the person was screened. That clearance has ended, so the hit counts again.</p>
            )}
            {mayDecide && !job.masked && !isCleared(at) && (
              <div class="actions">
                <button type="button" onClick={() => setAsked(hit)}>
                  Not a match: clear it
                  <span class="unseen">
                    {' '}
                    (<bdi>{hit.name}</bdi>)
                  </span>
                </button>
              </div>
            )}
          </ExplainedHit>
        );
      })}
      {asked && (
        <Clear
          job={job.id}
          hit={asked}
          title={titleOf(asked.list)}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            void client.jobs.read(job.id).then(
              ({ cleared }) => onCleared(cleared),
              () => say('The hit is cleared, but this page could not be refreshed. Reload it.', { isBad: true }),
            );
          }}
        />
      )}
    </section>
  );
}

/** By hit, who cleared it and why: the stored result does not say it of hits that were cleared afterwards. Empty while the job is masked. */
function useReasons({ id, masked, cleared }: Job) {
  const isShown = !masked && cleared !== undefined && cleared.hits.length > 0;
  return useResource(isShown ? `clearances of ${id}: ${cleared.hits}` : '', async (signal) => {
    const { data } = isShown ? await client.aml.clearances({ job: id, limit: CLEARANCES_MAX }, signal) : { data: [] };
    return new Map(data.filter(({ lapsed }) => !lapsed).map((one) => [keyOf(one), decided(one)]));
  });
}

/** Lagos is an hour ahead of UTC all year. */
const LAGOS = '+01:00';
const LAGOS_MS = 3_600_000;

const dayIn = (days: number): string => new Date(Date.now() + LAGOS_MS + days * DAY_MS).toISOString().slice(0, 10);

interface ClearProps {
  job: string;
  hit: Hit;
  /** Of the list. */
  title: string;
  onClose: () => void;
  onDone: () => void;
}

function Clear({ job, hit: { list, source_id, name }, title, onClose, onDone }: ClearProps) {
  const settings = useResource('settings', (signal) => client.settings.read(signal));
  const clear = async (entered: FormData) => {
    const until = textIn(entered, 'until');
    const expires_at = until === '' ? null : `${until}T00:00:00${LAGOS}`;
    await client.aml.clear({ job, list, source_id, reason: textIn(entered, 'reason'), expires_at });
    say('The hit is cleared. It no longer counts from the next screening on, unless the listing changes.');
    onDone();
  };
  return (
    <FormDialog title="Clear this hit?" verb="Clear the hit" onClose={onClose} onSubmit={clear}>
      <p>
        <bdi>{name}</bdi> on the list “{title}” is then somebody else for this app, whenever the same person is screened.
      </p>
      {settings.data?.reviews.two_person && (
        <Notice tone="warn" title="Two people decide in this app.">
          <p>They approve the review case of this check first; then the hit can be cleared.</p>
        </Notice>
      )}
      <label class="field">
        <span>Why it is somebody else</span>
        <textarea name="reason" rows={3} required maxLength={1000} />
        <small class="soft">Stored encrypted. Reviewers can read it.</small>
      </label>
      <label class="field">
        <span>
          Until <span class="soft small">optional</span>
        </span>
        <input name="until" type="date" min={dayIn(1)} defaultValue={dayIn(365)} />
        <small class="soft">Then the hit counts again, and somebody looks at it once more. Empty: until the listing changes.</small>
      </label>
    </FormDialog>
  );
}
