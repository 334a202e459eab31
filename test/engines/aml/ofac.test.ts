/** OFAC's lists, CSV and XML. Everybody in them is invented. */
import { describe, expect, it } from 'vitest';
import { ofacCsvFormat } from '../../../src/engines/aml/lists/ofac-csv.ts';
import { ofacXmlFormat } from '../../../src/engines/aml/lists/ofac-xml.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const NONE = '-0- ';
const END = '\x1a';
const sdnRow = (entNum: number, name: string, type: string, programs: string, remarks: string): string =>
  [entNum, `"${name}"`, type, `"${programs}"`, NONE, NONE, NONE, NONE, NONE, NONE, NONE, remarks === '' ? NONE : `"${remarks}"`].join(',');

const sdn = [
  sdnRow(
    9900001,
    'FEREPADE, Olamidotun',
    '"individual"',
    'SDGT] [NPWMD',
    "DOB 05 Jun 1971; alt. DOB circa 1972; POB Ondo, Nigeria; nationality Nigeria; alt. nationality Congo, Democratic Republic of the; citizen Ghana; Gender Male; Passport A1 (Nigeria); a.k.a. 'DOTTIE'; a.k.a. 'ZUB, Abu'; a.k.a. 'THE TAI",
  ),
  sdnRow(
    9900002,
    'ZUBANDA, KIRFA HOLDINGS LTD',
    NONE,
    'SDGT',
    "Registration Number RC-990.5501 (Togo); Tax ID No. 12; a.k.a. 'ZKH'; Linked To: FEREPADE.",
  ),
  sdnRow(9900003, 'MV ZUBANDA', '"vessel"', 'SDGT', ''),
  sdnRow(9900004, 'KIRFAWA', '"individual"', 'SDGT', ''),
  `${END}`,
].join('\r\n');
const alt = `9900001,1,"aka","FEREPADE, Dotun",${NONE}\r\n9900001,2,"fka","ADEKIRA, Olamidotun",${NONE}\r\n9900004,4,"aka","KIRFAWA, JR., Zu",${NONE}\r\n9900002,5,"aka","KIRFA, ZU AND SONS",${NONE}\r\n9999999,3,"aka","NOBODY, Known",${NONE}\r\n${END}`;
const add = `9900001,1,"1 Zubanda Close","Accra","Togo",${NONE}\r\n9900002,2,"2 Zubanda Close","Lome","Togo",${NONE}\r\n${END}`;
const comments = `9900001,"LOR'; DOB 1974 to 1975."\r\n${END}`;
const files = [fileOf('alt.csv', alt), fileOf('sdn.csv', sdn), fileOf('add.csv', add), fileOf('sdn_comments.csv', comments)];

const ferepade = {
  sourceId: '9900001',
  category: 'sanction',
  births: [
    { from: '1971-06-05', to: '1971-06-05', circa: false },
    { from: '1972-01-01', to: '1972-12-31', circa: true },
    { from: '1974-01-01', to: '1975-12-31', circa: false },
  ],
  countries: ['CD', 'GH', 'NG'],
  gender: 'male',
  programs: ['SDGT', 'NPWMD'],
  listedOn: null,
  endedOn: null,
  url: 'https://sanctionssearch.ofac.treas.gov/Details.aspx?id=9900001',
};
const names = [
  { text: 'Olamidotun FEREPADE', kind: 'primary', family: 'FEREPADE' },
  { text: 'Dotun FEREPADE', kind: 'alias', family: 'FEREPADE' },
  { text: 'Olamidotun ADEKIRA', kind: 'former', family: 'ADEKIRA' },
  { text: 'DOTTIE', kind: 'weak' },
  { text: 'Abu ZUB', kind: 'weak', family: 'ZUB' },
  { text: 'THE TAILOR', kind: 'weak' },
];

