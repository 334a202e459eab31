/** Canada's list. Everybody in it is invented. */
import { describe, expect, it } from 'vitest';
import { canadaXmlFormat } from '../../../src/engines/aml/lists/canada-xml.ts';
import { fileOf, readAll, refusalOf, refusesWhatIsNoList } from '../../setup/list-files.ts';

const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<data-set xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
	<record><Country>Russia / Russie</Country><LastName>Zubanov</LastName><GivenName>Pyotr Kirfovich </GivenName>
		<Aliases>Petr Zubanov, Piotr Zubanow or Peter Zubanoff; Belarusian: Пётр Зубанаў, Russian: Пётр Зубанов / Петр Зубанов, Nikolay or Nikolai Zuban</Aliases>
		<DateOfBirthOrShipBuildDate>1960-11-05 or 1961</DateOfBirthOrShipBuildDate><Schedule>1, Part 1</Schedule><Item>990</Item><DateOfListing>2024-09-28</DateOfListing></record>
	<record><Country>Russia / Russie</Country><EntityOrShip>Zubanda Bank</EntityOrShip><Aliases>Bank Zubanda, JSC; ZB</Aliases><Schedule>1, Part 2</Schedule><Item>991</Item></record>
	<record><Country>Russia / Russie</Country><EntityOrShip>Zubanda</EntityOrShip><ShipIMONumber>9900001</ShipIMONumber><Schedule>2</Schedule><Item>1</Item></record>
	<record><Country>Zimbabwe</Country><LastName>Adekira</LastName><DateOfBirthOrShipBuildDate>May-72</DateOfBirthOrShipBuildDate><Item>992</Item></record>
	<record><Country>Zimbabwe</Country><LastName>Ferepade</LastName><GivenName>Olamidotun</GivenName><Item>993</Item></record>
	<record><Country>Zimbabwe</Country><LastName>Kirfawa</LastName><GivenName>Zu</GivenName><Item>993</Item></record>
</data-set>`;

describe("Canada's list", () => {
  it("reads aliases separately, births, and ids made of the regulation's numbering", async () => {
    const { entries, facts } = await readAll(canadaXmlFormat, fileOf('sema.xml', xml));
    expect(facts).toEqual({ publishedOn: null, skipped: 1 });
    expect(entries[0]).toEqual({
      sourceId: 'Russia/1, Part 1/990',
      category: 'sanction',
      names: [
        { text: 'Pyotr Kirfovich Zubanov', kind: 'primary', family: 'Zubanov' },
        { text: 'Petr Zubanov', kind: 'alias' },
        { text: 'Piotr Zubanow', kind: 'alias' },
        { text: 'Peter Zubanoff', kind: 'alias' },
        { text: 'Пётр Зубанаў', kind: 'original' },
        { text: 'Пётр Зубанов', kind: 'original' },
        { text: 'Петр Зубанов', kind: 'original' },
        { text: 'Nikolay Nikolai Zuban', kind: 'alias' },
      ],
      births: [
        { from: '1960-11-05', to: '1960-11-05', circa: false },
        { from: '1961-01-01', to: '1961-12-31', circa: false },
      ],
      countries: [],
      gender: null,
      programs: ['Russia'],
      listedOn: '2024-09-28',
      endedOn: null,
      url: null,
    });
    expect(entries[1]).toMatchObject({
      sourceId: 'Russia/1, Part 2/991',
      type: 'organization',
      names: [{ text: 'Zubanda Bank' }, { text: 'Bank Zubanda, JSC' }, { text: 'ZB' }],
      countries: [],
    });
    expect(entries[2]).toMatchObject({ sourceId: 'Zimbabwe/992', names: [{ text: 'Adekira', kind: 'primary' }], births: [] });
    expect(entries.slice(3).map(({ sourceId }) => sourceId)).toEqual(['Zimbabwe/993/Olamidotun Ferepade', 'Zimbabwe/993/Zu Kirfawa']);
    expect(canadaXmlFormat.recognizes('file', xml)).toBe(true);
  });

  it.each([
    ['no item', '<Item>992</Item>', '', 'bad_value'],
    ['a person without a name', '<LastName>Adekira</LastName>', '', 'bad_value'],
    ['one person twice', '<LastName>Kirfawa</LastName><GivenName>Zu', '<LastName>Ferepade</LastName><GivenName>Olamidotun', 'duplicate_id'],
    ['a DTD', '<data-set', '<!DOCTYPE a [<!ENTITY a "b">]><data-set', 'forbidden_markup'],
    ['deep nesting', '<Country>', '<a>'.repeat(40), 'too_large'],
  ])('refuses %s', async (_case, good, bad, rule) => {
    expect(await refusalOf(canadaXmlFormat, fileOf('sema.xml', xml.replace(good, bad)))).toMatchObject({
      rule,
      message: expect.stringMatching(/^sema\.xml, line \d+: /),
    });
  });

  refusesWhatIsNoList({
    format: canadaXmlFormat,
    name: 'sema.xml',
    text: xml,
    nobody: '<data-set><record><EntityOrShip>Zubanda</EntityOrShip><ShipIMONumber>9900001</ShipIMONumber></record></data-set>',
    secret: 'Zubanov',
  });
});
