/** OpenSanctions' three files. Everybody in them is invented. */
import { describe, expect, it } from 'vitest';
import { openSanctionsFormat } from '../../../src/engines/aml/lists/opensanctions.ts';
import { openSanctionsCsvFormat } from '../../../src/engines/aml/lists/opensanctions-csv.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const lines = (...entities: object[]): string => `${entities.map((entity) => JSON.stringify(entity)).join('\n')}\n`;

const person = (id: string, properties: Record<string, unknown[]>, more: object = {}) => ({
  id,
  caption: String(properties.name?.[0] ?? ''),
  schema: 'Person',
  properties,
  datasets: ['invented'],
  referents: [],
  target: true,
  last_seen: '2026-02-03T10:00:00',
  ...more,
});
const link = (id: string, schema: string, properties: Record<string, unknown[]>) => ({
  id,
  caption: schema,
  schema,
  properties,
  target: false,
});

const governor = {
  name: ['Титилопе Жеймс', 'Titilope Zhemsor'],
  alias: ['T. Zhemsor'],
  weakAlias: ['Titi'],
  previousName: ['Titilope Bakarewa'],
  lastName: ['Zhemsor'],
  birthDate: ['1961-05', '1961-05-09'],
  nationality: ['ng'],
  citizenship: ['gb'],
  country: ['gh'],
  gender: ['female'],
  position: ['Board member of an invented bank'],
  topics: ['role.pep', 'gov.state'],
};
const post = { id: 'Q1', schema: 'Position', properties: { name: ['Governor of an invented state'], country: ['ng'] } };

const ftm = lines(
  // A link may come before or after its target.
  link('occ-1', 'Occupancy', { holder: ['NK-1'], post: ['Q1'], startDate: ['2011'], endDate: ['2015-05-29'], status: ['ended'] }),
  person('NK-1', governor, { caption: 'Titilope Zhemsor' }),
  link('Q1', 'Position', post.properties),
  link('occ-2', 'Occupancy', { holder: ['NK-1'], post: ['Q2'], endDate: ['2019'] }),
  link('Q2', 'Position', { name: ['Senator of an invented state'] }),
  link('s-1', 'Sanction', { entity: ['NK-2'], program: ['INVENTED-EO 1'], listingDate: ['2020-01-02'], startDate: ['2019-12-31'] }),
  link('s-2', 'Sanction', { entity: ['NK-2'], authority: ['Invented Office'], listingDate: ['2018-07-06'] }),
  person('NK-2', { name: ['Gordanko Velpashev'], topics: ['role.pep', 'sanction'], country: ['ru'], birthDate: ['never'] }),
  person('NK-3', { name: ['Not a target'] }, { target: false }),
  {
    ...person('NK-4', { name: ['Velpashev Shipping'], topics: ['sanction'], jurisdiction: ['ru'], ogrnCode: ['9900770099001'] }),
    schema: 'Company',
  },
  { ...person('NK-5', { name: ['Velpashev Star'] }), schema: 'Vessel' },
);

const nested = lines(
  person(
    'NK-1',
    {
      ...governor,
      positionOccupancies: [
        { id: 'o1', schema: 'Occupancy', properties: { post: [post], endDate: ['2015-05-29'] } },
        {
          id: 'o2',
          schema: 'Occupancy',
          properties: { post: [{ ...post, properties: { name: ['Senator of an invented state'] } }], endDate: ['2019'] },
        },
      ],
    },
    { caption: 'Titilope Zhemsor' },
  ),
  person('NK-2', {
    name: ['Gordanko Velpashev'],
    topics: ['sanction'],
    sanctions: [
      { id: 's1', schema: 'Sanction', properties: { program: ['INVENTED-EO 1'], listingDate: ['2020-01-02'], startDate: ['2019-12-31'] } },
      { id: 's2', schema: 'Sanction', properties: { authority: ['Invented Office'], listingDate: ['2018-07-06'] } },
    ],
  }),
  {
    ...person('NK-4', { name: ['Velpashev Shipping'], topics: ['sanction'], jurisdiction: ['ru'], ogrnCode: ['9900770099001'] }),
    schema: 'Company',
  },
  { ...person('NK-5', { name: ['Velpashev Star'] }), schema: 'Vessel' },
);

