/** The app's last requests: what was asked, how it ended, how long it took. Never what was in them. */
import type { LoggedRequest } from '../../client/requests.ts';
import { count, type Worded } from '../format.ts';
import { Empty, Scroll, State, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { useEvery } from '../parts/resource.tsx';
import { query, setQuery } from '../router.ts';
import { client, mode } from '../state.ts';

const PAGE = 50;
const EVERY_MS = 5_000;

const CLASSES = [
  ['2xx', 'Answered (2xx)'],
  ['4xx', 'Refused (4xx)'],
  ['5xx', 'Failed (5xx)'],
] as const;

const FILTERS = ['status', 'request', 'route', 'by'] as const;

export default function RequestsPage() {
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.value.get(name) ?? '']));
  const list = useList(`requests ${JSON.stringify(filter)}`, (cursor, signal) =>
    client.requests.page({ ...filter, cursor, limit: PAGE }, signal),
  );
  // Further pages would be dropped.
  const isFollowed = list.items.length <= PAGE;
  useEvery(isFollowed ? EVERY_MS : null, list.reload);
  return (
    <>
      <div class="head">
        <h1>Requests</h1>
        <div class="actions">
          <span class="soft small">{isFollowed ? 'Read again every 5 seconds' : 'Stands still'}</span>
          <button type="button" onClick={list.reload}>
            Read again
          </button>
        </div>
      </div>
      <Filters filter={filter} />
      <Listed
        of={list}
        empty={
          FILTERS.some((name) => filter[name]) ? (
            <Empty title="No request fits">
              <button type="button" onClick={() => setQuery({ status: '', request: '', route: '', by: '' })}>
                Show all requests
              </button>
            </Empty>
          ) : (
            <Empty title={`No requests in ${mode.value} mode yet`}>
              <p class="soft">Calls of your keys appear here within a second, and stay for 7 days.</p>
            </Empty>
          )
        }
      >
        {(requests) => (
          <Scroll name="Requests" isCard>
            <RequestTable requests={requests} />
          </Scroll>
        )}
      </Listed>
    </>
  );
}

function Filters({ filter }: { filter: Record<string, string> }) {
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const sent = new FormData(event.currentTarget);
        setQuery({ request: String(sent.get('request')).trim(), route: String(sent.get('route')).trim() });
      }}
    >
      <label class="field">
        <span>Answer</span>
        <select value={filter.status} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
          <option value="">All</option>
          {CLASSES.map(([id, word]) => (
            <option key={id} value={id}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>By</span>
        <select value={filter.by} onChange={(event) => setQuery({ by: event.currentTarget.value })}>
          <option value="">Keys and people</option>
          <option value="key">Keys</option>
          <option value="person">People</option>
        </select>
      </label>
      <label class="field">
        <span>Route</span>
        <input
          name="route"
          type="search"
          key={`route ${filter.route}`}
          defaultValue={filter.route}
          placeholder="/api/v1/jobs/:id"
          maxLength={200}
        />
      </label>
      <label class="field">
        <span>Request id</span>
        <input
          name="request"
          type="search"
          key={`request ${filter.request}`}
          defaultValue={filter.request}
          placeholder="req_…"
          maxLength={100}
        />
      </label>
      <button type="submit">Find</button>
    </form>
  );
}

function outcomeOf({ status }: LoggedRequest): Worded {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return { word: String(status), tone };
}

const RequestTable = ({ requests }: { requests: readonly LoggedRequest[] }) => (
  <table>
    <caption class="unseen">Requests, newest first</caption>
    <thead>
      <tr>
        <th scope="col">Time</th>
        <th scope="col">Request</th>
        <th scope="col">Status</th>
        <th scope="col">Code</th>
        <th scope="col" class="num">
          Time taken
        </th>
        <th scope="col">By</th>
      </tr>
    </thead>
    <tbody>
      {requests.map((request) => (
        <tr key={request.id}>
          <td>
            <Time at={request.at} />
          </td>
          <th scope="row" class="row-name">
            <code class="nowrap">
              {request.method} {request.route}
            </code>
            <small class="block soft mono">{request.id}</small>
          </th>
          <td>
            <State {...outcomeOf(request)} />
          </td>
          <td>{request.code ? <code>{request.code}</code> : '–'}</td>
          <td class="num nowrap">{count(Math.max(1, Math.round(request.duration_ms)))} ms</td>
          <td class="soft nowrap" title={request.actor.id}>
            {request.actor.kind === 'key' ? 'Key' : 'Person'} …{request.actor.id.slice(-6)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
