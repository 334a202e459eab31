/** One check of one row: what was found, how it came about, and what it cost. */
import { useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { isJobOver } from '../../client/jobs.ts';
import { checkName, count, jobState, naira, took } from '../format.ts';
import { CaseLink } from '../job/case-link.tsx';
import { Evidence, hitsOf, isReviewed } from '../job/evidence.tsx';
import { Lookups } from '../job/lookups.tsx';
import { Reveal } from '../job/reveal.tsx';
import { useShownJob } from '../job/shown-job.ts';
import type { PageProps } from '../page.ts';
import { BatchName } from '../parts/batch-name.tsx';
import { Empty, Notice, State, Time } from '../parts/common.tsx';
import { Loaded } from '../parts/resource.tsx';
import { Submitter } from '../parts/submitter.tsx';
import { SaveFor } from '../parts/what-for.tsx';
import { client, may } from '../state.ts';
import { useSubject } from '../subject.ts';

export default function JobPage({ params: { id } }: PageProps) {
  const { of, shown, show } = useShownJob(id!);
  return <Loaded of={of}>{(data) => <Shown job={shown(data)} onShown={show} />}</Loaded>;
}

function Shown({ job, onShown }: { job: Job; onShown: (job: Job) => void }) {
  const hits = hitsOf(job);
  useSubject(job.reference ?? (job.row === null ? checkName(job.check) : `${checkName(job.check)}, row ${count(job.row)}`));
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      {isSaving && (
        <SaveFor
          title="Save the report?"
          fileName={`${job.id}.pdf`}
          read={(stated) => client.jobs.report(job.id, stated)}
          onClose={() => setSaving(false)}
        />
      )}
      <div class="head">
        <p class="crumb">
          {job.batch ? (
            <>
              <a href="batches">Batches</a> / <BatchName id={job.batch} />
            </>
          ) : (
            'A single job'
          )}
        </p>
        <h1>
          {checkName(job.check)}
          {job.row !== null && `, row ${count(job.row)}`}
          {job.reference !== null && (
            <>
              : <bdi>{job.reference}</bdi>
            </>
          )}
        </h1>
        <State {...jobState(job)} />
        <div class="actions">
          {may('reviews') && isReviewed(job) && <CaseLink job={job.id} />}
          {may('reveal') && job.masked && isJobOver(job) && <Reveal id={job.id} onShown={onShown} />}
          {may('reveal') && hits && (
            <button type="button" onClick={() => setSaving(true)}>
              Save as PDF
            </button>
          )}
        </div>
      </div>
      {job.error && (
        <Notice tone="bad" title={job.error.message}>
          <p class="soft small mono">{job.error.code}</p>
        </Notice>
      )}
      <Facts job={job} />
      {!job.result && job.error === null && <NoResult job={job} />}
      <Evidence job={job} onShown={onShown} />
      <Lookups job={job} />
      <p class="soft small mono">{job.id}</p>
    </>
  );
}

function NoResult({ job }: { job: Job }) {
  const [title, text] = !isJobOver(job)
    ? ['No answer yet', 'It will appear here as soon as it arrives.']
    : job.outcome === 'not_found'
      ? ['Nothing was found', 'The registry has no record with these details.']
      : ['Canceled', 'It was canceled before it was answered. Nothing was charged.'];
  return (
    <Empty title={title}>
      <p>{text}</p>
    </Empty>
  );
}

const Facts = ({ job }: { job: Job }) => (
  <section class="card body" aria-label="About this check">
    <dl class="facts">
      <div>
        <dt>Price</dt>
        <dd>
          {naira(job.billed_amount)}
          {job.cached && <small>answered from the cache</small>}
        </dd>
      </div>
      <div>
        <dt>Answer took</dt>
        <dd>{job.latency_ms === null ? '–' : took(job.latency_ms)}</dd>
      </div>
      <div>
        <dt>Attempts</dt>
        <dd>{count(job.attempts)}</dd>
      </div>
      <div>
        <dt>Submitted</dt>
        <dd class="when">
          <Time at={job.created_at} />
          <small>
            <Submitter by={job.created_by} />
          </small>
        </dd>
      </div>
      <div>
        <dt>{job.completed_at === null && job.next_attempt_at !== null ? 'Next attempt' : 'Answered'}</dt>
        <dd class="when">{(job.completed_at ?? job.next_attempt_at) ? <Time at={(job.completed_at ?? job.next_attempt_at)!} /> : '–'}</dd>
      </div>
    </dl>
  </section>
);
