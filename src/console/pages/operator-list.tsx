/** The versions of a watch list: when each took effect, and what it changed. */
import type { ListVersion } from '../../client/operator.ts';
import { count } from '../format.ts';
import type { PageProps } from '../page.ts';
import { Empty, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { client } from '../state.ts';
import { useSubject } from '../subject.ts';

export default function OperatorListPage({ params: { list: id } }: PageProps) {
  const lists = useResource('lists', (signal) => client.operator.lists(signal));
  const list = lists.data?.data.find((one) => one.list === id);
  useSubject(list?.title ?? id!);
  const versions = useList(`list ${id}`, (cursor, signal) => client.operator.listVersions(id!, { cursor, limit: 50 }, signal));
  return (
    <>
      <div class="head">
        <p class="crumb">
          <a href="operator/lists">Watch lists</a>
        </p>
        <h1>{list?.title ?? id}</h1>
        {list && <span class="soft">{list.publisher}</span>}
      </div>
      <Listed
        of={versions}
        empty={
          <Empty title="No version has been loaded yet">
            <p>
              Load it with <code>confam lists update {id}</code>, or a file of it with <code>confam lists import {id} FILE</code>.
            </p>
          </Empty>
        }
      >
        {(data) => <VersionTable versions={data} />}
      </Listed>
    </>
  );
}

const VersionTable = ({ versions }: { versions: readonly ListVersion[] }) => (
  <Table
    caption="Versions, newest first"
    name="Versions"
    isCard
    rows={versions}
    keyOf={(version) => version.id}
    columns={[
      { name: 'Version', isHead: true, style: 'mono', cell: (version) => version.label },
      { name: 'Loaded', cell: (version) => <Time at={version.loaded_at} /> },
      { name: 'Listings', style: 'num', cell: (version) => count(version.entries) },
      { name: 'Added', style: 'num', cell: (version) => count(version.added) },
      { name: 'Changed', style: 'num', cell: (version) => count(version.changed) },
      { name: 'Removed', style: 'num', cell: (version) => count(version.removed) },
      { name: 'Origin', style: 'text small', cell: (version) => version.origin },
    ]}
  />
);
