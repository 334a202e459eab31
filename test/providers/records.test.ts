/** A vendor's record is accepted only if it is about the subject that was asked for, in the same part of the registry. */
import { describe, expect, test } from 'vitest';
import type { RecordKind } from '../../src/checks/provider.ts';
import { checkRecord } from '../../src/providers/records.ts';

/** The member for which the record is refused as somebody else's; null if it is accepted. */
function refused(kind: RecordKind, identifier: string, record: Record<string, unknown>): string | null {
  try {
    checkRecord({ kind, identifier }, { found: true, record }, undefined);
    return null;
  } catch (error) {
    return /^(\w+): another subject's$/.exec((error as { detail: string }).detail)![1]!;
  }
}

test('a company of another part of the registry has the same number and is another one', () => {
  const company = { rc_number: '1432074', company_name: 'PALM GATE', status: 'ACTIVE' };
  const asked = (record: object) => refused('cac', 'BUSINESS_NAME:1432074', { ...company, ...record });
  expect(asked({ company_type: 'BUSINESS_NAME' })).toBeNull();
  expect(asked({})).toBeNull();
  expect(asked({ company_type: 'Business, as this registry calls it' })).toBeNull();
  expect(asked({ company_type: 'COMPANY' })).toBe('company_type');
  expect(asked({ company_type: 'BUSINESS_NAME', rc_number: '1432075' })).toBe('rc_number');
});

test('a vendor that knows another part of the registry only is not taken for one that fails', () => {
  const record = { rc_number: '1432074', company_name: 'PALM GATE', status: 'ACTIVE', company_type: 'COMPANY' };
  const ask = (identifier: string) => () => checkRecord({ kind: 'cac', identifier }, { found: true, record }, undefined);
  expect(ask('BUSINESS_NAME:1432074')).toThrow(expect.objectContaining({ scope: 'subject' }));
  expect(ask('COMPANY:1432075')).toThrow(expect.objectContaining({ scope: 'provider' }));
});

test('a tax record must have the number that was asked for, if it has one of that form', () => {
  const taxpayer = { taxpayer_name: 'PALM GATE LTD', tin: '12345678-0001', firstin: '', jittin: 'N/A', cac_reg_number: 'RC1432074' };
  const asked = (identifier: string, record: object = {}) => refused('tin', identifier, { ...taxpayer, ...record });
  expect(asked('12345678-0001')).toBeNull();
  expect(asked('12345678-0001', { tin: '99999999-0001' })).toBe('tin');
  expect(asked('12345678-0001', { tin: '99999999-0001', firstin: '12345678-0001' })).toBeNull();
  expect(asked('RC1432074')).toBeNull();
  expect(asked('RC77', { cac_reg_number: 'RC1432074' })).toBe('cac_reg_number');
  // The record has no number of these forms.
  for (const other of ['1234567890', '1234567890123', '70000000017']) expect(asked(other), other).toBeNull();
  expect(asked('1234567890', { jittin: '1234567891' })).toBe('jittin');
});

test('a company whose people cannot be read is refused: it would pass for one without any', () => {
  const record = { rc_number: '1432074', company_name: 'PALM GATE', status: 'ACTIVE' };
  const ask = (more: object) => () =>
    checkRecord({ kind: 'cac', identifier: 'COMPANY:1432074' }, { found: true, record: { ...record, ...more } }, undefined);
  const director = { surname: 'OKORO', firstname: 'ADA', share_percent: 50, is_director: true, email: null };
  expect(ask({ directors: [director], secretary: director, trustees: null, share_capital: 10, tags: ['a'] })).not.toThrow();
  expect(
    ask({ directors: [{ ...director, address: { city: 'Aba', lines: ['1 Road'] } }], branches: [{ at: { city: 'Aba' } }] }),
  ).not.toThrow();
  for (const broken of ['ADA OKORO', [null], ['ADA OKORO'], { director }, [{ surname: { text: 'OKORO' } }]])
    expect(ask({ directors: broken }), JSON.stringify(broken)).toThrow(expect.objectContaining({ code: 'surprise' }));
  const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(ask({ other: deep(10_000) })).toThrow(expect.objectContaining({ code: 'surprise' }));
});

describe('what a surprise says', () => {
  const person = { nin: '70000000001', firstname: 'ADA', surname: 'OKORO', birthdate: '1990-01-01' };
  /** The detail for the log; null if the record is accepted. */
  function surprise(more: object): string | null {
    try {
      checkRecord({ kind: 'nin', identifier: '70000000001' }, { found: true, record: { ...person, ...more } }, undefined);
      return null;
    } catch (error) {
      expect(error).toMatchObject({ code: 'surprise' });
      return (error as { detail: string }).detail;
    }
  }
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);

  test('nobody is born tomorrow', () => {
    expect(surprise({ birthdate: inDays(-1) })).toBeNull();
    expect(surprise({ birthdate: inDays(2) })).toBe('birthdate: in the future');
    expect(surprise({ birthdate: '1990-02-30' })).toBe('birthdate: invalid_format');
    const bvn = { bvn: '70000000001', first_name: 'ADA', last_name: 'OKORO', date_of_birth: '2090-01-01' };
    const ask = () => checkRecord({ kind: 'bvn', identifier: '70000000001' }, { found: true, record: bvn }, undefined);
    expect(ask).toThrow(expect.objectContaining({ detail: 'date_of_birth: in the future' }));
  });

  test('nobody has a name of ten thousand letters', () => {
    expect(surprise({ surname: 'O'.repeat(1_000) })).toBeNull();
    expect(surprise({ surname: 'O'.repeat(10_000) })).toBe('surname: too_big');
    expect(surprise({ middlename: 'O'.repeat(10_000) })).toBe('middlename: too_big');
    expect(surprise({ photo: 'A'.repeat(1_000_000) })).toBeNull();
  });

  test('damaged text is no text, in whichever member', () => {
    for (const damaged of ['OKO\0RO', 'OKO\ud800RO']) {
      expect(surprise({ surname: damaged })).toBe('surname: damaged text');
      expect(surprise({ residence_town: damaged })).toBe('residence_town: damaged text');
    }
    expect(surprise({ surname: 'Ọkọ́rọ̀ 😀' })).toBeNull();
  });

  test('a name of which nothing is seen is no name', () => {
    for (const unseen of ['', '  ', '\u200b\u200d\ufeff', '\u202e', '\u0007\u001b', '\u3164'])
      expect(surprise({ surname: unseen }), JSON.stringify(unseen)).toBe('surname: empty');
    for (const seen of ['.', '\u202eOKORO', 'OKORO\u001b', '\u0639\u200c'])
      expect(surprise({ surname: seen }), JSON.stringify(seen)).toBeNull();
  });

  test('only members that we know are named: others may be named after people', () => {
    expect(surprise({ nspoken_lang: 5 })).toBe('nspoken_lang: expected string');
    for (const name of ['70000000001', 'OKORO', 'okoro', 'Ada Okoro', 'ada.okoro@example.ng'])
      expect(surprise({ [name]: 5 }), name).toBe('*: expected string');
  });
});
