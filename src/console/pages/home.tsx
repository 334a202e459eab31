/** What is happening now, and what needs attention: running batches, failures, refusals, services, webhooks, balance. */
import type { Batch, Overview } from '../../client/client.ts';
import { toDecide } from '../approvals/waiting.tsx';
import { CREATED, NAME, PROGRESS, STATE } from '../batch/columns.tsx';
import { UploadLink } from '../batch/upload-link.tsx';
import { checkName, codeWords, count, counted, duration, naira, rate, type Worded } from '../format.ts';
import { Empty, Notice, State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { client, may, mode } from '../state.ts';

const EVERY_MS = 5_000;

export default function HomePage() {
  const overview = useResource('overview', (signal) => client.overview(signal), { everyMs: EVERY_MS });
  return (
    <>
      <div class="head">
        <h1>Home</h1>
        <UploadLink />
      </div>
      <Loaded of={overview}>{(data) => <Shown {...data} />}</Loaded>
    </>
  );
}

function Shown(overview: Overview) {
  const { batches, outcomes, refusals, money, services, reviews, monitors, webhooks } = overview;
  const approvals = toDecide(overview);
  return (
    <>
      {money?.is_low && (
        <Notice tone="warn" title="The balance is low.">
          <p>Ask your administrator for a top-up before large batches.</p>
        </Notice>
      )}
      <section class="card body" aria-label="Since yesterday">
        <dl class="facts">
          {money && (
            <div>
              <dt>Balance</dt>
              <dd>
                {naira(money.available)}
                <small>{naira(money.held)} held</small>
              </dd>
            </div>
          )}
          <div>
            <dt>Found</dt>
            <dd>
              {count(outcomes.found)}
              <small>since yesterday</small>
            </dd>
          </div>
          <div>
            <dt>Not found</dt>
            <dd>{count(outcomes.not_found)}</dd>
          </div>
          <div>
            <dt>Failed</dt>
            <dd>{count(outcomes.failed)}</dd>
          </div>
          {reviews.open > 0 && may('reviews') && (
            <div>
              <dt>To review</dt>
              <dd>
                <a href="reviews">{counted(reviews.open, 'case')}</a>
                {reviews.mine > 0 && <small>{count(reviews.mine)} assigned to you</small>}
              </dd>
            </div>
          )}
          {monitors !== undefined && monitors.with_hits > 0 && (
            <div>
              <dt>New hits</dt>
              <dd>
                <a href="screening?monitors=hits">{counted(monitors.with_hits, 'monitor')}</a>
              </dd>
            </div>
          )}
          {approvals > 0 && (
            <div>
              <dt>To approve</dt>
              <dd>
                <a href="approvals">{counted(approvals, 'request')}</a>
              </dd>
            </div>
          )}
        </dl>
      </section>
      <section class="card" aria-labelledby="open">
        <header>
          <h2 id="open">Open batches</h2>
        </header>
        {batches.data.length === 0 ? (
          <Empty title={`Nothing is running in ${mode.value} mode`}>
            <p>
              <a href="batches">All batches</a>
            </p>
          </Empty>
        ) : (
          <OpenBatches {...batches} />
        )}
      </section>
      <div class="pair">
        <Services services={services} />
        <Trouble outcomes={outcomes} refusals={refusals} failing={webhooks.failing} />
      </div>
    </>
  );
}

/** Batches that nobody has started must not push everything else out of sight. */
const NOT_STARTED_SHOWN = 5;

function OpenBatches({ counts, data }: Overview['batches']) {
  const waiting = data.filter(({ status }) => status === 'awaiting_start').slice(0, NOT_STARTED_SHOWN);
  const rows = [...data.filter(({ status }) => status !== 'awaiting_start'), ...waiting];
  const open = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return (
    <>
      <Table caption="Unfinished batches" name="Open batches" rows={rows} keyOf={({ id }) => id} columns={COLUMNS} />
      {open > rows.length && (
        <p class="foot">
          {counted(open - rows.length, 'more open batch', 'more open batches')}: see <a href="batches">all batches</a>, or{' '}
          <a href="batches?status=awaiting_start">those not started</a>.
        </p>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Batch>[] = [
  NAME,
  STATE,
  PROGRESS,
  {
    name: 'Rate',
    style: 'num',
    cell: ({ progress: { rate_per_second: perSecond } }) => (perSecond === null ? '–' : `${rate(perSecond)} / s`),
  },
  {
    name: 'Time left',
    style: 'num nowrap',
    cell: ({ progress: { eta_seconds: seconds } }) => (seconds === null ? '–' : duration(seconds)),
  },
  { name: 'Cost so far', style: 'num', cell: ({ billed_amount }) => naira(billed_amount) },
  CREATED,
];

const SERVICE: Readonly<Record<Overview['services'][number]['state'], Worded>> = {
  ok: { word: 'Answering', tone: 'good' },
  degraded: { word: 'Not answering', tone: 'bad' },
  not_configured: { word: 'Not set up', tone: 'plain' },
};

const Services = ({ services }: Pick<Overview, 'services'>) => (
  <section class="card" aria-labelledby="services">
    <header>
      <h2 id="services">Who answers</h2>
    </header>
    <table>
      <caption class="unseen">Families of checks and whether they are answered</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Family</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {services.map(({ family, state, degraded_checks, missing_checks, next_attempt_at, reason }) => (
          <tr key={family}>
            <th scope="row" class="row-name">
              {checkName(family)}
            </th>
            <td>
              <State {...SERVICE[state]} />
              {degraded_checks.length > 0 && <span class="soft small"> {degraded_checks.map(checkName).join(', ')}</span>}
              {reason === null ? (
                next_attempt_at && (
                  <span class="soft small">
                    , next attempt <Time at={next_attempt_at} />
                  </span>
                )
              ) : (
                <small class="soft below">{reason}</small>
              )}
              {missing_checks.length > 0 && <small class="soft below">Not set up: {missing_checks.map(checkName).join(', ')}</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

function Trouble({ outcomes, refusals, failing }: Pick<Overview, 'outcomes' | 'refusals'> & { failing: Overview['webhooks']['failing'] }) {
  const checks = outcomes.checks.filter(({ failed }) => failed > 0);
  return (
    <section class="card" aria-labelledby="trouble">
      <header>
        <h2 id="trouble">What went wrong</h2>
        {refusals.length > 0 && (
          <a class="actions" href="requests?status=4xx">
            Refused requests
          </a>
        )}
      </header>
      {checks.length + refusals.length + failing.length === 0 ? (
        <p class="body soft">Nothing since yesterday.</p>
      ) : (
        <ul class="body plain-list">
          {failing.map(({ id, url, disabled, failing_since }) => (
            <li key={id}>
              <State word={disabled ? 'Webhook disabled' : 'Webhook failing'} tone={disabled ? 'bad' : 'warn'} />{' '}
              {may('webhooks') ? <a href={`webhooks/${id}`}>{url}</a> : <bdi>{url}</bdi>}
              {failing_since && (
                <span class="soft small">
                  {' '}
                  since <Time at={failing_since} />
                </span>
              )}
            </li>
          ))}
          {checks.map(({ check, failed }) => (
            <li key={check}>
              <State word={`${count(failed)} failed`} tone="warn" /> {checkName(check)}
            </li>
          ))}
          {refusals.map(({ code, count: times }) => (
            <li key={code}>
              <State word={`${count(times)} refused`} tone="plain" /> {codeWords(code)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
