/** Interpol notices. Everybody in them is invented. */
import { describe, expect, it } from 'vitest';
import { interpolFormat } from '../../../src/engines/aml/lists/interpol.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const self = (colour: string, id: string) => ({
  self: { href: `https://ws-public.interpol.int/notices/v1/${colour}/${id.replace('/', '-')}` },
});
const notice = (id: string, more: object = {}, colour = 'red') => ({
  entity_id: id,
  forename: 'DAVIDKO',
  name: 'PEMBROGE',
  date_of_birth: '1979/05/31',
  nationalities: ['NG', 'GB'],
  _links: { ...self(colour, id), thumbnail: { href: 'https://ws-public.interpol.int/x' } },
  ...more,
});
const page = (...notices: object[]) => JSON.stringify({ total: notices.length, query: { page: 1 }, _embedded: { notices }, _links: {} });
const detail = {
  sex_id: 'M',
  arrest_warrants: [
    { issuing_country_id: 'GH', charge: 'escroquerie', charge_translation: 'Fraud' },
    { issuing_country_id: 'NG', charge: 'Theft', charge_translation: null },
  ],
};
const text = page(notice('2099/1'), notice('2099/2', { forename: null, name: 'ZAKOLBERRE', date_of_birth: '1979' }));

describe('Interpol notices', () => {
  it('a page of search results', async () => {
    expect(interpolFormat.recognizes('page-1.json', text)).toBe(true);
    const { entries } = await readAll(interpolFormat, fileOf('page-1.json', text));
    expect(entries).toMatchObject([
      {
        sourceId: '2099/1',
        category: 'wanted',
        names: [{ text: 'DAVIDKO PEMBROGE', kind: 'primary', family: 'PEMBROGE' }],
        births: [{ from: '1979-05-31', to: '1979-05-31' }],
        countries: ['GB', 'NG'],
        programs: [],
        url: 'https://ws-public.interpol.int/notices/v1/red/2099-1',
      },
      { sourceId: '2099/2', names: [{ text: 'ZAKOLBERRE' }], births: [{ from: '1979-01-01', to: '1979-12-31' }] },
    ]);
  });

  it('overlapping pages and single notices in a folder: each notice once, with its charges', async () => {
    const files = [
      fileOf('detail-1.json', JSON.stringify(notice('2099/1', detail))),
      fileOf('page-1.json', text),
      fileOf('page-2.json', page(notice('2099/1'))),
      fileOf('all.json', JSON.stringify([notice('2099/3', { arrest_warrants: null, sex_id: 'U' })])),
    ];
    const { entries } = await readAll(interpolFormat, files);
    expect(entries.map((entry) => entry.sourceId).sort()).toEqual(['2099/1', '2099/2', '2099/3']);
    expect(entries[0]).toMatchObject({ gender: 'male', programs: ['Fraud (GH)', 'Theft (NG)'] });
    expect(entries.at(-1)?.gender).toBe(null);
  });

  it('special notices are sanctions; missing people and notices without a name are left out and counted', async () => {
    const mixed = page(notice('1', {}, 'un'), notice('2', {}, 'yellow'), notice('3', { forename: '-', name: null }));
    const { entries, facts } = await readAll(interpolFormat, fileOf('page.json', mixed));
    expect(entries).toMatchObject([{ sourceId: '1', category: 'sanction' }]);
    expect(facts.skipped).toBe(2);
  });

  it('an unreadable date is left out and the person kept', async () => {
    const { entries } = await readAll(
      interpolFormat,
      fileOf('p.json', page(notice('1', { date_of_birth: '1979/13/40', nationalities: ['914'] }))),
    );
    expect(entries[0]).toMatchObject({ births: [], countries: [] });
  });

  it.each([
    ['another JSON object', '{"hello":1}', 'malformed'],
    ['a notice without its number', page({ name: 'PEMBROGE' }), 'malformed'],
    ['a number without a name of any kind', '[1]', 'malformed'],
    ['notices nested a hundred thousand deep', `{"_embedded":${'{"_embedded":'.repeat(100_000)}1${'}'.repeat(100_001)}`, 'malformed'],
  ])('%s is refused', async (_case, bad, rule) => {
    const error = await refusalOf(interpolFormat, fileOf('page.json', bad));
    expect(error.rule).toBe(rule);
    expect(error.message).not.toContain('PEMBROGE');
  });

  refusesWhatIsNoList({ format: interpolFormat, name: 'page-1.json', text, nobody: page(), secret: 'ZAKOLBERRE' });
});
