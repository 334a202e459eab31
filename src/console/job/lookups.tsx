/** Which vendors were asked for a job, in order. */
import type { Job, Lookup } from '../../client/client.ts';
import { count, time, timeUtc, took, type Worded } from '../format.ts';
import { State } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { client } from '../state.ts';

export function Lookups({ job }: { job: Job }) {
  const asked = useResource(`lookups ${job.id} ${job.status} ${job.attempts}`, (signal) => client.jobs.lookups(job.id, signal));
  return (
    <section class="card" aria-labelledby="lookups">
      <header>
        <h2 id="lookups">Vendors asked</h2>
      </header>
      <Loaded of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="body soft">{whyNone(job)}</p>
          ) : (
            <Table caption="Vendors that were asked for this, in order" columns={COLUMNS} rows={data} keyOf={keyOf} />
          )
        }
      </Loaded>
    </section>
  );
}

function whyNone({ live, cached, duplicate_of, status }: Job): string {
  if (!live) return 'None: test mode asks the sandbox.';
  if (cached) return 'None: the answer came from the cache.';
  if (status === 'queued' || status === 'leased') return 'None yet. They appear when an attempt is over.';
  if (status === 'canceled') return 'None: it was canceled before its turn.';
  return duplicate_of === null ? 'None: Confam computes this answer itself.' : `None: it shares the answer of row ${count(duplicate_of)}.`;
}

const keyOf = ({ provider, record, began_at, vendor_reference }: Lookup): string => `${began_at} ${provider} ${record} ${vendor_reference}`;

const OUTCOMES: Readonly<Record<string, Worded>> = {
  found: { word: 'Found', tone: 'good' },
  not_found: { word: 'Not found', tone: 'info' },
  pending: { word: 'Answers later', tone: 'plain' },
  abandoned: { word: 'Another was faster', tone: 'plain' },
};

const outcomeOf = (outcome: string): Worded => OUTCOMES[outcome] ?? { word: outcome.replaceAll('_', ' '), tone: 'bad' };

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

const COLUMNS: readonly Column<Lookup>[] = [
  {
    name: 'Asked',
    cell: ({ began_at }) => (
      <time class="nowrap" dateTime={began_at} title={`${time(began_at)}, ${timeUtc(began_at)}`}>
        {clock.format(new Date(began_at))}
      </time>
    ),
  },
  {
    name: 'Vendor',
    isHead: true,
    cell: ({ provider, hedged }) => (
      <>
        {provider}
        {hedged && <small class="soft below">also asked, because the previous vendor was slow</small>}
      </>
    ),
  },
  { name: 'For', cell: ({ record, tier }) => `${record.replaceAll('_', ' ')}, tier ${tier}` },
  { name: 'Answer', cell: ({ outcome }) => <State {...outcomeOf(outcome)} /> },
  { name: 'Took', style: 'num', cell: ({ latency_ms }) => took(latency_ms) },
  {
    name: 'Vendor’s own',
    style: 'text',
    cell: ({ vendor_status, vendor_reference }) => (
      <>
        {vendor_status ?? '–'}
        {vendor_reference && <small class="soft below mono">{vendor_reference}</small>}
      </>
    ),
  },
];
