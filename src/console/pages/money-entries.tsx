/** The ledger of the app's wallet. */
import type { Entry } from '../../client/money.ts';
import { checkName, count, counted, naira, shortId } from '../format.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { BatchName } from '../parts/batch-name.tsx';
import { Empty, Time } from '../parts/common.tsx';
import { Filter, filterOf } from '../parts/filter.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { save } from '../parts/save.ts';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client } from '../state.ts';

/** The two outer accounts are the deployment's. */
const ACCOUNTS: Readonly<Record<Entry['from'], string>> = { topups: 'Payments', available: 'Available', held: 'Held', revenue: 'Charges' };
const KINDS: Readonly<Record<Entry['kind'], string>> = {
  topup: 'Top-up',
  hold: 'Held',
  capture: 'Charged',
  release: 'Released',
  refund: 'Refunded',
  write_off: 'Written off',
};

export default function MoneyEntriesPage() {
  const kind = filterOf('kind');
  const list = useList(`entries ${kind}`, (cursor, signal) => client.money.entries({ kind, cursor, limit: 50 }, signal));
  const download = () => attempt(async () => save(await client.money.entriesFile({ kind }), 'entries.csv'), 'The file is being saved.');
  return (
    <>
      <div class="head">
        <h1>Entries</h1>
        <div class="actions">
          <Filter name="kind" label="Kind" options={[['', 'All'], ...Object.entries(KINDS)]} isBeside />
          <button type="button" onClick={() => void download()}>
            Download CSV
          </button>
        </div>
      </div>
      <MoneyTabs />
      <Listed of={list} empty={<Empty title={kind ? 'No entries of this kind' : 'There are no entries yet'} />}>
        {(entries) => <EntryTable entries={entries} />}
      </Listed>
    </>
  );
}

const chargeOf = ({ jobs, check }: Entry): string => (check ? `${checkName(check)} × ${count(jobs!)}` : counted(jobs!, 'check'));

const EntryTable = ({ entries }: { entries: readonly Entry[] }) => (
  <Table
    caption="Entries of the ledger, newest first"
    name="Entries"
    isCard
    rows={entries}
    keyOf={(entry) => entry.id}
    columns={[
      { name: 'Time', cell: (entry) => <Time at={entry.at} /> },
      { name: 'What', cell: (entry) => KINDS[entry.kind] },
      { name: 'From', style: 'soft', cell: (entry) => ACCOUNTS[entry.from] },
      { name: 'To', style: 'soft', cell: (entry) => ACCOUNTS[entry.to] },
      {
        name: 'For',
        style: 'text',
        cell: (entry) =>
          entry.batch ? (
            <>
              <BatchName id={entry.batch} />
              {entry.jobs !== null && <small class="soft below">{chargeOf(entry)}</small>}
            </>
          ) : entry.job ? (
            <>
              {entry.check ? checkName(entry.check) : 'One job'} <span class="soft id">{shortId(entry.job)}</span>
            </>
          ) : (
            (entry.note ?? '–')
          ),
      },
      { name: 'Amount', style: 'num', cell: (entry) => naira(entry.amount) },
    ]}
  />
);
