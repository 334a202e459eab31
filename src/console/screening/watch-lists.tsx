/** The watch lists that live mode is screened against: which versions are in force, and how old they are. */
import type { CurrentList } from '../../client/aml.ts';
import { count, type Worded } from '../format.ts';
import { Notice, Scroll, State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
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
          <Scroll name="Watch lists" isCard>
            <table>
              <caption class="unseen">Watch lists of live mode</caption>
              <thead>
                <tr>
                  <th scope="col">List</th>
                  <th scope="col">State</th>
                  <th scope="col">Version</th>
                  <th scope="col" class="num">
                    People
                  </th>
                  <th scope="col">Published</th>
                  <th scope="col">Last confirmed</th>
                </tr>
              </thead>
              <tbody>
                {data.map(({ list, title, publisher, category, state, version, checked_at }) => (
                  <tr key={list}>
                    <th scope="row" class="row-name">
                      {publisher}
                      <small class="soft below">
                        {title} · {category.replaceAll('_', ' ')}
                      </small>
                    </th>
                    <td>
                      <State {...STATES[state]} />
                    </td>
                    <td class="mono small">{version?.label ?? '–'}</td>
                    <td class="num">{version ? count(version.entries) : '–'}</td>
                    <td>{version?.published_on ?? '–'}</td>
                    <td>{checked_at ? <Time at={checked_at} /> : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </Loaded>
    </>
  );
}
