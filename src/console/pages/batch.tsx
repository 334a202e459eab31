/** One batch: its present state, what may be done with it, and the results of its rows. */
import { useEffect } from 'preact/hooks';
import { isBatchOver } from '../../client/batches.ts';
import type { BatchDetail } from '../../client/client.ts';
import { Chart } from '../batch/chart.tsx';
import { Controls } from '../batch/controls.tsx';
import { Downloads } from '../batch/downloads.tsx';
import { Failures } from '../batch/failures.tsx';
import { Keeping } from '../batch/keeping.tsx';
import { Links } from '../batch/links.tsx';
import { Rows, toRows } from '../batch/rows.tsx';
import { batchState, batchStates, checkName, count, counted, duration, madeOf, naira, rate, shortId } from '../format.ts';
import type { PageProps } from '../page.ts';
import { Notice, Spoken, State, Time } from '../parts/common.tsx';
import { OutcomeBar, OutcomeKey } from '../parts/outcomes.tsx';
import { Loaded, type Resource, useResource } from '../parts/resource.tsx';
import { Submitter } from '../parts/submitter.tsx';
import { client, epoch, lost, scope } from '../state.ts';
import { useSubject } from '../subject.ts';

export default function BatchPage({ params: { id } }: PageProps) {
  const batch = useResource(`batch ${id}`, (signal) => client.batches.read(id!, signal));
  return <Loaded of={batch}>{(data) => <Batch batch={data} resource={batch} />}</Loaded>;
}

function Batch({ batch, resource }: { batch: BatchDetail; resource: Resource<BatchDetail> }) {
  useProgress(batch, resource);
  useSubject(batch.reference);
  return (
    <>
      <div class="head">
        <p class="crumb">
          <a href="batches">Batches</a>
        </p>
        <h1>{batch.reference ?? `Batch ${shortId(batch.id)}`}</h1>
        <State {...batchState(batch)} />
        <Controls batch={batch} onChanged={(next) => resource.set(() => next)} />
      </div>
      <Trouble batch={batch} />
      <section class="card" aria-label="Progress">
        <div class="body stack">
          <Progress batch={batch} />
        </div>
      </section>
      <Failures batch={batch} />
      <Downloads batch={batch} />
      {batch.status !== 'awaiting_start' && <Rows batch={batch} />}
      <Chart batch={batch} />
      <Links batch={batch} />
      <Keeping batch={batch} onChanged={(next) => resource.set(() => next)} />
      <p class="soft small">
        <span class="mono">{batch.id}</span> · {batch.checks.map(checkName).join(', ')} · submitted <Submitter by={batch.created_by} />{' '}
        <Time at={batch.created_at} />
      </p>
    </>
  );
}

/** Follows the batch's events while it is open. At each status it is read as a whole: the stream replays earlier statuses, so an end that it tells may have been before a retry. */
function useProgress(batch: BatchDetail, { set, reload }: Resource<BatchDetail>): void {
  const { id } = batch;
  const isOver = isBatchOver(batch);
  const turn = `${epoch.value} ${scope.value}`;
  useEffect(() => {
    if (isOver) return;
    const stop = new AbortController();
    const follow = async () => {
      for await (const event of client.batches.watch(id, stop.signal, (isConnected) => isConnected || lost())) {
        if (event.type === 'progress') {
          const { counts, billed_amount, degraded, next_attempt_at, ...progress } = event.progress;
          set((now) => ({ ...now, counts, billed_amount, degraded, next_attempt_at, progress }));
        } else reload();
      }
    };
    // If a lost session or role has ended the stream for good, reading the batch shows it.
    follow().catch(reload);
    return () => stop.abort();
  }, [id, isOver, turn]);
}

const REASONS: Readonly<Record<string, string>> = {
  max_failure_percent: 'More of its rows failed than the upload allowed.',
  deadline: 'Its deadline has passed.',
};

