/** The invented lists of test keys: the real readers read them, and nobody in them is real. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { formats } from '../../src/engines/aml/lists/formats.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { readLaterSandboxList, readSandboxLists, type SandboxList } from '../../src/sandbox/watch-lists.ts';

const folder = join(packageRoot(), 'src/sandbox/watch-lists');
let lists: SandboxList[];
beforeAll(async () => {
  lists = await readSandboxLists();
});
const entriesOf = (list: string) => lists.find((other) => other.list === list)!.entries;
const named = (list: string, text: string) => entriesOf(list).find((entry) => entry.names.some((name) => name.text === text));

describe('sandbox lists', () => {
  it('every list is read by its own reader and is identical on every machine', () => {
    const counts = Object.fromEntries(lists.map(({ list, entries }) => [list, entries.length]));
    expect(counts).toEqual({ ofac_sdn: 15, un_sc: 12, uk_sanctions: 10, eu_fsf: 10, opensanctions: 16, interpol_red: 8, adverse_media: 8 });
    expect(lists.map(({ list, publishedOn }) => [list, publishedOn])).toEqual([
      ['ofac_sdn', null],
      ['un_sc', '2026-01-12'],
      ['uk_sanctions', '2026-01-05'],
      ['eu_fsf', '2026-01-09'],
      ['opensanctions', '2026-01-10'],
      ['interpol_red', null],
      ['adverse_media', null],
    ]);
    for (const { version } of lists) expect(version).toMatch(/^(?:sandbox|2026-01-\d\d)-[0-9a-f]{8}$/);
  });

  it('each file is recognized by its own format only', async () => {
    const expected = {
      ofac_sdn: 'ofac_csv',
      un_sc: 'un_xml',
      uk_sanctions: 'uk_sanctions_csv',
      eu_fsf: 'eu_xml',
      opensanctions: 'opensanctions_json',
      interpol_red: 'interpol_json',
      adverse_media: 'generic',
    };
    for (const [list, format] of Object.entries(expected)) {
      for (const name of readdirSync(join(folder, list))) {
        const head = readFileSync(join(folder, list, name))
          .subarray(0, 4096)
          .toString();
        expect([name, formats.find((other) => other.recognizes(name, head))?.id]).toEqual([name, format]);
      }
    }
  });

  it('contain every kind of name, birth date and category', () => {
    const entries = lists.flatMap((list) => list.entries);
    expect(new Set(entries.map((entry) => entry.category))).toEqual(new Set(['sanction', 'pep', 'wanted', 'adverse_media']));
    expect(new Set(entries.flatMap((entry) => entry.names.map((name) => name.kind)))).toEqual(
      new Set(['primary', 'alias', 'weak', 'former', 'original']),
    );
    const people = entries.filter(({ type }) => type === undefined);
    expect(people.every((entry) => entry.births.length > 0 && entry.countries.length > 0)).toBe(true);
    expect(entries.filter(({ type }) => type === 'organization').length).toBeGreaterThan(5);
    const text = entries.flatMap((entry) => entry.names.map((name) => name.text)).join();
    for (const script of ['Arabic', 'Cyrillic', 'Han', 'Hangul', 'Ethiopic'])
      expect(text).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
  });

  it('everybody whom docs/sandbox.md calls a hit is in the list it names', () => {
    const section = readFileSync(join(packageRoot(), 'docs/sandbox.md'), 'utf8').split('## Screening')[1] ?? '';
    const hits = [...section.matchAll(/ \| (\d{4}-\d\d-\d\d) \| ([A-Z]{2}) \| `(\w+)` `([^`]+)` \|/g)];
    expect(hits.length).toBeGreaterThanOrEqual(15);
    for (const [, birth = '', country, list = '', id] of hits) {
      const entry = entriesOf(list).find((other) => other.sourceId === id);
      expect([id, entry?.births.some(({ from, to }) => from <= birth && birth <= to), entry?.countries]).toEqual([
        id,
        true,
        expect.arrayContaining([country]),
      ]);
    }
  });

  it('the people in docs/sandbox.md are as it describes them', () => {
    expect(named('ofac_sdn', 'Musa Danjumare BALARABEWA')).toMatchObject({
      births: [{ from: '1968-03-14', to: '1968-03-14' }],
      countries: ['NG'],
      gender: 'male',
    });
    expect(named('ofac_sdn', 'Ignacio Corverano ZURBALETA')).toMatchObject({ gender: 'male', countries: ['ES', 'VE'] });
    expect(named('uk_sanctions', 'Тимур Валерьянович Белозёрцев')).toMatchObject({ births: [{ from: '1967-09-09' }], countries: ['RU'] });
    expect(named('opensanctions', 'Ikemefunaya Obiorajulu')).toMatchObject({ category: 'pep', endedOn: null });
    expect(named('opensanctions', 'Tamunodieprieye Horsfallowei')).toMatchObject({ category: 'pep', endedOn: '2019-06-08' });
    expect(named('interpol_red', 'OSAROBOWALE EKHATORUYI')).toMatchObject({
      category: 'wanted',
      programs: ['Trafficking in human beings (IT)'],
    });
    expect(named('adverse_media', 'Olamidotunre Ferepadejo')).toMatchObject({
      category: 'adverse_media',
      births: [{ from: '1981-08-30' }],
    });
  });

  it('the later version adds one person and changes one', async () => {
    const later = await readLaterSandboxList();
    const before = new Map(entriesOf('un_sc').map((entry) => [entry.sourceId, JSON.stringify(entry)]));
    expect(later.list).toBe('un_sc');
    expect(later.publishedOn).toBe('2026-02-20');
    expect(later.entries.filter((entry) => !before.has(entry.sourceId)).map((entry) => entry.names[0]!.text)).toEqual([
      'TANIMUWA GARBALE KWARKWASIYU',
    ]);
    const changed = later.entries.filter((entry) => before.has(entry.sourceId) && before.get(entry.sourceId) !== JSON.stringify(entry));
    expect(changed.map((entry) => entry.names[0]!.text)).toEqual(['EMEKANWA OSITADINMA OKWURUKA']);
  });
});

const real = join(packageRoot(), '../shared/data/aml');
describe.skipIf(!existsSync(real))('against the real lists of ../shared/data/aml (skipped where they are absent)', () => {
  it('no sandbox person has both the given and the family name of a listed person', () => {
    const known = new Set<string>();
    for (const path of readdirSync(real, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(csv|gz|xml|json|txt)$/.test(name))) {
      const bytes = readFileSync(join(real, path));
      for (const word of (path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
        .toString()
        .toLowerCase()
        .match(/[a-z]+/g) ?? [])
        known.add(word);
    }
    const alike = lists
      .flatMap((list) => list.entries)
      .filter(({ type }) => type === undefined)
      .map((entry) => entry.names[0]!.text.toLowerCase().match(/[a-z]+/g) ?? [])
      .filter((words) => words.every((word) => known.has(word)));
    expect(alike).toEqual([]);
  });
});
