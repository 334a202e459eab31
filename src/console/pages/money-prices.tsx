/** What each check costs this app. */
import type { Price } from '../../client/money.ts';
import { checkName, naira } from '../format.ts';
import { MoneyTabs } from '../money/tabs.tsx';
import { Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { client, may } from '../state.ts';

export default function MoneyPricesPage() {
  const prices = useResource('prices', (signal) => client.money.prices(signal));
  return (
    <>
      <div class="head">
        <h1>Prices</h1>
      </div>
      <MoneyTabs />
      <Loaded of={prices}>{({ data }) => <PriceTable prices={data} />}</Loaded>
      <p class="soft small">
        A subject that is not on record, a refusal and a failure cost nothing. Work costs what it was quoted, whatever is agreed later.
      </p>
    </>
  );
}

const PriceTable = ({ prices }: { prices: readonly Price[] }) => (
  <Table
    caption="Prices by check"
    name="Prices"
    isCard
    rows={prices}
    keyOf={(price) => price.check}
    columns={[
      {
        name: 'Check',
        isHead: true,
        style: 'nowrap',
        cell: (price) => (may('verify') ? <a href={`try?check=${price.check}`}>{checkName(price.check)}</a> : checkName(price.check)),
      },
      {
        name: 'What it answers',
        style: 'soft text',
        cell: (price) => (
          <>
            {price.summary}
            {price.price_rule && <small class="block">{price.price_rule}.</small>}
          </>
        ),
      },
      { name: 'Price', style: 'num', cell: (price) => naira(price.price) },
      { name: 'From the cache', style: 'num', cell: (price) => naira(price.cached_price) },
      { name: 'Agreed', style: 'soft', cell: (price) => (price.list_price === undefined ? '–' : <Agreed price={price} />) },
    ]}
  />
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
