/** What a row shows of values that were submitted and found, and what it calls them. */
import { expect, test } from 'vitest';
import { bareDigits } from '../../src/batches/written-values.ts';
import { agreement, written } from '../../src/console/job/agreement.ts';
import { fieldName } from '../../src/console/job/field-name.ts';
import { withoutGroups } from '../../src/console/parts/digits.ts';

test.each([
  ['Ọ̀rẹ́ Adébáyọ̀', 'ORE ADEBAYO', 'Agrees'],
  ['+234 801 234 5678', '08012345678', 'Agrees'],
  ['1990-01-02', '1990/01/02', 'Agrees'],
  ['محمد', 'علي', 'Differs'],
  ['ẸBÙN', 'ỌBÙN', 'Differs'],
  ['Ada', 'Adaeze', 'Differs'],
  ['Ada', '•••', undefined],
  ['•••', 'Ada', undefined],
  ['', 'Ada', undefined],
  ['RC 1432074', '1432074', 'Agrees'],
  ['BN1432074', '1432075', 'Differs'],
])('%s and %s: %s', (submitted, found, word) => expect(agreement(submitted, found)?.word).toBe(word));

test.each([
  [10_000_000, '10,000,000'],
  [2004, '2004'],
  [6.4281, '6.4281'],
  ['70123456789', '70123456789'],
  ['A'.repeat(1_000), '(a picture)'],
  ['To trade in grain. '.repeat(60), 'To trade in grain. '.repeat(60)],
])('%j of a record is written as %s', (value, text) => expect(written(value)).toBe(text));

test.each([
  ['nin', 'NIN'],
  ['telephoneno', 'Phone number'],
  ['nok_firstname', 'Next of kin first name'],
  ['lga_of_origin', 'LGA of origin'],
])('%s is shown as %s', (member, shown) => expect(fieldName(member)).toBe(shown));

test.each([
  ...['70123456789', '701 2345 6789', '701-2345-6789', ' 701\u00a02345\u20116789\u200e', '701\u202f2345\u22126789'],
  ...['', '701.2345', '7.01E+10', 'A 12', 'not known'],
])('a number typed as %j is sent as an upload reads it', (text) => expect(withoutGroups(text)).toBe(bareDigits(text)));