describe('OFAC as CSV', () => {
  it('reads four files together in any order, joins remarks split in mid-word, and drops aliases of nobody', async () => {
    const { entries, facts } = await readAll(ofacCsvFormat, files);
    expect(facts).toEqual({ publishedOn: null, skipped: 1 });
    expect(entries).toMatchObject([
      { ...ferepade, names },
      {
        sourceId: '9900002',
        type: 'organization',
        names: [
          { text: 'ZUBANDA, KIRFA HOLDINGS LTD', kind: 'primary' },
          { text: 'KIRFA, ZU AND SONS', kind: 'alias' },
          { text: 'ZKH', kind: 'weak' },
        ],
        births: [],
        countries: ['TG'],
        registrations: ['9905501'],
        programs: ['SDGT'],
      },
      {
        sourceId: '9900004',
        names: [
          { text: 'KIRFAWA', kind: 'primary' },
          { text: 'Zu KIRFAWA JR.', kind: 'alias', family: 'KIRFAWA' },
        ],
        births: [],
        countries: [],
        gender: null,
      },
    ]);
  });

  it('recognizes each of its files by content, and no other CSV', () => {
    for (const text of [sdn, alt, add, comments]) expect(ofacCsvFormat.recognizes('file', text)).toBe(true);
    for (const text of ['name,id\nZubanda Kirfawa,1\n', '9900001,Zubanda\n', '<sdnList>'])
      expect(ofacCsvFormat.recognizes('sdn.csv', text)).toBe(false);
  });

  it('reads the main file alone, with the aliases in its remarks', async () => {
    const { entries } = await readAll(ofacCsvFormat, fileOf('sdn.csv', sdn));
    expect(entries[0]?.names.map(({ text }) => text)).toEqual(['Olamidotun FEREPADE', 'DOTTIE', 'Abu ZUB', 'THE TAI']);
  });

  it.each([
    ['aliases without their main file', [fileOf('alt.csv', alt)], 'missing_file'],
    ['a file that ends within a line', [fileOf('sdn.csv', sdn.slice(0, -3))], 'truncated'],
    ['a last line with too few columns', [fileOf('sdn.csv', `${sdn.slice(0, -1)}9900005,"ADEKIRA, Zu"\r\n`)], 'truncated'],
    ['aliases that are cut off', [files[1]!, fileOf('alt.csv', alt.slice(0, 60))], 'truncated'],
    ['a line with too many columns', [fileOf('sdn.csv', sdn.replace(NONE, `${NONE},${NONE}`))], 'missing_column'],
    ['a row after the end', [fileOf('sdn.csv', `${sdn}\r\n${sdn}`)], 'malformed'],
    ['an id that is not a number', [fileOf('sdn.csv', sdn.replace('9900004', 'SDN-4'))], 'bad_value'],
    ['a duplicate id', [fileOf('sdn.csv', sdn.replace('9900004', '9900001'))], 'duplicate_id'],
    ['the same file twice', [fileOf('sdn.csv', sdn), fileOf('sdn2.csv', sdn)], 'duplicate_id'],
    ['a person without a name', [fileOf('sdn.csv', sdn.replace('KIRFAWA', ', '))], 'bad_value'],
    ['an empty file beside a good one', [files[1]!, fileOf('alt.csv', '')], 'empty'],
  ])('refuses %s', async (_case, given, rule) => {
    expect(await refusalOf(ofacCsvFormat, given)).toMatchObject({ rule, message: expect.stringMatching(/(?:sdn2?|alt)\.csv/) });
  });

  refusesWhatIsNoList({
    format: ofacCsvFormat,
    name: 'sdn.csv',
    text: sdn,
    nobody: `${sdnRow(9900003, 'MV ZUBANDA', '"vessel"', 'SDGT', '')}\r\n`,
    secret: 'FEREPADE',
  });
});

