/** Both lists of the United Kingdom. Everybody in them is invented. */
import { describe, expect, it } from 'vitest';
import { ukConlistFormat } from '../../../src/engines/aml/lists/uk-conlist.ts';
import { ukSanctionsCsvFormat, ukSanctionsXmlFormat } from '../../../src/engines/aml/lists/uk-sanctions-list.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

type Cells = Record<string, string>;

const csvOf = (title: string, header: string, rows: Cells[]): string => {
  const columns = header.split(',');
  const lines = rows.map((row) => columns.map((column) => (row[column] ? `"${row[column]}"` : '')).join(','));
  return [title, header, ...lines, ''].join('\r\n');
};

const CONLIST =
  'Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Title,Name Non-Latin Script,Non-Latin Script Type,Non-Latin Script Language,DOB,Town of Birth,Country of Birth,Nationality,Passport Number,Passport Details,National Identification Number,National Identification Details,Position,Address 1,Address 2,Address 3,Address 4,Address 5,Address 6,Post/Zip Code,Country,Other Information,Group Type,Alias Type,Alias Quality,Regime,Listed On,UK Sanctions List Date Designated,Last Updated,Group ID';

const person: Cells = {
  'Name 6': 'ZUBANOV',
  'Name 1': 'Pyotr',
  'Name 2': 'Kirfovich',
  DOB: '05/11/1960',
  Nationality: '(1) Russia. (2) Congo (Democratic Republic)',
  'Country of Birth': 'Togo',
  'Other Information': '(UK Sanctions List Ref):RUS9901. (Gender):Male',
  'Group Type': 'Individual',
  'Alias Type': 'Primary name',
  Regime: 'Russia',
  'Listed On': '24/03/2022',
  'Group ID': '99001',
};
const other: Cells = { 'Name 6': 'ADEKIRA', 'Group Type': 'Individual', 'Alias Type': 'Prime Alias', Regime: 'Syria', 'Group ID': '99003' };
const conlist = csvOf(`Last Updated,10/04/2026${','.repeat(34)}`, CONLIST, [
  { ...person, 'Name 1': 'Petr', 'Alias Type': 'Primary name variation', DOB: '00/11/1961' },
  {
    'Name 6': 'ZUBANDA LTD',
    Country: 'Togo',
    'Other Information': '(UK Sanctions List Ref):RUS9902. (Business Reg No):(1) RC 990055 (2) 7704009711. (Website):zubanda.example',
    'Group Type': 'Entity',
    'Alias Type': 'Primary name',
    'Group ID': '99002',
  },
  { 'Name 6': 'ZUBANDA CO', 'Group Type': 'Entity', 'Alias Type': 'AKA', 'Group ID': '99002' },
  { 'Name 6': 'MV ZUBANDA', 'Group Type': 'Ship', 'Alias Type': 'Primary name', 'Group ID': '99004' },
  { ...person, 'Name Non-Latin Script': 'ЗУБАНОВ, Пётр Кирфович' },
  other,
  { ...person, 'Name 6': 'The Tailor', 'Name 1': '', 'Name 2': '', 'Alias Type': 'AKA', 'Alias Quality': 'Low quality', DOB: '1962' },
  { ...person, 'Name 6': 'KIRFOV', 'Alias Type': 'FKA', DOB: '11/1963' },
]);

const zubanov = {
  category: 'sanction',
  births: [
    { from: '1961-11-01', to: '1961-11-30', circa: false },
    { from: '1960-11-05', to: '1960-11-05', circa: false },
    { from: '1962-01-01', to: '1962-12-31', circa: false },
    { from: '1963-11-01', to: '1963-11-30', circa: false },
  ],
  countries: ['CD', 'RU'],
  gender: 'male',
  listedOn: '2022-03-24',
  endedOn: null,
};
const variants = [
  { text: 'Pyotr Kirfovich ZUBANOV', kind: 'primary', family: 'ZUBANOV' },
  { text: 'Petr Kirfovich ZUBANOV', kind: 'alias', family: 'ZUBANOV' },
  { text: 'Пётр Кирфович ЗУБАНОВ', kind: 'original', family: 'ЗУБАНОВ' },
  { text: 'The Tailor', kind: 'weak' },
];

