/** The watch lists that live mode is screened against: which versions are in force, and how old they are. */
import type { CurrentList } from '../../client/aml.ts';
import { count, type Worded } from '../format.ts';
import { categoryName } from '../job/hit-words.ts';
import { Notice, State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { client, mode } from '../state.ts';

const STATES: Readonly<Record<CurrentList['state'], Worded>> = {
  current: { word: 'Current', tone: 'good' },
  too_old: { word: 'Too old', tone: 'bad' },
  absent: { word: 'Not loaded', tone: 'plain' },
};

export function WatchLists() {
  const lists = useResource('watch lists', (signal) => client.aml.lists(signal));
  return (
    <>
      {mode.value === 'test' && (
        <Notice tone="info" title="Test mode screens against invented lists.">
          <p>These are the lists of live mode.</p>
        </Notice>
      )}
      <Loaded of={lists}>
        {({ data }) => (
          <Table
            caption="Watch lists of live mode"
            name="Watch lists"
            isCard
            rows={data}
            keyOf={({ list }) => list}
            columns={[
              {
                name: 'List',
                isHead: true,
                cell: ({ title, publisher, category }) => (
                  <>
                    {publisher}
                    <small class="soft below">
                      {title} · {categoryName(category)}
                    </small>
                  </>
                ),
              },
              { name: 'State', cell: ({ state }) => <State {...STATES[state]} /> },
              { name: 'Version', style: 'mono small', cell: ({ version }) => version?.label ?? '–' },
              { name: 'People', style: 'num', cell: ({ version }) => (version ? count(version.entries) : '–') },
              { name: 'Published', cell: ({ version }) => version?.published_on ?? '–' },
              { name: 'Last confirmed', cell: ({ checked_at }) => (checked_at ? <Time at={checked_at} /> : '–') },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