const csv = [
  '"id","schema","name","aliases","birth_date","countries","addresses","identifiers","sanctions","dataset","first_seen","last_seen","last_change"',
  '"NK-1","Person","Titilope Zhemsor","T. Zhemsor;Титилопе Жеймс","1961-05-09;1961","ng;gb","1 Road\nLagos","","","Invented","2021","2026-02-03T10:00:00","2025"',
  '"NK-4","Company","Velpashev Shipping","","2004","ru","","9900770099001;RU","","Invented","2021","2026-02-01","2025"',
  '"NK-5","Vessel","Velpashev Star","","","ru","","","","Invented","2021","2026-02-01","2025"',
  '"NK-2","Person","Gordanko Velpashev","","","ru","","","Invented office - EO 1;Other","Invented","2021","2026-02-01","2025"',
].join('\n');

describe('OpenSanctions JSON', () => {
  it.each([
    ['entities.ftm.json, links in entities of their own', ftm],
    ['targets.nested.json, links inside', nested],
  ])('%s: people, names, offices and when they ended', async (_case, text) => {
    expect(openSanctionsFormat.recognizes('x.json', text.slice(0, 4096))).toBe(true);
    const { entries, facts } = await readAll(openSanctionsFormat, fileOf('os.json', text));
    expect(facts).toEqual({ publishedOn: '2026-02-03', skipped: 1 });
    expect(entries.map((entry) => entry.sourceId)).toEqual(['NK-1', 'NK-2', 'NK-4']);
    expect(entries[2]).toMatchObject({
      type: 'organization',
      category: 'sanction',
      names: [{ text: 'Velpashev Shipping', kind: 'primary' }],
      births: [],
      countries: ['RU'],
      registrations: ['9900770099001'],
    });
    expect(entries[0]).toEqual({
      sourceId: 'NK-1',
      category: 'pep',
      names: [
        { text: 'Titilope Zhemsor', kind: 'primary', family: 'Zhemsor' },
        { text: 'Титилопе Жеймс', kind: 'original' },
        { text: 'T. Zhemsor', kind: 'alias', family: 'Zhemsor' },
        { text: 'Titilope Bakarewa', kind: 'former' },
        { text: 'Titi', kind: 'weak' },
      ],
      births: [
        { from: '1961-05-01', to: '1961-05-31', circa: false },
        { from: '1961-05-09', to: '1961-05-09', circa: false },
      ],
      countries: ['GB', 'GH', 'NG'],
      gender: 'female',
      programs: ['Governor of an invented state', 'Senator of an invented state', 'Board member of an invented bank'],
      listedOn: null,
      endedOn: '2019-12-31',
      url: 'https://www.opensanctions.org/entities/NK-1/',
    });
    expect(entries[1]).toMatchObject({
      category: 'sanction',
      births: [],
      countries: [],
      programs: ['INVENTED-EO 1', 'Invented Office'],
      listedOn: '2018-07-06',
      endedOn: null,
    });
  });

  it('an office without a known end, or marked as held, keeps its holder in office', async () => {
    const office = (id: string, properties: Record<string, unknown[]>) =>
      link(id, 'Occupancy', { holder: ['NK-1'], post: ['Q1'], ...properties });
    const read = async (...offices: object[]) =>
      (await readAll(openSanctionsFormat, fileOf('os.json', lines(person('NK-1', governor), ...offices)))).entries[0]?.endedOn;
    expect(await read(office('a', { endDate: ['2015'] }))).toBe('2015-12-31');
    expect(await read(office('a', { endDate: ['2015'] }), office('b', { status: ['unknown'] }))).toBe(null);
    expect(await read(office('a', { endDate: ['2031'], status: ['current'] }))).toBe(null);
    expect(await read(office('a', { endDate: ['soon'] }))).toBe(null);
    expect(await read()).toBe(null);
  });

  it.each([
    [['role.pep', 'sanction.linked'], 'sanction'],
    [['export.control'], 'sanction'],
    [['role.pep', 'wanted'], 'wanted'],
    [['crime.fin'], 'wanted'],
    [['role.rca'], 'pep'],
    [['poi'], 'pep'],
    [['reg.action'], 'adverse_media'],
    [['debarment'], 'adverse_media'],
    [['sanctioned-looking'], 'wanted'],
    [[], 'wanted'],
  ])('topics %j make the category %s, or that of the list', async (topics, category) => {
    const text = lines(person('NK-1', { name: ['Titilope Zhemsor'], topics }));
    expect((await readAll(openSanctionsFormat, fileOf('os.json', text), 'wanted')).entries[0]?.category).toBe(category);
  });

  it.each([
    ['two persons with one id', lines(person('NK-1', governor), person('NK-1', governor)), 'duplicate_id', 'line 2'],
    ['a line that is not an entity', `${lines(person('NK-1', governor))}{"id":"x"}\n`, 'malformed', 'line 2'],
    ['properties that are not arrays', '{"id":"x","schema":"Person","properties":{"name":"Titilope"}}', 'malformed', 'line 1'],
    ['a person without a name', lines(person('NK-1', { name: ['...'] })), 'bad_value', 'line 1'],
    [
      'more than 2,000 names',
      lines(person('NK-1', { name: Array.from({ length: 2_001 }, (_, n) => `Titilope ${n}`) })),
      'too_large',
      'line 1',
    ],
  ])('%s is refused, naming file and line', async (_case, text, rule, says) => {
    const error = await refusalOf(openSanctionsFormat, fileOf('os.json', text));
    expect(error.rule).toBe(rule);
    expect(error.message).toContain(`os.json, ${says}`);
    expect(error.message).not.toContain('Titilope');
  });

  refusesWhatIsNoList({
    format: openSanctionsFormat,
    name: 'os.json',
    text: ftm,
    nobody: lines({ ...person('NK-5', { name: ['Velpashev Star'] }), schema: 'Vessel' }),
    secret: 'Gordanko Velpashev',
  });
});

