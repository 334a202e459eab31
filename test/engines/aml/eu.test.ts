/** The EU's list, XML and CSV. Everybody in it is invented. */
import { describe, expect, it } from 'vitest';
import { euCsvFormat } from '../../../src/engines/aml/lists/eu-csv.ts';
import { euXmlFormat } from '../../../src/engines/aml/lists/eu-xml.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-04-15T15:29:22.497+02:00" globalFileId="1">
  <sanctionEntity designationDate="2024-07-03" designationDetails="" unitedNationId="" euReferenceNumber="EU.99001.1" logicalId="990001">
    <regulation programme="TAQA" logicalId="1"><publicationUrl>https://eur-lex.europa.eu/?uri=OJ:L:1&amp;from=EN</publicationUrl></regulation>
    <subjectType code="person" classificationCode="P"/>
    <nameAlias firstName="" middleName="" lastName="" wholeName="Abu Zub" strong="false" logicalId="2"/>
    <nameAlias firstName="Idris" middleName="Kirfa" lastName="Zubanda" wholeName="Idris Kirfa Zubanda" gender="M" strong="true" logicalId="3"><remark>x</remark></nameAlias>
    <nameAlias firstName="Edris" middleName="" lastName="Zubanda" wholeName="" strong="true" logicalId="4"/>
    <nameAlias firstName="" middleName="" lastName="" wholeName="Идрис Зубанда" nameLanguage="RU" strong="true" logicalId="5"/>
    <citizenship countryIso2Code="DZ" countryDescription="ALGERIA"/><citizenship countryIso2Code="00" countryDescription="UNKNOWN"/>
    <birthdate circa="false" calendarType="GREGORIAN" birthdate="1965-12-11" dayOfMonth="11" monthOfYear="12" year="1965" countryIso2Code="TG"/>
    <birthdate circa="true" calendarType="GREGORIAN" year="1958" countryIso2Code="TG"/>
    <birthdate circa="false" calendarType="GREGORIAN" monthOfYear="2" year="1959"/>
    <birthdate circa="false" calendarType="GREGORIAN" yearRangeFrom="1960" yearRangeTo="1962"/>
    <birthdate circa="false" calendarType="ISLAMIC" year="1380"/>
    <address countryIso2Code="TG"/>
  </sanctionEntity>
  <sanctionEntity logicalId="990002"><subjectType code="enterprise" classificationCode="E"/><nameAlias wholeName="Zubanda Ltd" strong="true"/>
    <address countryIso2Code="TG"/><identification identificationTypeCode="regnumber" number="RC 990-5501"/><identification identificationTypeCode="swiftbic" number="ZUBATG00"/></sanctionEntity>
  <sanctionEntity logicalId="990003"><subjectType code="person" classificationCode="P"/><nameAlias wholeName="Adekira" strong="true"/></sanctionEntity>
