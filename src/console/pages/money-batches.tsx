/** What batches were charged: one line per batch, check and price, which opens to show the rows behind it. */
import { useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import type { BatchCharge } from '../../client/money.ts';
import { RowLink, RowPages } from '../batch/row-pages.tsx';
import { checkName, count, counted, naira, shortId } from '../format.ts';
import { monthName, periodOf, recentMonths } from '../money/months.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { Empty, Time } from '../parts/common.tsx';
import { Filter, filterOf } from '../parts/filter.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { save } from '../parts/save.ts';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client } from '../state.ts';

const PAGE = 50;

export default function MoneyBatchesPage() {
  const months = recentMonths();
  const month = months.find((one) => one === filterOf('month')) ?? null;
  const period = month === null ? {} : periodOf(month);
  const list = useList(`charges ${month}`, (cursor, signal) => client.money.batchCharges({ ...period, cursor, limit: PAGE }, signal));
  const [open, setOpen] = useState<string | null>(null);
  const name = month === null ? 'charges.csv' : `charges-${month}.csv`;
  const download = () => attempt(async () => save(await client.money.batchChargesFile(period), name), 'The file is being saved.');
  return (
    <>
      <div class="head">
        <h1>Charges by batch</h1>
        <div class="actions">
          <Filter name="month" label="Month" options={[['', 'All'], ...months.map((one) => [one, monthName(one)] as const)]} isBeside />
          <button type="button" onClick={() => void download()}>
            Download CSV
          </button>
        </div>
      </div>
      <MoneyTabs />
      <Listed of={list} empty={<Nothing month={month} />}>
        {(charges) => <ChargeTable charges={charges} open={open} onOpen={(key) => setOpen(key === open ? null : key)} />}
      </Listed>
      <p class="soft small">
        One line per batch, check and price. A batch counts towards the month in which it was submitted (UTC). Single jobs and calls are
        listed under Entries.
      </p>
    </>
  );
}

const Nothing = ({ month }: { month: string | null }) =>
  month === null ? (
    <Empty title="No batch has been charged yet">
      <p>Rows that are not on record and rows that fail cost nothing.</p>
    </Empty>
  ) : (
    <Empty title={`No batch submitted in ${monthName(month)} was charged`} />
  );

const keyOf = ({ batch, check, price }: BatchCharge): string => `${batch} ${check} ${price}`;
const nameOf = ({ reference, batch }: BatchCharge): string => reference ?? `Batch ${shortId(batch)}`;
const checkOf = ({ check }: BatchCharge): string => (check === null ? 'Not known' : checkName(check));

interface TableProps {
  charges: readonly BatchCharge[];
  /** Key of the line that is open. */
  open: string | null;
  onOpen: (key: string) => void;
}

const ChargeTable = ({ charges, open, onOpen }: TableProps) => (
  <Table
    caption="Charges of batches, newest batch first"
    name="Charges by batch"
    isCard
    rows={charges}
    keyOf={keyOf}
    opened={(charge) => (keyOf(charge) === open ? <Opened charge={charge} /> : null)}
    columns={[
      {
        name: 'Batch',
        isHead: true,
        cell: (charge) => (
          <button type="button" class="disclose wraps" aria-expanded={keyOf(charge) === open} onClick={() => onOpen(keyOf(charge))}>
            <span>
              <bdi>{nameOf(charge)}</bdi>
              <span class="unseen">
                {' '}
                ({checkOf(charge)} at {naira(charge.price)})
              </span>
            </span>
          </button>
        ),
      },
      { name: 'Check', style: 'nowrap', cell: checkOf },
      { name: 'Last charged', cell: ({ last_at }) => <Time at={last_at} /> },
      { name: 'Rows', style: 'num', cell: ({ jobs }) => count(jobs) },
      { name: 'Each', style: 'num', cell: ({ price }) => naira(price) },
      { name: 'Amount', style: 'num', cell: ({ amount }) => naira(amount) },
    ]}
  />
);

const COLUMNS = [{ name: 'Row', isNumber: true }, { name: 'Reference' }, { name: 'Charged', isNumber: true }, { name: 'Note' }];

const cellsOf = (job: Job) => [
  count(job.row!),
  <RowLink job={job} />,
  naira(job.billed_amount),
  <span class="small soft">{job.cached ? 'Cached' : ''}</span>,
];

function Opened({ charge }: { charge: BatchCharge }) {
  const { batch, check, price, jobs, first_at, last_at } = charge;
  return (
    <div class="stack tight">
      <p>
        Charged <Time at={first_at} isExact />
        {last_at !== first_at && (
          <>
            {' '}
            to <Time at={last_at} isExact />
          </>
        )}
        . <a href={`batches/${batch}`}>Open the batch</a>
      </p>
      <RowPages
        read={(page, signal) => client.batches.jobs(batch, { ...page, ...(check !== null && { check }), billed: price }, signal)}
        caption={`Rows charged: ${nameOf(charge)}, ${checkOf(charge)} at ${naira(price)}`}
        columns={COLUMNS}
        cells={cellsOf}
        empty={null}
        foot={(rows) =>
          rows < jobs && (
            <p class="soft small">
              {counted(jobs - rows, 'row')} {jobs - rows === 1 ? 'was' : 'were'} erased after being charged. The charge stays.
            </p>
          )
        }
      />
    </div>
  );
}
