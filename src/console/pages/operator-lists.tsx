/** The watch lists that live keys are screened against. */
import type { WatchList } from '../../client/operator.ts';
import { count } from '../format.ts';
import { listStates } from '../operator/words.ts';
import { Empty, Notice, Scroll, State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { client } from '../state.ts';

export default function OperatorListsPage() {
  const lists = useResource('lists', (signal) => client.operator.lists(signal));
  return (
    <>
      <div class="head">
        <h1>Watch lists</h1>
      </div>
      <Loaded of={lists}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No list is defined" />
          ) : (
            <>
              {data.some(({ required, state }) => required && state !== 'current') && (
                <Notice tone="warn" title="Live screenings wait for a required list.">
                  <p>
                    Load it with <code>confam lists refresh</code> or <code>confam lists import</code>. Test keys are screened against the
                    sandbox’s own lists.
                  </p>
                </Notice>
              )}
              <Scroll name="Watch lists" isCard>
                <ListTable lists={data} />
              </Scroll>
            </>
          )
        }
      </Loaded>
    </>
  );
}

const ListTable = ({ lists }: { lists: readonly WatchList[] }) => (
  <table>
    <caption class="unseen">Watch lists</caption>
    <thead>
      <tr>
        <th scope="col">List</th>
        <th scope="col">State</th>
        <th scope="col">Needed</th>
        <th scope="col">Version</th>
        <th scope="col" class="num">
          People
        </th>
        <th scope="col">Confirmed</th>
        <th scope="col">Last refusal</th>
      </tr>
    </thead>
    <tbody>
      {lists.map((list) => (
        <tr key={list.list}>
          <th scope="row" class="row-name text">
            <a href={`operator/lists/${list.list}`}>{list.title}</a>
            <small class="block soft">{list.publisher}</small>
          </th>
          <td>
            <State {...listStates[list.state]} />
          </td>
          <td>{list.required ? 'Yes' : 'No'}</td>
          <td class="mono small">{list.version?.label ?? '–'}</td>
          <td class="num">{list.version ? count(list.version.entries) : '–'}</td>
          <td>{list.checked_at ? <Time at={list.checked_at} /> : '–'}</td>
          <td class="text">{list.refusal ? `${list.refusal.reason}: ${list.refusal.detail}` : '–'}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
