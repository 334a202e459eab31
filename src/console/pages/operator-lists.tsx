/** The watch lists that live keys are screened against. */
import type { WatchList } from '../../client/operator.ts';
import { count, type Worded } from '../format.ts';
import { listStates } from '../operator/words.ts';
import { Empty, Notice, State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
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
                <Notice tone="warn" title="Live screenings are waiting for a required list.">
                  <p>
                    Load it with <code>confam lists update</code> or <code>confam lists import</code>. Test keys are screened against the
                    sandbox’s own lists.
                  </p>
                </Notice>
              )}
              <ListTable lists={data} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** A list that is neither required nor loaded is not a fault. */
const stateOf = ({ state, required }: WatchList): Worded =>
  state === 'absent' && !required ? { ...listStates.absent, tone: 'plain' } : listStates[state];

const ListTable = ({ lists }: { lists: readonly WatchList[] }) => (
  <Table
    caption="Watch lists"
    isCard
    rows={lists}
    keyOf={(list) => list.list}
    columns={[
      {
        name: 'List',
        isHead: true,
        style: 'text',
        cell: (list) => (
          <>
            <a href={`operator/lists/${list.list}`}>{list.title}</a>
            <small class="block soft">{list.publisher}</small>
          </>
        ),
      },
      { name: 'State', cell: (list) => <State {...stateOf(list)} /> },
      { name: 'Required', cell: (list) => (list.required ? 'Yes' : 'No') },
      { name: 'Version', style: 'mono small', cell: (list) => list.version?.label ?? '–' },
      { name: 'Listings', style: 'num', cell: (list) => (list.version ? count(list.version.entries) : '–') },
      { name: 'Confirmed', cell: (list) => (list.checked_at ? <Time at={list.checked_at} /> : '–') },
      { name: 'Last refusal', style: 'text', cell: (list) => (list.refusal ? `${list.refusal.reason}: ${list.refusal.detail}` : '–') },
    ]}
  />
);
