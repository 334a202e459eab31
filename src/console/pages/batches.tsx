/** The app's batches, newest first. Those that run move by themselves. */
import { useState } from 'preact/hooks';
import type { Batch } from '../../client/client.ts';
import type { Page } from '../../client/transport.ts';
import { batchStates, checkName, count, naira, shortId } from '../format.ts';
import { Empty, Scroll, State, Time } from '../parts/common.tsx';
import { OutcomeBar } from '../parts/outcomes.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client, may, mode } from '../state.ts';

const PAGE = 50;
const EVERY_MS = 5_000;

export default function BatchesPage() {
  const status = query.value.get('status') ?? '';
  const reference = query.value.get('reference') ?? '';
  const filter = { status, reference };
  const [more, setMore] = useState<{ of: string; pages: Page<Batch>[] }>({ of: '', pages: [] });
  const key = `batches ${status} ${reference}`;
  const first = useResource(key, (signal) => client.batches.page({ ...filter, limit: PAGE }, signal), { everyMs: EVERY_MS });
  const further = more.of === key ? more.pages : [];
  return (
    <>
      <div class="head">
        <h1>Batches</h1>
        {may('batches:write', 'wallet:read') && (
          <div class="actions">
            <a class="button main" href="upload">
              Upload a file
            </a>
          </div>
        )}
      </div>
      <Filters status={status} reference={reference} />
      <Loaded of={first}>
        {(page) => {
          const shown = new Map([page, ...further].flatMap(({ data }) => data).map((batch) => [batch.id, batch]));
          const last = further.at(-1) ?? page;
          const showMore = () =>
            attempt(async () => {
              const next = await client.batches.page({ ...filter, limit: PAGE, cursor: last.next_cursor });
              setMore({ of: key, pages: [...further, next] });
            }, null);
          if (shown.size === 0) return <Nothing isFiltered={status !== '' || reference !== ''} />;
          return (
            <>
              <Scroll name="Batches" isCard>
                <BatchTable batches={[...shown.values()]} />
              </Scroll>
              {last.next_cursor !== null && (
                <div>
                  <button type="button" onClick={() => void showMore()}>
                    Show more
                  </button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Filters({ status, reference }: { status: string; reference: string }) {
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ reference: String(new FormData(event.currentTarget).get('reference')).trim() });
      }}
    >
      <label class="field">
        <span>State</span>
        <select value={status} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
          <option value="">All</option>
          {Object.entries(batchStates).map(([id, { word }]) => (
            <option key={id} value={id}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Reference</span>
        <input name="reference" type="search" defaultValue={reference} placeholder="The whole reference" maxLength={200} />
      </label>
      <button type="submit">Find</button>
    </form>
  );
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No batch fits">
      <button type="button" onClick={() => setQuery({ status: '', reference: '' })}>
        Show all batches
      </button>
    </Empty>
  ) : (
    <Empty title={`No batches in ${mode.value} mode yet`}>
      <p>A batch is a file of customers that is checked row by row.</p>
    </Empty>
  );

function BatchTable({ batches }: { batches: Batch[] }) {
  return (
    <table>
      <caption class="unseen">Batches, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Batch</th>
          <th scope="col">State</th>
          <th scope="col">Checks</th>
          <th scope="col" class="num">
            Rows
          </th>
          <th scope="col">Progress</th>
          <th scope="col" class="num">
            Found
          </th>
          <th scope="col" class="num">
            Failed
          </th>
          <th scope="col" class="num">
            Cost
          </th>
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        {batches.map((batch) => (
          <tr key={batch.id}>
            <th scope="row" class="row-name">
              <a href={`batches/${batch.id}`}>{batch.reference ?? shortId(batch.id)}</a>
            </th>
            <td>
              <State {...batchStates[batch.status]} />
            </td>
            <td class="soft">{batch.checks.map(checkName).join(', ')}</td>
            <td class="num">{count(batch.counts.rows)}</td>
            <td>
              <span class="meter">
                <OutcomeBar counts={batch.counts} isThin />
                <span class="small soft">{batch.progress.percent} %</span>
              </span>
            </td>
            <td class="num">{count(batch.counts.found)}</td>
            <td class="num">{count(batch.counts.failed)}</td>
            <td class="num">{naira(batch.billed_amount)}</td>
            <td>
              <Time at={batch.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