describe('OpenSanctions targets.simple.csv', () => {
  it('is read by column names, even with cells of several lines', async () => {
    expect(openSanctionsCsvFormat.recognizes('x.csv', csv)).toBe(true);
    const { entries, facts } = await readAll(openSanctionsCsvFormat, fileOf('targets.simple.csv', csv));
    expect(facts).toEqual({ publishedOn: '2026-02-03', skipped: 1 });
    expect(entries).toMatchObject([
      {
        sourceId: 'NK-1',
        category: 'pep',
        names: [{ text: 'Titilope Zhemsor' }, { text: 'T. Zhemsor' }, { kind: 'original' }],
        births: [{ from: '1961-05-09' }, { from: '1961-01-01', to: '1961-12-31' }],
        countries: ['GB', 'NG'],
      },
      { sourceId: 'NK-4', type: 'organization', births: [], countries: ['RU'], registrations: ['9900770099001'] },
      { sourceId: 'NK-2', category: 'sanction', programs: ['Invented office - EO 1', 'Other'] },
    ]);
  });

  it.each([
    ['two persons with one id', `${csv}\n${csv.split('\n').at(-1)}`, 'duplicate_id'],
    ['a header without schema', csv.replace('"schema"', '"kind"'), 'missing_column'],
    ['a line with too few cells', `${csv}\n"NK-9","Person"`, 'malformed'],
  ])('%s is refused', async (_case, text, rule) => {
    expect((await refusalOf(openSanctionsCsvFormat, fileOf('targets.simple.csv', text))).rule).toBe(rule);
  });

  refusesWhatIsNoList({
    format: openSanctionsCsvFormat,
    name: 'targets.simple.csv',
    text: csv,
    nobody: csv.split('\n')[0] ?? '',
    secret: 'Gordanko Velpashev',
  });
});
