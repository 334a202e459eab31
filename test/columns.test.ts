/** Which column serves which input of which check. */
import { describe, expect, it } from 'vitest';
import { type RawRow, readInput, resolveMapping, rowReader } from '../src/batches/columns.ts';
import { knownCheck } from '../src/checks/catalog.ts';
import type { RowSource } from '../src/rows/row.ts';

const match = knownCheck('bvn_match');
const aml = knownCheck('aml_screening');
const advance = knownCheck('nin_advance');
const BVN = '22222222222';

const source = (columns: string[] | null) => ({ columns, labels: columns }) as unknown as RowSource;

function inputs(checks: (typeof match)[], columns: string[] | null, row: RawRow, requested: Record<string, string> = {}) {
  const read = rowReader(columns, resolveMapping(checks, source(columns), requested));
  return Object.fromEntries(checks.map((check) => [check.id, readInput(check, (key) => read(row, key))]));
}
const refusal = (checks: (typeof match)[], columns: string[], requested: Record<string, string> = {}) => {
  try {
    resolveMapping(checks, source(columns), requested);
  } catch (error) {
    return (error as { details: { path: string; rule: string; message: string }[] }).details;
  }
  return [];
};

describe('a column', () => {
  it.each(['dob', 'Date of Birth', 'BIRTHDATE'])('%s serves every check that takes a birth date', (name) => {
    const row = [BVN, '1991-04-17', 'Ada Obi', 'NG'];
    expect(inputs([match, aml], ['bvn', name, 'name', 'country'], row)).toMatchObject({
      bvn_match: { input: { dob: '1991-04-17' } },
      aml_screening: { input: { date_of_birth: '1991-04-17' } },
    });
  });

  it('whose name is the input exactly wins over another name of the same input', () => {
    expect(inputs([match], ['bvn', 'birthdate', 'dob'], [BVN, '1990-01-01', '1991-04-17'])).toMatchObject({
      bvn_match: { input: { dob: '1991-04-17' } },
    });
  });

  it('is not guessed at where two could be meant', () => {
    expect(refusal([match], ['bvn', 'birthdate', 'date_of_birth'])).toMatchObject([{ path: 'map.dob', rule: 'ambiguous_column' }]);
  });

  it('of one check wins over the shared one, for that check only; where it is empty the shared one counts', () => {
    const columns = ['bvn', 'name', 'country', 'dob', 'bvn_match.dob'];
    expect(inputs([match, aml], columns, [BVN, 'Ada Obi', 'NG', '1990-01-01', '1991-04-17'])).toMatchObject({
      bvn_match: { input: { dob: '1991-04-17' } },
      aml_screening: { input: { date_of_birth: '1990-01-01' } },
    });
    expect(inputs([match, aml], columns, [BVN, 'Ada Obi', 'NG', '1990-01-01', ''])).toMatchObject({
      bvn_match: { input: { dob: '1990-01-01' } },
    });
  });

  it('can be named for one check', () => {
    expect(inputs([match], ['bvn', 'Given', 'first_name'], [BVN, 'Ada', 'Uju'], { 'bvn_match.first_name': 'Given' })).toMatchObject({
      bvn_match: { input: { first_name: 'Ada' } },
    });
  });

  it('of one check is enough for what only that check needs', () => {
    expect(refusal([match], ['bvn_match.bvn'])).toEqual([]);
    const [detail] = refusal([match, advance], ['bvn_match.bvn']);
    expect(detail).toMatchObject({ path: 'map.nin', rule: 'missing_column' });
    expect(detail!.message).toContain('of nin_advance');
  });

  it('cannot be named for a check that is not run', () => {
    expect(refusal([match], ['bvn'], { 'nin_basic.nin': 'bvn' })).toMatchObject([{ path: 'map.nin_basic.nin', rule: 'unknown_field' }]);
  });
});

describe('a column that is likely meant', () => {
  const suggested = (checks: (typeof match)[], columns: string[], requested: Record<string, string> = {}) => {
    try {
      resolveMapping(checks, source(columns), requested);
    } catch (error) {
      return (error as { extra: { suggested_mapping: Record<string, string> } }).extra.suggested_mapping;
    }
    throw new Error('nothing was missing');
  };

  it.each<[string, (typeof match)[], string[], Record<string, string>]>([
    [
      'by the names that people use',
      [match],
      ['Bank Verification No', 'Given Name', 'Surname', 'GSM', 'Birthday', 'Customer ID'],
      {
        bvn: 'Bank Verification No',
        first_name: 'Given Name',
        last_name: 'Surname',
        phone_number: 'GSM',
        dob: 'Birthday',
        reference: 'Customer ID',
      },
    ],
    ['for one input only, that which it is most like', [advance, match], ['NIN Number', 'BVN No.'], { nin: 'NIN Number', bvn: 'BVN No.' }],
    ['not for an input by being a number', [match], ['Account Number', 'Bvnn'], { bvn: 'Bvnn' }],
    ['misspelt', [match], ['bvvn number', 'frist name'], { bvn: 'bvvn number', first_name: 'frist name' }],
    ['never where it serves another input', [advance, match], ['nin'], {}],
  ])('is shown %s', (_, checks, columns, expected) => {
    expect(suggested(checks, columns)).toEqual(expected);
  });

  it('is any column, whatever its name', () => {
    expect(inputs([advance], ['several'], ['70123456789'], { nin: 'several' })).toMatchObject({
      nin_advance: { input: { nin: '70123456789' } },
    });
    expect(refusal([match], ['BVN', 'bvn '])).toMatchObject([{ path: 'map.bvn', rule: 'ambiguous_column' }]);
  });
});

describe('a row with its own names', () => {
  it.each<[string, Record<string, unknown>]>([
    ['with a prefix', { bvn: BVN, first_name: 'Uju', 'bvn_match.first_name': 'Ada' }],
    ['nested', { bvn: BVN, first_name: 'Uju', bvn_match: { first_name: 'Ada' } }],
    ['nested as a whole', { bvn_match: { bvn: BVN, first_name: 'Ada' } }],
  ])('has inputs of one check %s', (_, row) => {
    expect(inputs([match], null, row)).toMatchObject({ bvn_match: { input: { bvn: BVN, first_name: 'Ada' } } });
  });

  it('shares a birth date under any of its names', () => {
    expect(inputs([match], null, { bvn: BVN, birthdate: '1991-04-17' })).toMatchObject({ bvn_match: { input: { dob: '1991-04-17' } } });
  });

  it('names the column of one check in what is wrong with it', () => {
    expect(inputs([match], null, { bvn: BVN, bvn_match: { dob: '1991-02-30' } })).toMatchObject({
      bvn_match: { problems: [{ field: 'bvn_match.dob', message: 'must be a date, YYYY-MM-DD' }] },
    });
  });
});