describe('the OFSI consolidated list', () => {
  it('joins the rows of a group wherever they are, with each name and birth once', async () => {
    const { entries, facts } = await readAll(ukConlistFormat, fileOf('ConList.csv', conlist));
    expect(facts).toEqual({ publishedOn: '2026-04-10', skipped: 1 });
    expect(entries).toEqual([
      {
        ...zubanov,
        sourceId: '99001',
        names: [...variants, { text: 'Pyotr Kirfovich KIRFOV', kind: 'former', family: 'KIRFOV' }],
        programs: ['Russia'],
        url: null,
      },
      expect.objectContaining({
        sourceId: '99002',
        type: 'organization',
        names: [
          { text: 'ZUBANDA LTD', kind: 'primary' },
          { text: 'ZUBANDA CO', kind: 'alias' },
        ],
        births: [],
        countries: ['TG'],
        registrations: ['7704009711', '990055'],
      }),
      expect.objectContaining({ sourceId: '99003', names: [{ text: 'ADEKIRA', kind: 'primary' }], births: [], gender: null }),
    ]);
    expect(ukConlistFormat.recognizes('file', conlist)).toBe(true);
    expect(ukSanctionsCsvFormat.recognizes('file', conlist)).toBe(false);
  });

  it('reads the file without its first line, and the 2020 layout', async () => {
    const text = conlist.slice(conlist.indexOf('Name 6')).replace('National Identification Details', 'NI Details');
    expect((await readAll(ukConlistFormat, fileOf('ConList.csv', text))).entries).toHaveLength(3);
  });

  it.each([
    ['a missing column', 'Alias Quality,', '', 'missing_column'],
    ['an id that is not a number', '99003', 'ninety', 'bad_value'],
    ['a person without a name', 'ADEKIRA', '', 'bad_value'],
    ['a row with a column too few in the middle', '"99002"\r\n', '\r\n', 'bad_value'],
    ['a row cut off', '"99003"\r\n', '', 'malformed'],
  ])('refuses %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(ukConlistFormat, fileOf('ConList.csv', conlist.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^ConList\.csv, line \d+: /),
    });
  });

  it('refuses a file that ends within a line, and one with a short last line', async () => {
    expect((await refusalOf(ukConlistFormat, fileOf('ConList.csv', conlist.slice(0, -4)))).rule).toBe('truncated');
    expect((await refusalOf(ukConlistFormat, fileOf('ConList.csv', `${conlist}ADEKIRA,\r\n`))).rule).toBe('truncated');
  });

  refusesWhatIsNoList({
    format: ukConlistFormat,
    name: 'ConList.csv',
    text: conlist,
    nobody: csvOf('Last Updated,10/04/2026', CONLIST, [{ 'Name 6': 'MV ZUBANDA', 'Group Type': 'Ship', 'Group ID': '99004' }]),
    secret: 'ZUBANOV',
  });
});

const UKSL =
  'Last Updated,Unique ID,OFSI Group ID,UN Reference Number,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Alias strength,Title,Name non-latin script,Non-latin script type,Non-latin script language,Regime Name,Designation Type,Designation source,Sanctions Imposed,Other Information,UK Statement of Reasons,Address Line 1,Address Line 2,Address Line 3,Address Line 4,Address Line 5,Address Line 6,Address Postal Code,Address Country,Phone number,Website,Email address,Date Designated,D.O.B,Nationality(/ies),National Identifier number,National Identifier additional information,Passport number,Passport additional information,Position,Gender,Town of birth,Country of birth,Type of entity,Subsidiaries,Parent company,Business registration number (s),IMO number';
