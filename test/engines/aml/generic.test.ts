/** Confam's own list format, CSV and JSON lines. Everybody in it is invented. */
import { describe, expect, it } from 'vitest';
import { genericFormat } from '../../../src/engines/aml/lists/generic.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const csv = [
  'Name,ID,Aliases,Weak aliases,Date of birth,Countries,Gender,Category,Headline,Listed on,Ended on,URL',
  'Olamidotun Ferepade,am-1,Dotun Ferepade; О. Ферепаде ,Dottie,1971-04-05;1972,NG; Ghana,F,,"Bank fraud; two charged",2024-02-03,,https://press.example/1',
  '"Zubanda Kirfawa",am-2,,,circa long ago,Nowhere,unknown,wanted,,bad,2020-02,javascript:alert(1)',
].join('\r\n');

const whole = {
  sourceId: 'am-1',
  category: 'adverse_media',
  names: [
    { text: 'Olamidotun Ferepade', kind: 'primary' },
    { text: 'Dotun Ferepade', kind: 'alias' },
    { text: 'О. Ферепаде', kind: 'original' },
    { text: 'Dottie', kind: 'weak' },
  ],
  births: [
    { from: '1971-04-05', to: '1971-04-05', circa: false },
    { from: '1972-01-01', to: '1972-12-31', circa: false },
  ],
  countries: ['GH', 'NG'],
  gender: 'female',
  programs: ['Bank fraud; two charged'],
  listedOn: '2024-02-03',
  endedOn: null,
  url: 'https://press.example/1',
};

const jsonl = [
  {
    id: 'am-1',
    name: 'Olamidotun Ferepade',
    aliases: ['Dotun Ferepade', 'О. Ферепаде'],
    weak_aliases: 'Dottie',
    dob: ['1971-04-05', 1972].map(String),
    countries: ['NG', 'Ghana'],
    sex: 'female',
    headline: 'Bank fraud; two charged',
    published: '2024-02-03',
    url: 'https://press.example/1',
    anything: { deep: [[1]] },
  },
  { id: 7, name: 'Zubanda Kirfawa', category: 'WANTED' },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

describe('generic lists', () => {
  it.each([
    ['CSV', 'media.csv', csv],
    [
      'CSV with semicolons and a byte-order mark',
      'media.csv',
      `\ufeff${'name;id;dob\nOlamidotun Ferepade;am-1;1971-04-05\nZubanda Kirfawa;am-2;'}`,
    ],
    ['JSON lines', 'media.jsonl', jsonl],
  ])('%s is recognized and read', async (_case, name, text) => {
    expect(genericFormat.recognizes(name, text.slice(0, 4096))).toBe(true);
    const { entries, facts } = await readAll(genericFormat, fileOf(name, text));
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ sourceId: 'am-1' });
    expect(entries[0]?.names[0]).toEqual({ text: 'Olamidotun Ferepade', kind: 'primary' });
    expect(entries[0]?.births[0]?.from).toBe('1971-04-05');
    expect(facts).toEqual({ publishedOn: null, skipped: 0 });
  });

  it.each([
    ['CSV', csv],
    ['JSON lines', jsonl],
  ])('every column of %s becomes a field', async (_case, text) => {
    const { entries } = await readAll(genericFormat, fileOf('media', text));
    expect(entries[0]).toEqual(whole);
  });

  it('an unreadable detail is left out and the person kept', async () => {
    const { entries } = await readAll(genericFormat, fileOf('media.csv', csv));
    expect(entries[1]).toEqual({
      sourceId: 'am-2',
      category: 'wanted',
      names: [{ text: 'Zubanda Kirfawa', kind: 'primary' }],
      births: [],
      countries: [],
      gender: null,
      programs: [],
      listedOn: null,
      endedOn: '2020-02-29',
      url: null,
    });
  });

  it("a line without a category takes the list's category", async () => {
    const { entries } = await readAll(genericFormat, fileOf('a.csv', 'name\nOlamidotun Ferepade'), 'pep');
    expect(entries[0]?.category).toBe('pep');
  });

  it('a line without an id keeps one id wherever it is in the file', async () => {
    const [a, b] = ['Olamidotun Ferepade,1971,https://press.example/1', 'Zubanda Kirfawa,,'];
    const idsOf = async (text: string) => (await readAll(genericFormat, fileOf('a.csv', text))).entries.map((entry) => entry.sourceId);
    const ids = await idsOf(`name,dob,url\n${a}\n${b}`);
    expect(new Set(ids).size).toBe(2);
    expect(await idsOf(`name,dob,url\n${b}\n${a}`)).toEqual(ids.reverse());
  });

  it('Windows-1252 and UTF-16 are recognized and decoded', async () => {
    const text = 'name,id\nÁdélé Ferepadé,1\n';
    for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      const { entries } = await readAll(genericFormat, fileOf('a.csv', bytes));
      expect(entries[0]?.names[0]?.text).toBe('Ádélé Ferepadé');
    }
  });

  it.each([
    ['two lines with one id', 'name,id\nOlamidotun Ferepade,1\nZubanda Kirfawa,1', 'duplicate_id', 'line 3'],
    ['the same line twice without ids', 'name\nOlamidotun Ferepade\nOlamidotun Ferepade', 'duplicate_id', 'line 3'],
    ['a header without a name column', 'id,dob\n1,1970', 'missing_column', 'lacks the column name'],
    ['a line with too few cells', 'name,id\nOlamidotun Ferepade', 'malformed', 'line 2'],
    ['a line without a name', 'name,id\n--,1', 'bad_value', 'line 2'],
    ['an unknown category', 'name,category\nOlamidotun Ferepade,villain', 'bad_value', 'category is none of'],
    ['an id of 300 characters', `name,id\nOlamidotun Ferepade,${'1'.repeat(300)}`, 'bad_value', 'line 2'],
    ['more than 500 columns', `name${',x'.repeat(600)}\n`, 'too_large', '500 columns'],
    ['an unclosed quote', 'name,id\n"Olamidotun Ferepade,1\n', 'truncated', 'line 2'],
    ['text after a closing quote', 'name,id\n"Olamidotun" Ferepade,1\n', 'malformed', 'line 2'],
    ['a JSON line without a name', '{"id":"1"}', 'missing_column', 'line 1'],
    ['a JSON array as a line', '{"name":"Olamidotun Ferepade"}\n[1]\n', 'malformed', 'line 2'],
    ['an object for a name', '{"name":{"first":"Olamidotun"}}', 'bad_value', 'line 1: name'],
    ['numbers among aliases', '{"name":"Olamidotun Ferepade","aliases":[1]}', 'bad_value', 'line 1: aliases'],
  ])('%s is refused, naming file and line', async (_case, text, rule, says) => {
    const error = await refusalOf(genericFormat, fileOf('media.csv', text));
    expect(error.rule).toBe(rule);
    expect(error.message).toContain('media.csv');
    expect(error.message).toContain(says);
    expect(error.message).not.toContain('Olamidotun');
  });

  it('a person with deeply nested other members is read', async () => {
    const deep = `{"name":"Olamidotun Ferepade","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await readAll(genericFormat, fileOf('a.jsonl', deep))).entries).toHaveLength(1);
  });

  describe('CSV', () =>
    refusesWhatIsNoList({ format: genericFormat, name: 'media.csv', text: csv, nobody: 'name,id\n', secret: 'Zubanda Kirfawa' }));
  describe('JSON lines', () =>
    refusesWhatIsNoList({ format: genericFormat, name: 'media.jsonl', text: jsonl, nobody: '\n', secret: 'Zubanda Kirfawa' }));
});