</export>`;

const zubanda = {
  sourceId: '990001',
  category: 'sanction',
  births: [
    { from: '1965-12-11', to: '1965-12-11', circa: false },
    { from: '1958-01-01', to: '1958-12-31', circa: true },
    { from: '1959-02-01', to: '1959-02-28', circa: false },
    { from: '1960-01-01', to: '1962-12-31', circa: false },
  ],
  countries: ['DZ'],
  gender: 'male',
  programs: ['TAQA'],
  listedOn: '2024-07-03',
  endedOn: null,
  url: 'https://eur-lex.europa.eu/?uri=OJ:L:1&from=EN',
};
const idris = { text: 'Idris Kirfa Zubanda', kind: 'primary', family: 'Zubanda' };
const edris = { text: 'Edris Zubanda', kind: 'alias', family: 'Zubanda' };
const original = { text: 'Идрис Зубанда', kind: 'original' };

const zubandaLtd = expect.objectContaining({
  sourceId: '990002',
  type: 'organization',
  names: [{ text: 'Zubanda Ltd', kind: 'primary' }],
  births: [],
  countries: ['TG'],
  registrations: ['9905501'],
});

describe('the EU list as XML', () => {
  it('reads names with their strength, births with their precision, citizenships but no addresses', async () => {
    const { entries, facts } = await readAll(euXmlFormat, fileOf('eu.xml', xml));
    expect(facts).toEqual({ publishedOn: '2026-04-15', skipped: 0 });
    expect(entries).toEqual([
      { ...zubanda, names: [idris, { text: 'Abu Zub', kind: 'weak' }, edris, original] },
      zubandaLtd,
      expect.objectContaining({ sourceId: '990003', names: [{ text: 'Adekira', kind: 'primary' }], url: null, listedOn: null }),
    ]);
    expect(euXmlFormat.recognizes('file', xml)).toBe(true);
  });

  it.each([
    ['an id of another form', 'logicalId="990003"', 'logicalId="EU.1"', 'bad_value'],
    ['no id', 'logicalId="990003"', '', 'bad_value'],
    ['a duplicate id', '990003', '990001', 'duplicate_id'],
    ['a person without a name', 'wholeName="Adekira"', '', 'bad_value'],
    ['a DTD', '<export', '<!DOCTYPE a [<!ENTITY a "b">]><export', 'forbidden_markup'],
    ['deep nesting', '<remark>', '<a>'.repeat(40), 'too_large'],
  ])('refuses %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(euXmlFormat, fileOf('eu.xml', xml.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^eu\.xml, line \d+: /),
    });
  });

  refusesWhatIsNoList({ format: euXmlFormat, name: 'eu.xml', text: xml, nobody: '<export></export>', secret: 'Zubanda' });
});

const COLUMNS =
  'fileGenerationDate;Entity_LogicalId;Entity_EU_ReferenceNumber;Entity_UnitedNationId;Entity_DesignationDate;Entity_DesignationDetails;Entity_Remark;Entity_SubjectType;Entity_SubjectType_ClassificationCode;Entity_Regulation_Programme;Entity_Regulation_PublicationUrl;NameAlias_LastName;NameAlias_FirstName;NameAlias_MiddleName;NameAlias_WholeName;NameAlias_NameLanguage;NameAlias_Gender;NameAlias_Title;Address_CountryIso2Code;Identification_Number;Identification_TypeCode;BirthDate_BirthDate;BirthDate_Day;BirthDate_Month;BirthDate_Year;BirthDate_YearRangeFrom;BirthDate_YearRangeTo;BirthDate_Circa;BirthDate_CalendarType;BirthDate_CountryIso2Code;Citizenship_CountryIso2Code'.split(
    ';',
  );
const csvOf = (rows: Record<string, string>[]): string =>
  `\ufeff${[COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ''))].map((cells) => cells.join(';')).join('\n')}\n`;
const head = {
  fileGenerationDate: '15/04/2026',
  Entity_LogicalId: '990001',
  Entity_DesignationDate: '2024-07-03',
  Entity_Remark: 'so called "Zub" of "Kirfa"',
  Entity_SubjectType: 'P',
  Entity_SubjectType_ClassificationCode: 'person',
  Entity_Regulation_Programme: 'TAQA',
  Entity_Regulation_PublicationUrl: 'https://eur-lex.europa.eu/?uri=OJ:L:1&from=EN',
};
const rows: Record<string, string>[] = [
  {
    ...head,
    NameAlias_LastName: 'Zubanda',
    NameAlias_FirstName: 'Idris',
    NameAlias_MiddleName: 'Kirfa',
    NameAlias_WholeName: 'Idris Kirfa Zubanda',
    NameAlias_Gender: 'M',
  },
  { ...head, NameAlias_LastName: 'Zubanda', NameAlias_FirstName: 'Edris' },
  {
    Entity_LogicalId: '990002',
    Entity_SubjectType: 'E',
    Entity_SubjectType_ClassificationCode: 'enterprise',
    NameAlias_WholeName: 'Zubanda Ltd',
    Address_CountryIso2Code: 'TG',
    Identification_Number: 'RC 990-5501',
    Identification_TypeCode: 'regnumber',
  },
  { Entity_LogicalId: '990003', Entity_SubjectType: 'person', NameAlias_WholeName: 'Adekira' },
  { ...head, Address_CountryIso2Code: 'TG' },
  {
    ...head,
    BirthDate_BirthDate: '1965-12-11',
    BirthDate_Day: '11',
    BirthDate_Month: '12',
    BirthDate_Year: '1965',
    BirthDate_Circa: 'FALSE',
    BirthDate_CalendarType: 'GREGORIAN',
    BirthDate_CountryIso2Code: 'TG',
  },
  { ...head, BirthDate_Year: '1958', BirthDate_Circa: 'TRUE', BirthDate_CalendarType: 'GREGORIAN' },
  { ...head, BirthDate_Year: '1959', BirthDate_Month: '2' },
  { ...head, BirthDate_YearRangeFrom: '1960', BirthDate_YearRangeTo: '1962' },
  { ...head, BirthDate_Year: '1380', BirthDate_CalendarType: 'ISLAMIC' },
  { ...head, Citizenship_CountryIso2Code: 'DZ' },
  { ...head, NameAlias_WholeName: 'Идрис Зубанда', NameAlias_NameLanguage: 'RU' },
];
const csv = csvOf(rows);

describe('the EU list as CSV', () => {
  it('joins the rows of an entity wherever they are, even with quotes in the middle of a cell', async () => {
    const { entries, facts } = await readAll(euCsvFormat, fileOf('eu.csv', csv));
    expect(facts).toEqual({ publishedOn: '2026-04-15', skipped: 0 });
    expect(entries).toEqual([
      { ...zubanda, names: [idris, edris, original] },
      zubandaLtd,
      expect.objectContaining({ sourceId: '990003', names: [{ text: 'Adekira', kind: 'primary' }], url: null, listedOn: null }),
    ]);
    expect(euCsvFormat.recognizes('file', csv)).toBe(true);
  });

  it.each([
    ['a missing column', 'BirthDate_Circa;', '', 'missing_column'],
    ['an id of another form', '990003', 'EU.1', 'bad_value'],
    ['a person without a name', 'Adekira', '', 'bad_value'],
    ['a row with too many columns', 'Adekira', 'Adekira;;', 'malformed'],
  ])('refuses %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(euCsvFormat, fileOf('eu.csv', csv.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^eu\.csv, line \d+: /),
    });
  });

  it('refuses a file that ends within a line', async () => {
    expect((await refusalOf(euCsvFormat, fileOf('eu.csv', csv.slice(0, -1)))).rule).toBe('truncated');
  });

  refusesWhatIsNoList({ format: euCsvFormat, name: 'eu.csv', text: csv, nobody: csvOf([]), secret: 'Zubanda' });
});
