/** Which column serves which input of which check. */
import { describe, expect, it } from 'vitest';
import { resolveMapping, takenColumns } from '../../src/batches/columns.ts';
import { type RawRow, rowReader } from '../../src/batches/row-reader.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import { readInput } from '../../src/checks/read-input.ts';
import { namesOf } from '../../src/rows/object-row.ts';
import type { RowSource } from '../../src/rows/row.ts';

const match = knownCheck('bvn_match');
const aml = knownCheck('aml_screening');
const advance = knownCheck('nin_advance');
const BVN = '22222222222';

const source = (columns: string[] | null) => ({ columns, labels: columns, names: [], innerNames: [] }) as unknown as RowSource;
/** Object rows. */
const objects = (...rows: Record<string, unknown>[]) =>
  ({ columns: null, ...namesOf(rows.map((value, i) => ({ row: i + 1, value, error: null }))) }) as unknown as RowSource;

function inputs(checks: (typeof match)[], columns: string[] | null, row: RawRow, requested: Record<string, string> = {}) {
  const read = rowReader(
    columns,
    resolveMapping(checks, columns === null ? objects(row as Record<string, unknown>) : source(columns), requested),
  );
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

  it("with the input's exact name wins over another name of the same input", () => {
    expect(inputs([match], ['bvn', 'birthdate', 'dob'], [BVN, '1990-01-01', '1991-04-17'])).toMatchObject({
      bvn_match: { input: { dob: '1991-04-17' } },
    });
  });

  it('whose heading is data is not read even when asked for: the first row of the file would be lost', () => {
    const row = ['70123456789', 'Ada Obi', 'ada@example.ng'];
    expect(refusal([advance], row, { nin: '70123456789' })).toMatchObject([{ path: 'map.nin', rule: 'header_is_data' }]);
    expect(refusal([advance], ['Number', 'ada@example.ng'], { nin: 'Number', reference: 'ada@example.ng' })).toMatchObject([
      { path: 'map.reference', rule: 'header_is_data' },
    ]);
    expect(refusal([advance], ['NIN 2024', '2024-05-01'], { nin: 'NIN 2024' })).toEqual([]);
  });

  it('is not guessed when two are possible', () => {
    expect(refusal([match], ['bvn', 'birthdate', 'date_of_birth'])).toMatchObject([{ path: 'map.dob', rule: 'ambiguous_column' }]);
  });

  it.each([
    ['BVN', 'bvn'],
    ['BVN', 'Bvn'],
    ['bvn', 'B.V.N'],
  ])("is not guessed when two have the input's own name: %s and %s", (one, other) => {
    expect(refusal([match], [one, other])).toMatchObject([{ path: 'map.bvn', rule: 'ambiguous_column' }]);
    expect(resolveMapping([match], source([one, other]), { bvn: other }).bvn).toBe(other);
    const rows = objects({ [one]: BVN, [other]: BVN });
    expect(() => resolveMapping([match], rows, {})).toThrow('several columns match');
    expect(resolveMapping([match], rows, { bvn: other }).bvn).toBe(other);
  });

  it('for one check wins over the shared one, for that check only; where its cell is empty the shared one counts', () => {
    const columns = ['bvn', 'name', 'country', 'dob', 'bvn_match.dob'];
    expect(inputs([match, aml], columns, [BVN, 'Ada Obi', 'NG', '1990-01-01', '1991-04-17'])).toMatchObject({
      bvn_match: { input: { dob: '1991-04-17' } },
      aml_screening: { input: { date_of_birth: '1990-01-01' } },
    });
    expect(inputs([match, aml], columns, [BVN, 'Ada Obi', 'NG', '1990-01-01', ''])).toMatchObject({
      bvn_match: { input: { dob: '1990-01-01' } },
    });
  });

  it('can be assigned to one check', () => {
    expect(inputs([match], ['bvn', 'Given', 'first_name'], [BVN, 'Ada', 'Uju'], { 'bvn_match.first_name': 'Given' })).toMatchObject({
      bvn_match: { input: { first_name: 'Ada' } },
    });
  });

  it('for one check is enough for an input that only that check needs', () => {
    expect(refusal([match], ['bvn_match.bvn'])).toEqual([]);
    const [detail] = refusal([match, advance], ['bvn_match.bvn']);
    expect(detail).toMatchObject({ path: 'map.nin', rule: 'missing_column' });
    expect(detail!.message).toContain('of nin_advance');
  });

  it('cannot be assigned to a check that is not run', () => {
    expect(refusal([match], ['bvn'], { 'nin_basic.nin': 'bvn' })).toMatchObject([{ path: 'map.nin_basic.nin', rule: 'unknown_field' }]);
  });
});

