/** Screening beyond single jobs: monitors of people, cleared hits, and the watch lists. */
import { useState } from 'preact/hooks';
import type { Clearance, Monitor } from '../../client/aml.ts';
import { counted, keyName, shortId } from '../format.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Filter, filterOf } from '../parts/filter.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { useListTitles } from '../screening/list-titles.ts';
import { MonitorDialog } from '../screening/monitor-dialog.tsx';
import { WatchLists } from '../screening/watch-lists.tsx';
import { client, may } from '../state.ts';

const VIEWS = [
  ['', 'Monitors'],
  ['clearances', 'Cleared hits'],
  ['lists', 'Watch lists'],
] as const;

export default function ScreeningPage() {
  const view = query.value.get('view') ?? '';
  return (
    <>
      <div class="head">
        <h1>Screening</h1>
      </div>
      <div class="mode views" role="radiogroup" aria-label="What to show">
        {VIEWS.map(([value, name]) => (
          <label key={value}>
            <input type="radio" name="view" checked={view === value} onChange={() => setQuery({ view: value })} />
            {name}
          </label>
        ))}
      </div>
      {view === 'clearances' ? <Clearances /> : view === 'lists' ? <WatchLists /> : <Monitors />}
    </>
  );
}

type AskedOfMonitor = 'hits' | 'end';

const SHOWN = [
  ['', 'All', {}],
  ['active', 'Active', { active: true }],
  ['hits', 'Active with new hits', { active: true, with_hits: true }],
  ['ended', 'Ended', { active: false }],
] as const;

function Monitors() {
  const shown = filterOf('monitors');
  const narrowed = SHOWN.find(([value]) => value === shown)?.[2] ?? {};
  const monitors = useList<Monitor>(`monitors ${shown}`, (cursor, signal) =>
    client.aml.monitors({ ...narrowed, limit: 50, cursor }, signal),
  );
  const [asked, setAsked] = useState<{ what: AskedOfMonitor; monitor: Monitor } | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <p class="soft">A monitor screens a person again whenever a list changes, and tells you by webhook what is new.</p>
      <div class="filters">
        <Filter name="monitors" label="Show" options={SHOWN.map(([value, word]) => [value, word] as const)} />
      </div>
      <Listed of={monitors} empty={shown === '' ? <NobodyMonitored /> : <Empty title="No monitor matches" />}>
        {(items) => <MonitorTable monitors={items} onAsk={(what, monitor) => setAsked({ what, monitor })} />}
      </Listed>
      {asked?.what === 'hits' && <MonitorDialog monitor={asked.monitor} onClose={close} />}
      {asked?.what === 'end' && (
        <Confirm
          title="End this monitor?"
          verb="End it"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => client.aml.endMonitor(asked.monitor.id), 'The monitor has ended.').then(monitors.reload);
          }}
        >
          <p>{asked.monitor.name} is no longer screened, and the details that were submitted for it are deleted. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}

const NobodyMonitored = () => (
  <Empty title="Nobody is monitored">
    <p>An AML check with monitoring starts one.</p>
    {may('verify', 'wallet:read') && <a href="try?check=aml_screening">Try an AML check</a>}
  </Empty>
);

interface MonitorTableProps {
  monitors: readonly Monitor[];
  onAsk: (what: AskedOfMonitor, monitor: Monitor) => void;
}

