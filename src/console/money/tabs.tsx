/** The pages about money. */
import { Tabs } from '../parts/tabs.tsx';

export const MoneyTabs = () => (
  <Tabs
    name="Money"
    tabs={[
      ['money', 'Balance and spend'],
      ['money/entries', 'Entries'],
      ['money/batches', 'By batch'],
      ['money/statements', 'Statements'],
      ['money/prices', 'Prices'],
    ]}
  />
);