describe('a likely column', () => {
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
      'by the names that people use for several things',
      [advance, match],
      ['Bank Verif. No', 'Given Name', 'ID number', 'Customer ID'],
      { bvn: 'Bank Verif. No', nin: 'ID number', reference: 'Customer ID' },
    ],
    ['for one input only, the closest', [advance, match], ['NINs', 'BVNs'], { nin: 'NINs', bvn: 'BVNs' }],
    ['not merely because the input is a number', [match], ['Account Number', 'Bvnn'], { bvn: 'Bvnn' }],
    ['misspelt', [match], ['bvvn number', 'frist name'], { bvn: 'bvvn number', first_name: 'frist name' }],
    ['never where it serves another input', [advance, match], ['nin'], {}],
  ])('is suggested %s', (_, checks, columns, expected) => {
    expect(suggested(checks, columns)).toEqual(expected);
  });

  it('may have any name', () => {
    expect(inputs([advance], ['several'], ['70123456789'], { nin: 'several' })).toMatchObject({
      nin_advance: { input: { nin: '70123456789' } },
    });
  });
});

describe('a column under a common synonym', () => {
  const mapped = (checks: (typeof match)[], columns: string[] | null, names: string[] = []) =>
    resolveMapping(checks, { columns, labels: columns, names, innerNames: [] } as unknown as RowSource, {});

  it.each<[string, (typeof match)[], string[]]>([
    [
      'nin',
      [advance],
      ['NIN No.', 'NIN Number', 'NIN no', 'National ID', 'National ID No', 'National Identification Number', 'Customer NIN'],
    ],
    ['nin', [advance], ["Customer's NIN", 'NIN (11 digits)', 'National Identity Number*', 'NIN_NUMBER', 'Client National ID']],
    ['bvn', [match], ['BVN Number', 'BVN No', 'Bank Verification Number', 'Staff BVN']],
    ['rc_number', [knownCheck('cac_basic')], ['RC No', 'RC Number', 'RC', 'CAC No.', 'Company Registration Number', 'Registration No.']],
    ['tin', [knownCheck('tin')], ['TIN No', 'Tax ID', 'Tax Identification Number']],
    ['phone_number', [knownCheck('phone')], ['Phone', 'Phone No.', 'Mobile Number', 'GSM', 'Customer Phone Number', 'Tel. No']],
    ['last_name', [match], ['Surname', 'Family Name', 'Customer Surname']],
    ['dob', [match], ['D.O.B.', 'Date of Birth (DD/MM/YYYY)', 'Birthday']],
    ['email', [knownCheck('email_risk')], ['E-mail Address', 'Email', 'Customer Email']],
    ['name', [aml], ['Full Name', 'Customer Name', 'Names']],
    ['license_number', [knownCheck('drivers_license')], ["Driver's License No", 'Drivers Licence Number', 'Licence No.']],
    ['passport_number', [knownCheck('passport')], ['Passport No', 'International Passport Number']],
    ['vin_number', [knownCheck('pvc')], ['VIN', "Voter's ID", 'PVC Number']],
    ['id_number', [knownCheck('photoid_verify')], ['ID No', 'Identification Number', 'ID Card Number']],
  ])('serves %s if it is the only candidate', (input, checks, names) => {
    // What else these checks need.
    const others = ['bvn', 'last_name', 'id_type', 'image'].filter((other) => other !== input);
    for (const name of names) {
      expect(mapped(checks, [...others, 'Note', name])[input], name).toBe(name);
      expect(mapped(checks, null, [...others, 'Note', name])[input], name).toBe(name);
    }
  });

  it('is not guessed when two are possible', () => {
    expect(refusal([advance], ['NIN No.', 'Customer NIN'])).toMatchObject([{ path: 'map.nin', rule: 'ambiguous_column' }]);
    expect(mapped([match], ['bvn', 'Phone', 'GSM']).phone_number).toBeUndefined();
    expect(refusal([knownCheck('photoid_verify'), knownCheck('nin_verify')], ['id_type', 'id_number', 'nin', 'Selfie'])).toMatchObject([
      { path: 'map.image', rule: 'missing_column' },
      { path: 'map.selfie_image', rule: 'missing_column' },
    ]);
  });

  it("is ignored beside a column with the input's own name", () => {
    expect(mapped([advance], ['NIN No.', 'nin', 'Customer NIN']).nin).toBe('nin');
  });

  it.each(['Guarantor NIN', 'ID', 'ID number', 'NIN verified', 'Next of kin NIN', 'Nin status'])('%s is nobody else’s NIN', (name) => {
    expect(refusal([advance], [name])).toMatchObject([{ path: 'map.nin', rule: 'missing_column' }]);
  });

  it.each(['Company', 'Registration', 'Identity', 'Tax'])('%s may be anything', (name) => {
    expect(refusal([knownCheck('cac_basic')], [name])).toMatchObject([{ path: 'map.rc_number', rule: 'missing_column' }]);
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

  it('must have what is required in one of the first rows, and is told the likely name', () => {
    const refused = (rows: RowSource, requested = {}) => {
      try {
        resolveMapping([advance], rows, requested);
      } catch (error) {
        return error as { message: string };
      }
      return null;
    };
    expect(refused(objects({ Ident: '70123456789' }))!.message).toBe(
      'map.nin: no column for the input "nin" of nin_advance; is it "Ident"? then send map.nin=Ident. Columns found: Ident.',
    );
    expect(refused(objects({ nin: '70123456789' }), { nin: 'Identt' })!.message).toContain('there is no column "Identt"');
    expect(refused(objects({ Ident: '70123456789' }), { nin: 'ident' })).toBeNull();
    expect(refused(objects({ Ident: '70123456789' }, { nin: '70123456789' }))).toBeNull();
    expect(refused(objects({ a: { nin: '70123456789' } }), { nin: 'a.nin' })).toBeNull();
    expect(refused(objects())).toBeNull();
  });

  it('takes only the columns that it has, while later rows may bring others', () => {
    const taken = (...rows: Record<string, unknown>[]) => {
      const mapping = resolveMapping([match], objects(...rows), {});
      expect(mapping).toMatchObject({ reference: 'reference', 'bvn_match.bvn': 'bvn_match.bvn' });
      return takenColumns(mapping, objects(...rows));
    };
    expect(taken({ BVN, birthdate: '1991-04-17' })).toEqual({ bvn: 'BVN', dob: 'birthdate' });
    expect(taken({ bvn: BVN, bvn_match: { first_name: 'Ada' } })).toEqual({ bvn: 'bvn', 'bvn_match.first_name': 'bvn_match.first_name' });
  });

  it("names one check's column in its problems", () => {
    expect(inputs([match], null, { bvn: BVN, bvn_match: { dob: '1991-02-30' } })).toMatchObject({
      bvn_match: { problems: [{ field: 'bvn_match.dob', message: 'must be a date, YYYY-MM-DD; there is no such day' }] },
    });
  });
});