function Trouble({ batch }: { batch: BatchDetail }) {
  return (
    <>
      {batch.approval !== null && (
        <Notice tone="info" title="Waiting for a second person.">
          <p>
            It starts automatically once an approver or owner, other than the person who asked, has approved it under{' '}
            <a href="approvals">Approvals</a>.
          </p>
        </Notice>
      )}
      {batch.degraded && (
        <Notice tone="warn" title="A vendor is not answering.">
          <p>
            The rows wait and continue automatically; nothing is lost or charged.
            {batch.next_attempt_at && (
              <>
                {' '}
                Next attempt: <Time at={batch.next_attempt_at} />
              </>
            )}
          </p>
        </Notice>
      )}
      {batch.status === 'paused_funds' && <Funds batch={batch} />}
      {batch.reason && batch.reason in REASONS && (
        <Notice tone="bad" title={`${batchStates[batch.status].word}.`}>
          <p>{REASONS[batch.reason]}</p>
        </Notice>
      )}
    </>
  );
}

const WALLET_MS = 10_000;

/** How much the rest of the batch lacks, and what the wallet has of it. */
function Funds({ batch: { counts, missing_amount } }: { batch: BatchDetail }) {
  const wallet = useResource('wallet', (signal) => client.money.wallet(signal), { everyMs: WALLET_MS });
  const missing = missing_amount ?? 0;
  const available = wallet.data?.available ?? 0;
  if (wallet.data !== null && available >= missing)
    return (
      <Notice tone="warn" title="Paused for money, and the wallet now covers the rest.">
        <p>It resumes by itself within seconds, unless a spending cap is in the way. Press Resume to find out.</p>
      </Notice>
    );
  return (
    <Notice tone="warn" title={`Paused: ${naira(missing - available)} more is needed.`}>
      <p>
        The {counted(counts.queued, 'check')} left cost up to {naira(missing)} more than is held for this batch
        {wallet.data !== null && `, and the wallet has ${naira(available)}`}. Ask your administrator for a top-up. The batch then resumes by
        itself, even if the money is enough for only some of the checks.
      </p>
    </Notice>
  );
}

function Progress({ batch }: { batch: BatchDetail }) {
  const { counts, progress } = batch;
  const made = madeOf(batch);
  const canceled = `${count(counts.canceled)} canceled`;
  const isOver = isBatchOver(batch);
  return (
    <>
      <div class="stack tight">
        <div
          role="progressbar"
          aria-label="Checks that are done"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.floor(progress.percent)}
          aria-valuetext={
            made === null
              ? `${progress.percent} % of ${count(counts.jobs)} checks`
              : `${count(made)} of ${count(counts.jobs)} checks, ${canceled}`
          }
        >
          <OutcomeBar counts={counts} />
        </div>
        <OutcomeKey batch={batch} />
        {/* At each tenth, not at each row. */}
        <Spoken
          text={`${batchState(batch).word}, ${made === null ? `${Math.floor(progress.percent / 10) * 10} %` : `${counted(made, 'check')} done, ${canceled}`}`}
        />
      </div>
      <dl class="facts">
        <div>
          <dt>Done</dt>
          <dd>
            {made === null ? `${progress.percent} %` : count(made)}
            <small>
              of {counted(counts.jobs, 'check')}
              {made !== null && `, ${canceled}`}
            </small>
          </dd>
        </div>
        <div>
          <dt>Rows</dt>
          <dd>
            {count(counts.rows)}
            <small>
              {count(counts.invalid)} invalid, {counted(counts.duplicate, 'duplicate')}
              {batch.erased_rows ? `, ${count(batch.erased_rows)} erased` : ''}
            </small>
          </dd>
        </div>
        {counts.flagged > 0 && (
          <div>
            <dt>Flagged</dt>
            <dd>
              <a href={`batches/${batch.id}?rows=flagged`} onClick={toRows}>
                {count(counts.flagged)}
              </a>
              <small>when answered</small>
            </dd>
          </div>
        )}
        <div>
          <dt>{isOver ? 'Took' : 'Time left'}</dt>
          <dd>
            {isOver
              ? batch.took_seconds == null
                ? '–'
                : duration(batch.took_seconds)
              : progress.eta_seconds === null
                ? '–'
                : `about ${duration(progress.eta_seconds)}`}
            {progress.rate_per_second !== null && <small>{rate(progress.rate_per_second)} checks a second</small>}
          </dd>
        </div>
        <div>
          <dt>{isOver ? 'Cost' : 'Cost so far'}</dt>
          <dd>
            {naira(batch.billed_amount)}
            <small>of {naira(batch.quote_amount)} quoted</small>
          </dd>
        </div>
      </dl>
    </>
  );
}
