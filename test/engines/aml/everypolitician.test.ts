/** Politicians as Popolo JSON and CSV. The people in the small files are invented; the real files are read where they are installed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { popoloFormat } from '../../../src/engines/aml/lists/everypolitician.ts';
import { politiciansCsvFormat } from '../../../src/engines/aml/lists/everypolitician-csv.ts';
import { formats } from '../../../src/engines/aml/lists/formats.ts';
import { packageRoot } from '../../../src/foundation/package-root.ts';
import { fileAt, fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const document = {
  persons: [
    {
      id: 'p1',
      name: 'Ifunanya Dzukogara',
      family_name: 'Dzukogara',
      other_names: [{ lang: 'en', name: 'Ify Dzukogara', note: 'alternate' }],
      birth_date: '1970-02',
      gender: 'female',
      sources: [{ url: 'https://parliament.example/1' }],
      images: [{ url: 'https://parliament.example/1.jpg' }],
    },
    { id: 'p2', name: 'Barnabas Kelfwanga' },
    { id: 'p3', name: 'Nobody Elected' },
  ],
  meta: { sources: ['x'] },
  memberships: [
    { person_id: 'p1', organization_id: 'legislature', legislative_period_id: 'term/1', role: 'member', end_date: '2013-04' },
    { person_id: 'p1', organization_id: 'legislature', legislative_period_id: 'term/2', role: 'member' },
    { person_id: 'p2', organization_id: 'legislature', legislative_period_id: 'term/3', role: 'member' },
  ],
  events: [
    { id: 'term/1', name: '2011–15', end_date: '2015-06-08', classification: 'legislative period' },
    { id: 'term/2', name: '2015–19', end_date: '2019-06-10' },
    { id: 'term/3', name: '2019–' },
  ],
  organizations: [{ id: 'legislature', name: 'House of Inventions', classification: 'legislature' }],
};
const popolo = JSON.stringify(document, null, 2);

const terms = [
  'id,name,sort_name,email,group,area,chamber,term,start_date,end_date,gender',
  'p1,Ifunanya Dzukogara,"Dzukogara, Ifunanya",,Party,Area 1,House of Inventions,7,2011-06-06,2015-06-08,female',
  'p2,Barnabas Kelfwanga,,,Party,Area 2,House of Inventions,7,,,male',
  'p1,Ifunanya Dzukogara-Obi,,,Party,Area 1,House of Inventions,8,,2019,female',
].join('\n');

describe('Popolo JSON', () => {
  it('people with their offices; a former member gets the day the term ended', async () => {
    expect(popoloFormat.recognizes('ep-popolo-v1.0.json', popolo)).toBe(true);
    const { entries } = await readAll(popoloFormat, fileOf('Nigeria-Assembly.ep-popolo-v1.0.json', popolo));
    expect(entries[0]).toEqual({
      sourceId: 'p1',
      category: 'pep',
      names: [
        { text: 'Ifunanya Dzukogara', kind: 'primary', family: 'Dzukogara' },
        { text: 'Ify Dzukogara', kind: 'alias' },
      ],
      births: [{ from: '1970-02-01', to: '1970-02-28', circa: false }],
      countries: ['NG'],
      gender: 'female',
      programs: ['Member of House of Inventions, 2011–15', 'Member of House of Inventions, 2015–19'],
      listedOn: null,
      endedOn: '2019-06-10',
      url: 'https://parliament.example/1',
    });
    expect(entries.slice(1).map((entry) => entry.endedOn)).toEqual([null, null]);
  });

  it('a file whose name gives no country is read without one', async () => {
    const { entries } = await readAll(popoloFormat, fileOf('ep-popolo-v1.0.json', popolo));
    expect(entries[0]?.countries).toEqual([]);
  });

  it.each([
    ['two persons with one id', { ...document, persons: [document.persons[0], document.persons[0]] }, 'duplicate_id', 'person 2'],
    ['a person without a name', { persons: [{ id: 'p1' }] }, 'malformed', 'person 1'],
    ['persons that are not an array', { persons: { a: document.persons[0] } }, 'malformed', 'persons is not an array'],
    ['a membership of nobody', { ...document, memberships: [{ role: 'member' }] }, 'malformed', 'memberships 1'],
    ['another JSON object', { hello: 'world' }, 'empty', 'no person'],
  ])('%s is refused, naming file and element', async (_case, value, rule, says) => {
    const error = await refusalOf(popoloFormat, fileOf('popolo.json', JSON.stringify(value)));
    expect(error.rule).toBe(rule);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain('Dzukogara');
  });

  it('an element of more than 4 MB, or nested too deep, is refused', async () => {
    const big = JSON.stringify({ persons: [{ id: 'p1', name: 'x', other: 'y'.repeat(5_000_000) }] });
    expect((await refusalOf(popoloFormat, fileOf('popolo.json', big))).rule).toBe('too_large');
    const deep = `{"persons":[{"id":"p1","name":"x","other":${'['.repeat(100)}${']'.repeat(100)}}]}`;
    expect((await refusalOf(popoloFormat, fileOf('popolo.json', deep))).rule).toBe('too_large');
  });

  refusesWhatIsNoList({ format: popoloFormat, name: 'popolo.json', text: popolo, nobody: '{"persons":[]}', secret: 'Barnabas Kelfwanga' });
});

describe('CSV of politicians', () => {
  it('the lines of one person are one entry, which has ended only if every line has', async () => {
    expect(politiciansCsvFormat.recognizes('term-7.csv', terms)).toBe(true);
    const { entries } = await readAll(politiciansCsvFormat, fileOf('nigeria-term-7.csv', terms));
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      sourceId: 'p1',
      names: [
        { text: 'Ifunanya Dzukogara', kind: 'primary' },
        { text: 'Ifunanya Dzukogara-Obi', kind: 'alias' },
      ],
      countries: ['NG'],
      gender: 'female',
      programs: ['Member of House of Inventions, Area 1, 7', 'Member of House of Inventions, Area 1, 8'],
      endedOn: '2019-12-31',
    });
    expect(entries[1]).toMatchObject({ gender: 'male', endedOn: null });
  });

  it("a table in Confam's own format is left to that reader, whatever other columns it has", () => {
    expect(politiciansCsvFormat.recognizes('peps.csv', 'id,name,aliases,position,country,ended_on\n')).toBe(false);
  });

  it('several terms handed in together are one list', async () => {
    const [header, first, second, third] = terms.split('\n');
    const files = [fileOf('term-7.csv', `${header}\n${first}\n${second}`), fileOf('term-8.csv', `${header}\n${third}`)];
    expect((await readAll(politiciansCsvFormat, files)).entries).toHaveLength(2);
  });

  it('an ambiguous date of birth counts as its year; an invalid one is left out', async () => {
    const text =
      'id,name,position,birth_date,country\n1,Ifunanya Dzukogara,Senator,3/1/1955,GE-AB\n2,Barnabas Kelfwanga,Senator,1955-02-30,NG';
    const { entries } = await readAll(politiciansCsvFormat, fileOf('a.csv', text));
    expect(entries[0]).toMatchObject({ births: [{ from: '1955-01-01', to: '1955-12-31' }], countries: ['GE'] });
    expect(entries[1]?.births).toEqual([]);
  });

  it.each([
    ['a header without id', terms.replace('id,', 'number,'), 'missing_column'],
    ['a line with too few cells', `${terms}\np9,Nobody`, 'malformed'],
    ['a line without an id', `${terms}\n,Nobody,,,,,,,,,`, 'bad_value'],
  ])('%s is refused', async (_case, text, rule) => {
    expect((await refusalOf(politiciansCsvFormat, fileOf('term-7.csv', text))).rule).toBe(rule);
  });

  refusesWhatIsNoList({
    format: politiciansCsvFormat,
    name: 'term-7.csv',
    text: terms,
    nobody: terms.split('\n')[0] ?? '',
    secret: 'Barnabas Kelfwanga',
  });
});

const peps = join(packageRoot(), '../shared/data/aml/peps');
describe.skipIf(!existsSync(peps))('the real files of ../shared/data/aml/peps (skipped where they are absent)', () => {
  it.each([
    ['everypolitician-2015-11.csv', politiciansCsvFormat, 49_484, 18_961],
    ['nigeria-peps-2020.csv', politiciansCsvFormat, 1_489, 83],
    ['nigeria-assembly-2015.ep-popolo-v1.0.json', popoloFormat, 362, 0],
  ])('%s: everybody', async (name, format, persons, births) => {
    const startedAt = performance.now();
    const head = readFileSync(join(peps, name)).subarray(0, 4096).toString();
    expect(formats.find((other) => other.recognizes(name, head))?.id).toBe(format.id);
    const { entries } = await readAll(format, fileAt(join(peps, name)));
    console.log(`${name}: ${entries.length} entries in ${Math.round(performance.now() - startedAt)} ms`);
    expect(entries).toHaveLength(persons);
    expect(new Set(entries.map((entry) => entry.sourceId)).size).toBe(persons);
    expect(entries.filter((entry) => entry.births.length > 0).length).toBeGreaterThanOrEqual(births * 0.99);
    expect(entries.filter((entry) => entry.countries.length > 0).length).toBeGreaterThan(persons * 0.98);
  });
});
