/** What a row shows of values that were submitted and found, and what it calls them. */
import { expect, test } from 'vitest';
import { agreement } from '../../src/console/job/agreement.ts';
import { fieldName } from '../../src/console/job/field-name.ts';

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
])('%s and %s: %s', (submitted, found, word) => expect(agreement(submitted, found)?.word).toBe(word));

test.each([
  ['nin', 'NIN'],
  ['telephoneno', 'Phone number'],
  ['nok_firstname', 'Next of kin first name'],
  ['lga_of_origin', 'LGA of origin'],
])('%s is shown as %s', (member, shown) => expect(fieldName(member)).toBe(shown));
