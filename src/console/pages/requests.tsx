/** The app's last requests: what was asked, how it ended, how long it took. Never what was in them. */
import { useMemo } from 'preact/hooks';
import type { LoggedRequest } from '../../client/requests.ts';
import { took, type Worded } from '../format.ts';
import { namesOf, useActors } from '../parts/actors.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Filter, FilterForm, filterOf, Search } from '../parts/filter.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { ActorName } from '../parts/submitter.tsx';
import { Table } from '../parts/table.tsx';
import { setQuery } from '../router.ts';
import { client, may, mode } from '../state.ts';

const PAGE = 50;
const EVERY_MS = 5_000;

const CLASSES = [
  ['', 'All'],
  ['2xx', 'Answered (2xx)'],
  ['4xx', 'Refused (4xx)'],
  ['5xx', 'Failed (5xx)'],
] as const;

const CALLERS = [
  ['', 'Anybody'],
  ['key', 'Keys'],
  ['person', 'People'],
] as const;

const FILTERS = ['status', 'request', 'route', 'by'] as const;

export default function RequestsPage() {
  const actors = useActors();
  const names = useMemo(() => namesOf(actors), [actors]);
  const filter = Object.fromEntries(FILTERS.map((name) => [name, filterOf(name)]));
  const list = useList(
    `requests ${JSON.stringify(filter)}`,
    (cursor, signal) => client.requests.page({ ...filter, cursor, limit: PAGE }, signal),
    { everyMs: EVERY_MS },
  );
  return (
    <>
      <div class="head">
        <h1>Requests</h1>
        <div class="actions">
          <span class="soft small">Refreshed every few seconds</span>
          <button type="button" onClick={list.reload}>
            Refresh
          </button>
        </div>
      </div>
      <Filters />
      <Listed
        of={list}
        empty={
          FILTERS.some((name) => filter[name]) ? (
            <Empty title="No request matches">
              <button type="button" onClick={() => setQuery({ status: '', request: '', route: '', by: '' })}>
                Show all requests
              </button>
            </Empty>
          ) : (
            <Empty title={`No requests in ${mode.value} mode yet`}>
              <p>The calls of your keys and programs appear here within a second, and stay for 7 days.</p>
              {may('verify', 'wallet:read') && (
                <a class="button" href="try">
                  Try a check
                </a>
              )}
            </Empty>
          )
        }
      >
        {(requests) => <RequestTable requests={requests} names={names} />}
      </Listed>
    </>
  );
}

const Filters = () => (
  <FilterForm>
    <Filter name="status" label="Answer" options={CLASSES} />
    <Filter name="by" label="By" options={CALLERS} />
    <Search name="route" label="Route" placeholder="/api/v1/jobs/:id" />
    <Search name="request" label="Request id" placeholder="req_…" />
  </FilterForm>
);

function outcomeOf({ status }: LoggedRequest): Worded {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return { word: String(status), tone };
}

const RequestTable = ({ requests, names }: { requests: readonly LoggedRequest[]; names: ReadonlyMap<string, string> }) => (
  <Table
    caption="Requests, newest first"
    name="Requests"
    isCard
    rows={requests}
    keyOf={(request) => request.id}
    columns={[
      { name: 'Time', cell: (request) => <Time at={request.at} isExact /> },
      {
        name: 'Request',
        isHead: true,
        style: 'roomy',
        cell: (request) => (
          <>
            <code>
              {request.method} {request.route}
            </code>
            <ShortId id={request.id} />
          </>
        ),
      },
      { name: 'Status', cell: (request) => <State {...outcomeOf(request)} /> },
      { name: 'Code', cell: (request) => (request.code ? <code>{request.code}</code> : '–') },
      { name: 'Time taken', style: 'num nowrap', cell: ({ duration_ms }) => took(Math.max(1, Math.round(duration_ms))) },
      {
        name: 'By',
        style: 'soft text',
        cell: ({ actor }) => (
          <span title={actor.id}>
            <ActorName actor={actor} names={names} />
          </span>
        ),
      },
    ]}
  />
);