const REGIME = 'The Russia (Sanctions) (EU Exit) Regulations 2019';
const designation: Cells = {
  'Unique ID': 'RUS9901',
  'Name 6': 'ZUBANOV',
  'Name 1': 'Pyotr',
  'Name 2': 'Kirfovich',
  'Name type': 'Primary Name',
  'Regime Name': REGIME,
  'Designation Type': 'Individual',
  'Date Designated': '24/03/2022',
  'D.O.B': '05/11/1960',
  'Nationality(/ies)': '(1) Russia (2) Congo (Democratic Republic)',
  Gender: 'Male',
};
const uksl = csvOf('Report Date: 24-Jun-2026', UKSL, [
  { ...designation, 'Name 1': 'Petr', 'Name type': 'Primary name variation', 'D.O.B': 'dd/11/1961' },
  {
    'Unique ID': 'RUS9902',
    'Name 6': 'ZUBANDA LTD',
    'Designation Type': 'Entity',
    'Address Country': 'Togo',
    'Business registration number (s)': 'RC 990055',
  },
  { 'Unique ID': 'RUS9904', 'Name 6': 'MV ZUBANDA', 'Designation Type': 'Ship' },
  { ...designation, 'Name non-latin script': 'ЗУБАНОВ, Пётр Кирфович' },
  {
    ...designation,
    'Name 6': 'The Tailor',
    'Name 1': '',
    'Name 2': '',
    'Name type': 'Alias',
    'Alias strength': 'Low quality a.k.a',
    'D.O.B': '(1) dd/mm/1962 (2) 11/1963',
  },
  { 'Unique ID': 'SYR9903', 'Name 6': 'ADEKIRA', 'Name type': 'Primary Name', 'Designation Type': 'Individual' },
]);
const ukslXml = `<?xml version="1.0" encoding="utf-8"?>
<Designations xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <DateGenerated>24/06/2026</DateGenerated>
  <Designation><LastUpdated>14/04/2026</LastUpdated><DateDesignated>24/03/2022</DateDesignated><UniqueID>RUS9901</UniqueID><OFSIGroupID>99001</OFSIGroupID>
    <Names>
      <Name><Name1>Petr</Name1><Name2>Kirfovich</Name2><Name6>ZUBANOV</Name6><NameType>Primary name variation</NameType></Name>
      <Name><Name1>Pyotr</Name1><Name2>Kirfovich</Name2><Name6>ZUBANOV</Name6><NameType>Primary Name</NameType></Name>
      <Name><Name6>The Tailor</Name6><NameType>Alias</NameType><AliasStrength>Low quality a.k.a</AliasStrength></Name>
    </Names>
    <NonLatinNames><NonLatinName><NameNonLatinScript>ЗУБАНОВ, Пётр Кирфович</NameNonLatinScript></NonLatinName></NonLatinNames>
    <RegimeName>${REGIME}</RegimeName><IndividualEntityShip>Individual</IndividualEntityShip>
    <Addresses><Address><AddressCountry>Togo</AddressCountry></Address></Addresses>
    <IndividualDetails><Individual>
      <DOBs><DOB>dd/11/1961</DOB><DOB>05/11/1960</DOB><DOB>dd/mm/1962</DOB><DOB>11/1963</DOB></DOBs>
      <Nationalities><Nationality>Russia</Nationality><Nationality>Congo (Democratic Republic)</Nationality></Nationalities>
      <Genders><Gender>Male</Gender></Genders><BirthDetails><Location><CountryOfBirth>Togo</CountryOfBirth></Location></BirthDetails>
    </Individual></IndividualDetails>
  </Designation>
  <Designation><UniqueID>RUS9902</UniqueID><Names><Name><Name6>ZUBANDA LTD</Name6></Name></Names><IndividualEntityShip>Entity</IndividualEntityShip>
    <Addresses><Address><AddressCountry>Togo</AddressCountry></Address></Addresses>
    <EntityDetails><Entity><BusinessRegistrationNumbers><BusinessRegistrationNumber>RC 990055</BusinessRegistrationNumber></BusinessRegistrationNumbers></Entity></EntityDetails></Designation>
  <Designation><UniqueID>RUS9904</UniqueID><Names><Name><Name6>MV ZUBANDA</Name6></Name></Names><IndividualEntityShip>Ship</IndividualEntityShip></Designation>
  <Designation><UniqueID>SYR9903</UniqueID><Names><Name><Name6>ADEKIRA</Name6><NameType>Primary Name</NameType></Name></Names><IndividualEntityShip>Individual</IndividualEntityShip></Designation>
</Designations>`;

