/** The lists that Confam knows, and how the operator's file changes them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configureLists } from '../../src/aml/definitions.ts';
import { formats } from '../../src/engines/aml/lists/formats.ts';

const folder = mkdtempSync(join(tmpdir(), 'lists-'));
afterAll(() => rmSync(folder, { recursive: true }));

function configure(content: unknown) {
  const path = join(folder, 'lists.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return configureLists({ CONFAM_LISTS: path });
}

const known = configureLists({ CONFAM_LISTS: undefined });

describe("without the operator's file", () => {
  it('the UN and OFAC lists are required, at most seven days old', () => {
    expect(known.filter(({ isRequired }) => isRequired).map(({ list }) => list)).toEqual(['ofac_sdn', 'un_sc']);
    expect(known.filter(({ isRequired }) => isRequired).map(({ maxAgeDays }) => maxAgeDays)).toEqual([7, 7]);
  });

  it('every list is fetched over https and has an id of its own', () => {
    expect(known.flatMap(({ addresses }) => addresses).filter((address) => !address.startsWith('https://'))).toEqual([]);
    expect(new Set(known.map(({ list }) => list)).size).toBe(known.length);
  });

  it('every format that a list expects has a reader', () => {
    const ids = formats.map(({ id }) => id);
    expect(known.flatMap((definition) => definition.formats ?? []).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("the operator's file", () => {
  it('changes the lists it names, drops those it disables, and adds new lists', () => {
    const lists = configure({
      lists: {
        eu_fsf: { addresses: ['https://webgate.example/fsf?token=ours'], required: true, max_age_days: 3 },
        ca_sema: { enabled: false },
        our_leavers: { category: 'adverse_media', title: 'Dismissed for fraud' },
      },
    });
    expect(lists.find(({ list }) => list === 'eu_fsf')).toMatchObject({
      ...{ addresses: ['https://webgate.example/fsf?token=ours'], isRequired: true, maxAgeDays: 3 },
      ...{ publisher: 'European Commission', formats: ['eu_xml', 'eu_csv'] },
    });
    expect(lists.some(({ list }) => list === 'ca_sema')).toBe(false);
    expect(lists.find(({ list }) => list === 'our_leavers')).toMatchObject({ addresses: [], isRequired: false, formats: null });
    expect(lists).toHaveLength(known.length);
  });

  it.each([
    [
      'plain http',
      { un_sc: { addresses: ['http://lists.example/un.xml'] } },
      'CONFAM_LISTS: lists.un_sc.addresses.0: must be an https URL',
    ],
    ['a password', { un_sc: { addresses: ['https://me:word@lists.example/un.xml'] } }, 'lists.un_sc.addresses.0: must be an https URL'],
    ['a file', { un_sc: { addresses: ['file:///etc/hostname'] } }, 'lists.un_sc.addresses.0: must be an https URL'],
    ['an unknown member', { un_sc: { adresses: [] } }, 'lists.un_sc: Unrecognized key: "adresses"'],
    ['an unknown category', { own: { category: 'bad' } }, 'lists.own.category: must be one of '],
    ['a new list without a category', { own: {} }, 'lists.own.category: is required'],
    ['an invalid id', { 'Our List': { category: 'pep' } }, 'lists.Our List: must be 2 to 41 lower-case letters'],
    ['no age at all', { un_sc: { max_age_days: 0 } }, 'lists.un_sc.max_age_days: must be '],
  ])('with %s is refused, naming the path', (_, lists, message) => {
    expect(() => configure({ lists })).toThrow(message);
  });

  it('may use plain http on this machine, for a local mirror', () => {
    for (const url of ['http://127.0.0.1:8000/un.xml', 'http://localhost/un.xml', 'http://[::1]:1/un.xml'])
      expect(configure({ lists: { un_sc: { addresses: [url] } } }).find(({ list }) => list === 'un_sc')!.addresses).toEqual([url]);
    expect(() => configure({ lists: { un_sc: { addresses: ['http://127.0.0.1.example/un.xml'] } } })).toThrow('must be an https URL');
  });

  it('is refused if it is missing or not JSON', () => {
    expect(() => configure('{')).toThrow(/^CONFAM_LISTS: .*json is not JSON$/);
    expect(() => configureLists({ CONFAM_LISTS: join(folder, 'none.json') })).toThrow(
      `CONFAM_LISTS: ${join(folder, 'none.json')} cannot be read (ENOENT)`,
    );
  });
});
