/** A list with one name on it, against which a pair of names is scored. */
import type { ListEntry } from '../../src/engines/aml/list.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';

export const oneListed = (text: string, known: Partial<Pick<ListEntry, 'births' | 'countries'>> = {}): Listing => ({
  list: 'pairs',
  version: '1',
  digest: '0'.repeat(16),
  entry: {
    sourceId: '1',
    category: 'sanction',
    names: [{ text, kind: 'primary' }],
    births: [],
    countries: [],
    gender: null,
    programs: [],
    listedOn: null,
    endedOn: null,
    url: null,
    ...known,
  },
});
