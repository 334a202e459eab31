/** The statement of a month, to the kobo. */
import type { Statement } from '../../client/money.ts';
import { checkName, count, naira } from '../format.ts';
import { monthName, recentMonths } from '../money/months.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { Scroll } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { save } from '../parts/save.ts';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client } from '../state.ts';

export default function MoneyStatementsPage() {
  const months = recentMonths();
  const asked = query.value.get('month');
  const month = months.find((one) => one === asked) ?? months[0]!;
  const statement = useResource(`statement ${month}`, (signal) => client.money.statement(month, signal));
  const download = () =>
    attempt(async () => save(await client.money.statementFile(month), `statement-${month}.csv`), 'The file is being saved.');
  return (
    <>
      <div class="head">
        <h1>Statement of {monthName(month)}</h1>
        <div class="actions">
          <label class="beside-label">
            Month
            <select value={month} onChange={(event) => setQuery({ month: event.currentTarget.value })}>
              {months.map((one) => (
                <option key={one} value={one}>
                  {monthName(one)}
                </option>
              ))}
            </select>
          </label>
          <button type="button" class="main" onClick={() => void download()}>
            Download CSV
          </button>
        </div>
      </div>
      <MoneyTabs />
      <Loaded of={statement}>
        {(read) => (
          <Scroll name={`Statement of ${monthName(month)}`} isCard>
            <StatementTable statement={read} />
          </Scroll>
        )}
      </Loaded>
      <p class="soft small">Months are counted in UTC. Money that is held is part of the balance until it is charged or released.</p>
    </>
  );
}

function StatementTable({ statement: { opening, top_ups, charges, holds, releases, closing } }: { statement: Statement }) {
  const line = (name: string, of: { count: number; amount: number }, sign = 1) => (
    <tr>
      <th scope="row" class="row-name">
        {name}
      </th>
      <td class="num">{count(of.count)}</td>
      <td class="num">{naira(sign * of.amount)}</td>
    </tr>
  );
  const balance = (name: string, { total, held }: Statement['opening']) => (
    <tr class="total">
      <th scope="row" class="row-name">
        {name}
        {held > 0 && <small class="soft below">{naira(held)} of it held</small>}
      </th>
      <td />
      <td class="num">{naira(total)}</td>
    </tr>
  );
  return (
    <table class="tight-cells">
      <caption class="unseen">The month, from its opening to its closing balance</caption>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col" class="num">
            Count
          </th>
          <th scope="col" class="num">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {balance('Opening balance', opening)}
        {line('Top-ups', top_ups)}
        {charges.checks.map((charge) => (
          <tr key={charge.check}>
            <th scope="row" class="row-name">
              {checkName(charge.check)}
            </th>
            <td class="num">{count(charge.count)}</td>
            <td class="num">{naira(-charge.amount)}</td>
          </tr>
        ))}
        {charges.checks.length !== 1 && line('Total charges', charges, -1)}
        {balance('Closing balance', closing)}
        <tr>
          <td colSpan={3} class="soft small">
            Moved between available and held: {naira(holds.amount)} held, {naira(releases.amount)} released.
          </td>
        </tr>
      </tbody>
    </table>
  );
}
