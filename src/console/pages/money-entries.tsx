/** The ledger of the app's wallet. */
import type { Entry } from '../../client/money.ts';
import { naira, shortId } from '../format.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { Empty, Scroll, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { save } from '../parts/save.ts';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client } from '../state.ts';

const KINDS: Readonly<Record<Entry['kind'], string>> = { topup: 'Top-up', hold: 'Held', capture: 'Charged', release: 'Released' };

export default function MoneyEntriesPage() {
  const kind = query.value.get('kind') ?? '';
  const list = useList(`entries ${kind}`, (cursor, signal) => client.money.entries({ kind, cursor, limit: 50 }, signal));
  const download = () => attempt(async () => save(await client.money.entriesFile({ kind }), 'entries.csv'), 'The file is being saved.');
  return (
    <>
      <div class="head">
        <h1>Entries</h1>
        <div class="actions">
          <label class="beside-label">
            Kind
            <select value={kind} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
              <option value="">All</option>
              {Object.entries(KINDS).map(([id, word]) => (
                <option key={id} value={id}>
                  {word}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => void download()}>
            Download CSV
          </button>
        </div>
      </div>
      <MoneyTabs />
      <Listed of={list} empty={<Empty title={kind ? 'No entries of this kind' : 'There are no entries yet'} />}>
        {(entries) => (
          <Scroll name="Entries" isCard>
            <EntryTable entries={entries} />
          </Scroll>
        )}
      </Listed>
    </>
  );
}

const EntryTable = ({ entries }: { entries: readonly Entry[] }) => (
  <table>
    <caption class="unseen">Entries of the ledger, newest first</caption>
    <thead>
      <tr>
        <th scope="col">Time</th>
        <th scope="col">What</th>
        <th scope="col">From</th>
        <th scope="col">To</th>
        <th scope="col">For</th>
        <th scope="col" class="num">
          Amount
        </th>
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <Time at={entry.at} />
          </td>
          <td>{KINDS[entry.kind]}</td>
          <td class="soft">{entry.from}</td>
          <td class="soft">{entry.to}</td>
          <td>
            {entry.batch ? (
              <a href={`batches/${entry.batch}`}>Batch {shortId(entry.batch)}</a>
            ) : entry.job ? (
              shortId(entry.job)
            ) : (
              (entry.note ?? '–')
            )}
          </td>
          <td class="num">{naira(entry.amount)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
