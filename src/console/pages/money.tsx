/** What the app has, what it may spend, and what it spent by day and check. */
import type { Usage } from '../../client/money.ts';
import { checkName, count, DAY_MS, naira } from '../format.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { type Bar, Bars, dayOf } from '../parts/bars.tsx';
import { Empty, Notice } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { save } from '../parts/save.ts';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client, mode } from '../state.ts';

const EVERY_MS = 15_000;
const PERIODS = [7, 30, 90, 365] as const;
const DEFAULT_DAYS = 30;

/** YYYY-MM-DD, UTC, as the books count days. */
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export default function MoneyPage() {
  const wallet = useResource(
    'wallet',
    async (signal) => {
      const [balance, limits] = await Promise.all([client.money.wallet(signal), client.money.limits(signal)]);
      return { ...balance, ...limits };
    },
    { everyMs: EVERY_MS },
  );
  return (
    <>
      <div class="head">
        <h1>Money</h1>
      </div>
      <MoneyTabs />
      <Loaded of={wallet}>
        {({ available, held, low_balance, daily_cap, batch_cap }) => (
          <>
            {low_balance !== null && available < low_balance && (
              <Notice tone="warn" title="The balance is low.">
                <p>It is below {naira(low_balance)}. Ask your administrator to top the wallet up.</p>
              </Notice>
            )}
            <section class="card body" aria-label="Balance">
              <dl class="facts large">
                <div>
                  <dt>Available</dt>
                  <dd>
                    {naira(available)}
                    {mode.value === 'test' && <small>play money</small>}
                  </dd>
                </div>
                <div>
                  <dt>Held</dt>
                  <dd>
                    {naira(held)}
                    <small>for work that has not ended</small>
                  </dd>
                </div>
                <div>
                  <dt>Alarm below</dt>
                  <dd>{low_balance === null ? 'None' : naira(low_balance)}</dd>
                </div>
                <div>
                  <dt>Daily cap</dt>
                  <dd>{daily_cap === null ? 'None' : naira(daily_cap)}</dd>
                </div>
                <div>
                  <dt>Batch cap</dt>
                  <dd>{batch_cap === null ? 'None' : naira(batch_cap)}</dd>
                </div>
              </dl>
            </section>
          </>
        )}
      </Loaded>
      <Spend />
    </>
  );
}

function Spend() {
  const asked = Number(query.value.get('days'));
  const days = PERIODS.find((one) => one === asked) ?? DEFAULT_DAYS;
  const check = query.value.get('check') ?? '';
  const period = { from: dayBefore(days - 1), to: dayBefore(0) };
  const usage = useResource(`usage ${days}`, (signal) => client.money.usage(period, signal), { everyMs: EVERY_MS });
  const download = () =>
    attempt(async () => save(await client.money.usageFile(period), `usage-${period.from}-${period.to}.csv`), 'The file is being saved.');
  return (
    <section class="card" aria-labelledby="spend">
      <header>
        <h2 id="spend">Spend</h2>
        <div class="actions">
          <label class="beside-label">
            Period
            <select value={days} onChange={(event) => setQuery({ days: event.currentTarget.value })}>
              {PERIODS.map((one) => (
                <option key={one} value={one}>
                  {one} days
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => void download()}>
            Download CSV
          </button>
        </div>
      </header>
      <Loaded of={usage}>{(read) => <Spent usage={read} check={check} days={days} />}</Loaded>
    </section>
  );
}

type Row = Usage['data'][number];

const COUNTS = ['calls', 'jobs', 'found', 'not_found', 'failed', 'cached', 'billed_amount'] as const;

type Sums = Record<(typeof COUNTS)[number], number>;

/** What came of a check, or on a day. */
type Used = Sums & { name: string };

const added = (rows: readonly (Row | Sums)[]): Sums =>
  Object.fromEntries(COUNTS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])) as Sums;

const grouped = (rows: readonly Row[], by: 'check' | 'day'): Used[] =>
  [...new Set(rows.map((row) => row[by]!))].map((name) => ({ name, ...added(rows.filter((row) => row[by] === name)) }));

function Spent({ usage, check, days }: { usage: Usage; check: string; days: number }) {
  if (usage.data.length === 0)
    return (
      <Empty title="Nothing was used in this period">
        <p class="soft">Calls, jobs and batches appear here with what they cost. Days are counted in UTC.</p>
      </Empty>
    );
  const checks = grouped(usage.data, 'check').sort((a, b) => b.billed_amount - a.billed_amount);
  const chosen = checks.some(({ name }) => name === check) ? usage.data.filter((row) => row.check === check) : usage.data;
  const byDay = new Map(grouped(chosen, 'day').map((day) => [day.name, day]));
  const bars = Array.from({ length: days }, (_, at): Bar => {
    const day = dayBefore(days - 1 - at);
    return { day, value: byDay.get(day)?.billed_amount ?? 0 };
  });
  const used = bars.filter(({ day }) => byDay.has(day)).reverse();
  return (
    <>
      <div class="body">
        <Bars bars={bars} name={`Spend by day${check ? ` on ${checkName(check)}` : ''}`} write={naira} />
      </div>
      <SpendTable
        name="Spend by check"
        caption="By check"
        rows={checks}
        write={checkName}
        chosen={check}
        onChoose={(name) => setQuery({ check: name === check ? '' : name })}
      />
      <details class="body">
        <summary>By day{check && `: ${checkName(check)}`}</summary>
        <SpendTable name="Spend by day" caption="By day, UTC" rows={used.map(({ day }) => byDay.get(day)!)} write={dayOf} />
      </details>
    </>
  );
}

interface TableProps {
  name: string;
  caption: string;
  rows: readonly Used[];
  write: (name: string) => string;
  chosen?: string;
  onChoose?: (name: string) => void;
}

const HEADS: readonly (readonly [name: (typeof COUNTS)[number], title: string])[] = [
  ['calls', 'Calls'],
  ['jobs', 'Jobs'],
  ['found', 'Found'],
  ['not_found', 'Not found'],
  ['failed', 'Failed'],
  ['cached', 'From cache'],
  ['billed_amount', 'Spent'],
];

const TOTAL = 'total';

function SpendTable({ name, caption, rows, write, chosen = '', onChoose }: TableProps) {
  const nameOf = (row: Used) =>
    row.name === TOTAL ? (
      'Total'
    ) : onChoose ? (
      <button type="button" class="link" aria-pressed={chosen === row.name} onClick={() => onChoose(row.name)}>
        {write(row.name)}
      </button>
    ) : (
      write(row.name)
    );
  return (
    <Table
      name={name}
      caption={caption}
      rows={[...rows, { name: TOTAL, ...added(rows) }]}
      keyOf={(row) => row.name}
      styleOf={(row) => (row.name === TOTAL ? 'total' : undefined)}
      columns={[
        { name: caption, isHead: true, cell: nameOf },
        ...HEADS.map(([member, title]) => ({
          name: title,
          style: 'num',
          cell: (row: Used) => (member === 'billed_amount' ? naira(row[member]) : count(row[member])),
        })),
      ]}
    />
  );
}