describe('the UK Sanctions List', () => {
  it.each([
    ['CSV', ukSanctionsCsvFormat, fileOf('UK-Sanctions-List.csv', uksl), uksl],
    ['XML', ukSanctionsXmlFormat, fileOf('UK-Sanctions-List.xml', ukslXml), ukslXml],
  ])('gives the same people and organizations as %s', async (_format, format, file, text) => {
    const { entries, facts } = await readAll(format, file);
    expect(facts).toEqual({ publishedOn: '2026-06-24', skipped: 1 });
    expect(entries).toEqual([
      { ...zubanov, sourceId: 'RUS9901', names: expect.arrayContaining(variants), programs: [REGIME], url: null },
      expect.objectContaining({
        sourceId: 'RUS9902',
        type: 'organization',
        names: [{ text: 'ZUBANDA LTD', kind: 'primary' }],
        countries: ['TG'],
        registrations: ['990055'],
      }),
      expect.objectContaining({ sourceId: 'SYR9903', names: [{ text: 'ADEKIRA', kind: 'primary' }] }),
    ]);
    expect(entries[0]!.names).toHaveLength(variants.length);
    expect(entries[0]!.names[0]).toEqual(variants[0]);
    expect(format.recognizes('file', text)).toBe(true);
  });

  it.each([
    ['a missing column', 'Alias strength,', '', 'missing_column'],
    ['an id of another form', '"SYR9903"', '"9903"', 'bad_value'],
    ['a person without a name', '"ADEKIRA"', '', 'bad_value'],
    ['a row with too many columns', '"ADEKIRA"', '"ADEKIRA",""', 'malformed'],
  ])('refuses CSV with %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(ukSanctionsCsvFormat, fileOf('uksl.csv', uksl.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^uksl\.csv, line \d+: /),
    });
  });

  it.each([
    ['an id of another form', 'SYR9903', '9903', 'bad_value'],
    ['no id', '<UniqueID>SYR9903</UniqueID>', '', 'bad_value'],
    ['a duplicate id', 'SYR9903', 'RUS9901', 'duplicate_id'],
    ['a person without a name', '<Name6>ADEKIRA</Name6>', '', 'bad_value'],
    ['a DTD', '<Designations', '<!DOCTYPE a [<!ENTITY a "b">]><Designations', 'forbidden_markup'],
    ['deep nesting', '<LastUpdated>', '<a>'.repeat(40), 'too_large'],
  ])('refuses XML with %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(ukSanctionsXmlFormat, fileOf('uksl.xml', ukslXml.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^uksl\.xml, line \d+: /),
    });
  });

  describe('as CSV', () =>
    refusesWhatIsNoList({
      format: ukSanctionsCsvFormat,
      name: 'uksl.csv',
      text: uksl,
      nobody: csvOf('Report Date: 24-Jun-2026', UKSL, []),
      secret: 'ZUBANOV',
    }));
  describe('as XML', () =>
    refusesWhatIsNoList({
      format: ukSanctionsXmlFormat,
      name: 'uksl.xml',
      text: ukslXml,
      nobody: '<Designations></Designations>',
      secret: 'ZUBANOV',
    }));
});
