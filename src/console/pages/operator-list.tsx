/** The versions of a watch list: when each came into force, and what it changed. */
import type { ListVersion } from '../../client/operator.ts';
import { count } from '../format.ts';
import type { PageProps } from '../page.ts';
import { Empty, Scroll, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { client } from '../state.ts';

export default function OperatorListPage({ params: { list: id } }: PageProps) {
  const versions = useList(`list ${id}`, (cursor, signal) => client.operator.listVersions(id!, { cursor, limit: 50 }, signal));
  return (
    <>
      <div class="head">
        <p class="crumb">
          <a href="operator/lists">Watch lists</a>
        </p>
        <h1>{id}</h1>
      </div>
      <Listed of={versions} empty={<Empty title="No version was loaded yet" />}>
        {(data) => (
          <Scroll name="Versions" isCard>
            <VersionTable versions={data} />
          </Scroll>
        )}
      </Listed>
    </>
  );
}

const VersionTable = ({ versions }: { versions: readonly ListVersion[] }) => (
  <table>
    <caption class="unseen">Versions, newest first</caption>
    <thead>
      <tr>
        <th scope="col">Version</th>
        <th scope="col">Loaded</th>
        <th scope="col" class="num">
          People
        </th>
        <th scope="col" class="num">
          Added
        </th>
        <th scope="col" class="num">
          Changed
        </th>
        <th scope="col" class="num">
          Removed
        </th>
        <th scope="col">Origin</th>
      </tr>
    </thead>
    <tbody>
      {versions.map((version) => (
        <tr key={version.id}>
          <th scope="row" class="row-name mono">
            {version.label}
          </th>
          <td>
            <Time at={version.loaded_at} />
          </td>
          <td class="num">{count(version.entries)}</td>
          <td class="num">{count(version.added)}</td>
          <td class="num">{count(version.changed)}</td>
          <td class="num">{count(version.removed)}</td>
          <td class="text small">{version.origin}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
