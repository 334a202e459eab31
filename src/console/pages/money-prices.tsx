/** What each check costs this app. */
import type { Price } from '../../client/money.ts';
import { checkName, naira } from '../format.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { Scroll, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { client, may } from '../state.ts';

export default function MoneyPricesPage() {
  const prices = useResource('prices', (signal) => client.money.prices(signal));
  return (
    <>
      <div class="head">
        <h1>Prices</h1>
      </div>
      <MoneyTabs />
      <Loaded of={prices}>
        {({ data }) => (
          <Scroll name="Prices" isCard>
            <PriceTable prices={data} />
          </Scroll>
        )}
      </Loaded>
      <p class="soft small">
        A subject that is not on record, a refusal and a failure cost nothing. Work costs what it was quoted, whatever is agreed later.
      </p>
    </>
  );
}

const PriceTable = ({ prices }: { prices: readonly Price[] }) => (
  <table>
    <caption class="unseen">Prices by check</caption>
    <thead>
      <tr>
        <th scope="col">Check</th>
        <th scope="col">What it answers</th>
        <th scope="col" class="num">
          Price
        </th>
        <th scope="col" class="num">
          From the cache
        </th>
        <th scope="col">Agreed</th>
      </tr>
    </thead>
    <tbody>
      {prices.map((price) => (
        <tr key={price.check}>
          <th scope="row" class="row-name nowrap">
            {may('verify') ? <a href={`try?check=${price.check}`}>{checkName(price.check)}</a> : checkName(price.check)}
          </th>
          <td class="soft text">
            {price.summary}
            {price.price_rule && <small class="block">{price.price_rule}.</small>}
          </td>
          <td class="num">{naira(price.price)}</td>
          <td class="num">{naira(price.cached_price)}</td>
          <td class="soft">{price.list_price === undefined ? '–' : <Agreed price={price} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Agreed = ({ price: { list_price, valid_until } }: { price: Price }) => (
  <>
    instead of {naira(list_price!)}
    {valid_until && (
      <small class="block">
        until <Time at={valid_until} />
      </small>
    )}
  </>
);
