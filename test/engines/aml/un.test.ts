/** The UN's list. Everybody in it is invented. */
import { describe, expect, it } from 'vitest';
import { unXmlFormat } from '../../../src/engines/aml/lists/un-xml.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const birth = (inner: string): string => `<INDIVIDUAL_DATE_OF_BIRTH>${inner}</INDIVIDUAL_DATE_OF_BIRTH>`;
const alias = (quality: string, name: string): string =>
  `<INDIVIDUAL_ALIAS><QUALITY>${quality}</QUALITY><ALIAS_NAME>${name}</ALIAS_NAME></INDIVIDUAL_ALIAS>`;

const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CONSOLIDATED_LIST dateGenerated="2026-02-27T00:00:09.554Z">
 <INDIVIDUALS>
  <INDIVIDUAL><DATAID>1</DATAID><VERSIONNUM>1</VERSIONNUM>
   <FIRST_NAME>IDRIS</FIRST_NAME><SECOND_NAME>na</SECOND_NAME><THIRD_NAME>ZUBANDA </THIRD_NAME><FOURTH_NAME>AL-KIRFAWI</FOURTH_NAME>
   <UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE><REFERENCE_NUMBER>QDi.990</REFERENCE_NUMBER><LISTED_ON>2014-01-03</LISTED_ON>
   <NAME_ORIGINAL_SCRIPT>إدريس زوباندا الكرفاوي</NAME_ORIGINAL_SCRIPT><GENDER>Male</GENDER>
   <NATIONALITY><VALUE>Nigeria</VALUE><VALUE>Iran (Islamic Republic of)</VALUE></NATIONALITY>
   <INDIVIDUAL_ADDRESS><COUNTRY>Togo</COUNTRY></INDIVIDUAL_ADDRESS>
   ${alias('Good', 'Idrees Zubanda; Edris Zubanda')}${alias('Low', 'Abu Zub')}${alias('Good', 'Zubandi, Idris')}${alias('', '')}
   ${alias('Good', 'Idris Kirfa (إدريس كرفا)')}${alias('Good', 'Zubi Kirfawi (birth name)')}
   ${birth('<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1959-09-24</DATE>')}${birth('<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1960</YEAR>')}
   ${birth('<TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><YEAR>1961</YEAR>')}${birth('<TYPE_OF_DATE/>')}
   ${birth('<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1962</FROM_YEAR><TO_YEAR>1964</TO_YEAR>')}${birth('<TYPE_OF_DATE/><NOTE>Nov. 1973 </NOTE>')}
  </INDIVIDUAL>
  <INDIVIDUAL><FIRST_NAME>KIM</FIRST_NAME><SECOND_NAME>NA</SECOND_NAME><REFERENCE_NUMBER>KPi.991</REFERENCE_NUMBER><NATIONALITY><VALUE>na</VALUE></NATIONALITY></INDIVIDUAL>
 </INDIVIDUALS>
 <ENTITIES><ENTITY><FIRST_NAME>ZUBANDA, KIRFA AND GROUP</FIRST_NAME><REFERENCE_NUMBER>QDe.990</REFERENCE_NUMBER><UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE>
  <ENTITY_ALIAS><QUALITY>a.k.a.</QUALITY><ALIAS_NAME>Zubanda (ZKG); Kirfa Bank, Ltd</ALIAS_NAME></ENTITY_ALIAS>
  <ENTITY_ALIAS><QUALITY>f.k.a.</QUALITY><ALIAS_NAME>Kirfa</ALIAS_NAME></ENTITY_ALIAS>
  <ENTITY_ADDRESS><COUNTRY>Togo</COUNTRY></ENTITY_ADDRESS></ENTITY></ENTITIES>
</CONSOLIDATED_LIST>`;

describe('the UN list', () => {
  it('reads names of every kind, births of every type, and nationalities but no addresses', async () => {
    const { entries, facts } = await readAll(unXmlFormat, fileOf('un.xml', xml));
    expect(facts).toEqual({ publishedOn: '2026-02-27', skipped: 0 });
    expect(entries[0]).toEqual({
      sourceId: 'QDi.990',
      category: 'sanction',
      names: [
        { text: 'IDRIS ZUBANDA AL-KIRFAWI', kind: 'primary' },
        { text: 'إدريس زوباندا الكرفاوي', kind: 'original' },
        { text: 'Idrees Zubanda', kind: 'alias' },
        { text: 'Edris Zubanda', kind: 'alias' },
        { text: 'Abu Zub', kind: 'weak' },
        { text: 'Idris Zubandi', kind: 'alias', family: 'Zubandi' },
        { text: 'Idris Kirfa', kind: 'alias' },
        { text: 'إدريس كرفا', kind: 'original' },
        { text: 'Zubi Kirfawi', kind: 'alias' },
      ],
      births: [
        { from: '1959-09-24', to: '1959-09-24', circa: false },
        { from: '1960-01-01', to: '1960-12-31', circa: false },
        { from: '1961-01-01', to: '1961-12-31', circa: true },
        { from: '1962-01-01', to: '1964-12-31', circa: false },
        { from: '1973-11-01', to: '1973-11-30', circa: false },
      ],
      countries: ['IR', 'NG'],
      gender: 'male',
      programs: ['Al-Qaida'],
      listedOn: '2014-01-03',
      endedOn: null,
      url: null,
    });
    expect(entries[1]).toMatchObject({ names: [{ text: 'KIM NA' }], countries: [], births: [], listedOn: null });
    expect(unXmlFormat.recognizes('file', xml)).toBe(true);
  });

  it('reads organizations with their names as written and the countries of their addresses', async () => {
    const { entries } = await readAll(unXmlFormat, fileOf('un.xml', xml));
    expect(entries.at(-1)).toMatchObject({
      sourceId: 'QDe.990',
      type: 'organization',
      names: [
        { text: 'ZUBANDA, KIRFA AND GROUP', kind: 'primary' },
        { text: 'Zubanda (ZKG)', kind: 'alias' },
        { text: 'Kirfa Bank, Ltd', kind: 'alias' },
        { text: 'Kirfa', kind: 'former' },
      ],
      births: [],
      countries: ['TG'],
      programs: ['Al-Qaida'],
    });
    expect(entries[0]).not.toHaveProperty('type');
  });

  it.each([
    ['an id of another form', 'KPi.991', '991', 'bad_value'],
    ['no id', '<REFERENCE_NUMBER>KPi.991</REFERENCE_NUMBER>', '', 'bad_value'],
    ['a duplicate id', 'KPi.991', 'QDi.990', 'duplicate_id'],
    ['a person without a name', '<FIRST_NAME>KIM</FIRST_NAME><SECOND_NAME>NA</SECOND_NAME>', '', 'bad_value'],
    ['a DTD', '<CONSOLIDATED_LIST', '<!DOCTYPE a [<!ENTITY a "b">]><CONSOLIDATED_LIST', 'forbidden_markup'],
    ['deep nesting', '<DATAID>', '<a>'.repeat(40), 'too_large'],
  ])('refuses %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(unXmlFormat, fileOf('un.xml', xml.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^un\.xml, line \d+: /),
    });
  });

  refusesWhatIsNoList({
    format: unXmlFormat,
    name: 'un.xml',
    text: xml,
    nobody: '<CONSOLIDATED_LIST><INDIVIDUALS/><ENTITIES/></CONSOLIDATED_LIST>',
    secret: 'ZUBANDA',
  });
});