const xml = `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns="http://tempuri.org/sdnList.xsd">
  <publshInformation><Publish_Date>04/22/2026</Publish_Date><Record_Count>3</Record_Count></publshInformation>
  <sdnEntry><uid>9900001</uid>
    <firstName>Olamidotun</firstName><lastName>FEREPADE</lastName><sdnType>Individual</sdnType>
    <programList><program>SDGT</program><program>NPWMD</program></programList>
    <idList><id><uid>1</uid><idType>Passport</idType><idNumber>A1</idNumber></id><id><uid>2</uid><idType>Gender</idType><idNumber>Male</idNumber></id></idList>
    <akaList>
      <aka><uid>3</uid><type>a.k.a.</type><category>strong</category><lastName>FEREPADE</lastName><firstName>Dotun</firstName></aka>
      <aka><uid>4</uid><type>f.k.a.</type><category>strong</category><lastName>ADEKIRA</lastName><firstName>Olamidotun</firstName></aka>
      <aka><uid>5</uid><type>a.k.a.</type><category>weak</category><lastName>DOTTIE</lastName></aka>
      <aka><uid>14</uid><type>a.k.a.</type><category>weak</category><lastName>ZUB</lastName><firstName>Abu</firstName></aka>
      <aka><uid>6</uid><type>a.k.a.</type><category>weak</category><lastName>THE TAILOR</lastName></aka>
    </akaList>
    <addressList><address><uid>7</uid><country>Togo</country></address></addressList>
    <nationalityList><nationality><uid>8</uid><country>Nigeria</country></nationality><nationality><uid>9</uid><country>Congo, Democratic Republic of the</country></nationality></nationalityList>
    <citizenshipList><citizenship><uid>10</uid><country>Ghana</country></citizenship></citizenshipList>
    <dateOfBirthList>
      <dateOfBirthItem><uid>11</uid><dateOfBirth>05 Jun 1971</dateOfBirth></dateOfBirthItem>
      <dateOfBirthItem><uid>12</uid><dateOfBirth>circa 1972</dateOfBirth></dateOfBirthItem>
      <dateOfBirthItem><uid>13</uid><dateOfBirth>1974 to 1975</dateOfBirth></dateOfBirthItem>
    </dateOfBirthList>
  </sdnEntry>
  <sdnEntry><uid>9900003</uid><lastName>MV ZUBANDA</lastName><sdnType>Vessel</sdnType></sdnEntry>
  <sdnEntry><uid>9900002</uid><lastName>ZUBANDA, KIRFA HOLDINGS LTD</lastName><sdnType>Entity</sdnType>
    <idList><id><uid>20</uid><idType>Registration Number</idType><idNumber>RC-990.5501</idNumber></id><id><uid>21</uid><idType>Phone Number</idType><idNumber>99055990</idNumber></id></idList>
    <addressList><address><uid>22</uid><country>Togo</country></address></addressList></sdnEntry>
  <sdnEntry><uid>9900004</uid><lastName>KIRFAWA</lastName><sdnType>Individual</sdnType></sdnEntry>
</sdnList>`;

describe('OFAC as XML', () => {
  it('gives the same people and organizations as the CSV', async () => {
    const { entries, facts } = await readAll(ofacXmlFormat, fileOf('sdn.xml', xml));
    expect(facts).toEqual({ publishedOn: '2026-04-22', skipped: 1 });
    expect(entries).toMatchObject([
      { ...ferepade, names },
      {
        sourceId: '9900002',
        type: 'organization',
        names: [{ text: 'ZUBANDA, KIRFA HOLDINGS LTD', kind: 'primary' }],
        countries: ['TG'],
        registrations: ['9905501'],
      },
      { sourceId: '9900004', names: [{ text: 'KIRFAWA', kind: 'primary' }], births: [], countries: [], gender: null },
    ]);
    expect(ofacXmlFormat.recognizes('file', xml)).toBe(true);
  });

  it.each([
    ['an id that is not a number', '<uid>9900004', '<uid>SDN', 'bad_value'],
    ['no id', '<uid>9900004</uid>', '', 'bad_value'],
    ['a duplicate id', '9900004', '9900001', 'duplicate_id'],
    ['a person without a name', '<lastName>KIRFAWA</lastName>', '', 'bad_value'],
    ['a DTD', '<sdnList', '<!DOCTYPE sdnList [<!ENTITY a "b">]><sdnList', 'forbidden_markup'],
    ['deep nesting', '<uid>9900004', '<a>'.repeat(40), 'too_large'],
  ])('refuses %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(ofacXmlFormat, fileOf('sdn.xml', xml.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^sdn\.xml, line \d+: /),
    });
  });

  refusesWhatIsNoList({ format: ofacXmlFormat, name: 'sdn.xml', text: xml, nobody: '<sdnList></sdnList>', secret: 'FEREPADE' });
});