const MonitorTable = ({ monitors, onAsk }: MonitorTableProps) => (
  <Table
    caption="Monitors, newest first"
    name="Monitors"
    isCard
    rows={monitors}
    keyOf={(monitor) => monitor.id}
    columns={[
      {
        name: 'Person',
        isHead: true,
        cell: (monitor) => (
          <>
            {monitor.name ?? <span class="soft">Deleted</span>}
            <small class="soft below">
              {[monitor.date_of_birth, monitor.country].filter(Boolean).join(', ')}{' '}
              <a href={`jobs/${monitor.job}`}>job {shortId(monitor.job)}</a>
            </small>
          </>
        ),
      },
      {
        name: 'State',
        cell: (monitor) => (monitor.ended_at ? <State word="Ended" tone="plain" /> : <State word="Active" tone="good" />),
      },
      {
        name: 'New hits',
        cell: (monitor) =>
          monitor.hits > 0 ? <State word={counted(monitor.hits, 'new hit')} tone="bad" /> : <span class="soft">None</span>,
      },
      { name: 'Since', cell: (monitor) => <Time at={monitor.created_at} /> },
      {
        name: 'Last screened again',
        cell: (monitor) => (monitor.screened_at ? <Time at={monitor.screened_at} /> : <span class="soft">Not yet</span>),
      },
      {
        name: 'Actions',
        isNameUnseen: true,
        cell: (monitor) => (
          <div class="row-actions">
            {monitor.hits > 0 && (
              <button type="button" class="plain" onClick={() => onAsk('hits', monitor)}>
                See hits<span class="unseen"> of {monitor.name ?? shortId(monitor.id)}</span>
              </button>
            )}
            {!monitor.ended_at && may('reviews') && (
              <button type="button" class="plain" onClick={() => onAsk('end', monitor)}>
                End<span class="unseen"> the monitor of {monitor.name}</span>
              </button>
            )}
          </div>
        ),
      },
    ]}
  />
);

function Clearances() {
  const clearances = useList<Clearance>('clearances', (cursor, signal) => client.aml.clearances({ limit: 50, cursor }, signal));
  const titleOf = useListTitles();
  const [asked, setAsked] = useState<Clearance | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <p class="soft">A cleared hit does not count again until its listing changes. Hits are cleared on the page of their job.</p>
      <Listed of={clearances} empty={<Empty title="No hit is cleared" />}>
        {(items) => <ClearanceTable clearances={items} titleOf={titleOf} onRevoke={setAsked} />}
      </Listed>
      {asked && (
        <Confirm
          title="Revoke this clearance?"
          verb="Revoke"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => client.aml.revokeClearance(asked.id), 'The hit counts again.').then(clearances.reload);
          }}
        >
          <p>The next screening of this person reports the hit again.</p>
        </Confirm>
      )}
    </>
  );
}

interface ClearanceTableProps {
  clearances: readonly Clearance[];
  titleOf: (list: string) => string;
  onRevoke: (clearance: Clearance) => void;
}

const ClearanceTable = ({ clearances, titleOf, onRevoke }: ClearanceTableProps) => (
  <Table
    caption="Clearances, newest first"
    name="Cleared hits"
    isCard
    rows={clearances}
    keyOf={(clearance) => clearance.id}
    columns={[
      {
        name: 'Listing',
        isHead: true,
        style: 'text',
        cell: ({ list, source_id }) => (
          <>
            Entry {source_id}
            <small class="soft below">{titleOf(list)}</small>
          </>
        ),
      },
      {
        name: 'State',
        cell: (clearance) => (clearance.lapsed ? <State word="Counts again" tone="warn" /> : <State word="Cleared" tone="good" />),
      },
      { name: 'Reason', style: 'text', cell: (clearance) => clearance.reason },
      {
        name: 'Cleared by',
        cell: ({ cleared_by, created_by }) => (
          <>
            {cleared_by}
            {created_by?.kind === 'key' && <small class="soft below">recorded by the key {keyName(created_by)}</small>}
          </>
        ),
      },
      { name: 'On', cell: (clearance) => <Time at={clearance.created_at} /> },
      {
        name: 'Until',
        cell: (clearance) => (clearance.expires_at ? <Time at={clearance.expires_at} /> : <span class="soft">Until it changes</span>),
      },
      {
        name: 'Actions',
        isNameUnseen: true,
        cell: (clearance) =>
          may('reviews') && (
            <div class="row-actions">
              <button type="button" class="plain" onClick={() => onRevoke(clearance)}>
                Revoke<span class="unseen"> the clearance of entry {clearance.source_id}</span>
              </button>
            </div>
          ),
      },
    ]}
  />
);
