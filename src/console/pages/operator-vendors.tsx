/** The vendors that live keys reach: whether they are well, how much of their rate is used, what they answer and cost. */
import { useState } from 'preact/hooks';
import type { Providers } from '../../client/operator.ts';
import { checkName, codeWords, count, duration, naira, took, type Worded } from '../format.ts';
import { healthStates } from '../operator/words.ts';
import { dayOf } from '../parts/bars.tsx';
import { Empty, Notice, State } from '../parts/common.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client } from '../state.ts';

type Shown = Providers['data'][number];

const EVERY_MS = 5_000;

export default function OperatorVendorsPage() {
  const vendors = useResource('vendors', (signal) => client.operator.vendors(signal), { everyMs: EVERY_MS });
  return (
    <>
      <div class="head">
        <h1>Vendors</h1>
        <span class="soft small">Refreshed every 5 seconds</span>
      </div>
      <Loaded of={vendors}>
        {({ data, margin }) => (
          <>
            {data.length === 0 && (
              <Empty title="No vendor is configured">
                <p>
                  Name them in the file of <code>CONFAM_UPSTREAMS</code>. Test keys still reach the sandbox.
                </p>
              </Empty>
            )}
            {data.toSorted(enginesLast).map((vendor) => (
              <Vendor key={vendor.name} vendor={vendor} onChanged={vendors.reload} />
            ))}
            {margin.length > 0 && <Margin margin={margin} />}
          </>
        )}
      </Loaded>
    </>
  );
}

/** What this deployment computes itself. */
const ENGINES: ReadonlySet<string> = new Set(['screening', 'emails', 'faces']);
const enginesLast = ({ name: one }: Shown, { name: other }: Shown): number => Number(ENGINES.has(one)) - Number(ENGINES.has(other));

/** Its circuit breaker is closed and nobody has paused it, but data that it needs is missing. */
const UNREADY: Worded = { word: 'Cannot answer', tone: 'warn' };

function Vendor({ vendor, onChanged }: { vendor: Shown; onChanged: () => void }) {
  const { name, records, reason } = vendor;
  const [isPausing, setPausing] = useState(false);
  const isPaused = records.some(({ health }) => health !== 'well');
  const resume = () =>
    attempt(async () => {
      await client.operator.resumeVendor(name);
      onChanged();
    }, `${name} is resumed.`);
  const paused = () => {
    setPausing(false);
    onChanged();
  };
  return (
    <section class="card" aria-label={name}>
      {isPausing && <PauseDialog name={name} onClose={() => setPausing(false)} onDone={paused} />}
      <header>
        <h2>{name}</h2>
        {ENGINES.has(name) && <span class="soft small">computed here, by Confam itself</span>}
        <div class="actions">
          {isPaused ? (
            <button type="button" onClick={() => void resume()}>
              Resume now
            </button>
          ) : (
            <button type="button" onClick={() => setPausing(true)}>
              Pause<span class="unseen"> {name}</span>
            </button>
          )}
        </div>
      </header>
      <div class="body stack">
        {reason !== null && (
          <Notice tone="warn" title="Live screenings are refused.">
            <p>
              {reason}. <a href="operator/lists">Watch lists</a> says what to do.
            </p>
          </Notice>
        )}
        <Records of={vendor} />
        <Figures of={vendor} />
      </div>
    </section>
  );
}

function PauseDialog({ name, onClose, onDone }: { name: string; onClose: () => void; onDone: () => void }) {
  const pause = async (entered: FormData) => {
    await client.operator.pauseVendor(name, Number(textIn(entered, 'minutes')));
    say(`${name} is paused.`);
    onDone();
  };
  return (
    <FormDialog title={`Pause ${name}?`} verb="Pause it" onClose={onClose} onSubmit={pause}>
      <p>
        Live look-ups go to the next vendor. Jobs that only {name} can answer wait; single calls are refused meanwhile. It resumes by
        itself.
      </p>
      <label class="field narrow">
        <span>For how many minutes</span>
        <input name="minutes" type="number" inputMode="numeric" min={1} max={1440} step={1} required defaultValue={30} />
      </label>
    </FormDialog>
  );
}

const Records = ({ of: { records, reason } }: { of: Shown }) => (
  <ul class="chips">
    {records.map(({ record, health, retry_after_ms }) => (
      <li key={record}>
        {checkName(record)} <State {...(reason !== null && health === 'well' ? UNREADY : healthStates[health])} />
        {retry_after_ms > 0 && <small class="soft"> for {duration(Math.ceil(retry_after_ms / 1000))}</small>}
      </li>
    ))}
  </ul>
);

function Figures({ of: { budget, lately, spend } }: { of: Shown }) {
  const errors = Object.entries(lately.errors);
  return (
    <dl class="facts">
      <div>
        <dt>Rate used</dt>
        <dd>
          {budget.used_share === null ? '–' : `${Math.round(budget.used_share * 100)} %`}
          <small>{budget.requests_per_second === null ? 'no limit' : `of ${budget.requests_per_second} a second`}</small>
        </dd>
      </div>
      <div>
        <dt>Answers, last {lately.minutes} min</dt>
        <dd>
          {count(lately.calls)}
          <small>
            {count(lately.found)} found, {count(lately.not_found)} not found
          </small>
        </dd>
      </div>
      <div>
        <dt>Failures</dt>
        <dd>
          {count(errors.reduce((sum, [, times]) => sum + times, 0))}
          <small>{errors.map(([kind, times]) => `${codeWords(kind).toLowerCase()} ${count(times)}`).join(', ')}</small>
        </dd>
      </div>
      <div>
        <dt>Time, median</dt>
        <dd>
          {lately.latency_ms.p50 === null ? '–' : took(lately.latency_ms.p50)}
          {lately.latency_ms.p95 !== null && <small>95 % within {took(lately.latency_ms.p95)}</small>}
        </dd>
      </div>
      <div>
        <dt>Cost today</dt>
        <dd>
          {naira(spend.today_amount)}
          <small>{naira(spend.period_amount)} in 30 days</small>
        </dd>
      </div>
    </dl>
  );
}

const Margin = ({ margin }: { margin: Providers['margin'] }) => (
  <section class="card" aria-labelledby="margin">
    <header>
      <h2 id="margin">Margin on live work, 30 days</h2>
    </header>
    <Table
      caption="Margin by day and check"
      name="Margin"
      rows={margin}
      keyOf={(row) => `${row.day} ${row.check}`}
      columns={[
        { name: 'Day', cell: (row) => dayOf(row.day) },
        { name: 'Check', cell: (row) => checkName(row.check) },
        { name: 'Charged', style: 'num', cell: (row) => naira(row.billed_amount) },
        { name: 'Cost', style: 'num', cell: (row) => naira(row.cost_amount) },
        { name: 'Margin', style: 'num', cell: (row) => naira(row.margin_amount) },
      ]}
    />
  </section>
);
