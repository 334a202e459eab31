/** Fields built to be slow to search: time grows only in proportion to length. */
import { describe, expect, it } from 'vitest';
import { countryCode } from '../../../src/engines/aml/countries.ts';
import { canadaXmlFormat } from '../../../src/engines/aml/lists/canada-xml.ts';
import { isoDay, listedBirth } from '../../../src/engines/aml/lists/dates.ts';
import { namesIn } from '../../../src/engines/aml/lists/names.ts';
import { ofacCsvFormat } from '../../../src/engines/aml/lists/ofac-csv.ts';
import { ukConlistFormat } from '../../../src/engines/aml/lists/uk-conlist.ts';
import { fileOf, readAll } from '../../setup/list-files.ts';

const COUNT = 300_000;
const pieces = [
  ' ',
  ',',
  ', ',
  '(',
  ')',
  '.',
  '. ',
  '(1',
  'a) ',
  ' or ',
  '/',
  ' / ',
  ': ',
  'Aa ',
  'Aa:',
  '-',
  '1',
  "'",
  '\u00a0',
  ' born',
  'DOB ',
  '(Gender):',
];
const fields = pieces.map((piece) => `Zu${piece.repeat(COUNT / piece.length)}ba`);

async function milliseconds(run: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

describe('endless fields', () => {
  it.each(pieces.map((piece, index) => [JSON.stringify(piece), fields[index]!]))('%s again and again', async (_piece, field) => {
    for (const read of [namesIn, listedBirth, isoDay, countryCode]) expect(await milliseconds(() => read(field))).toBeLessThan(1_000);
    const quoted = field.replaceAll('"', '');
    const none = '-0- ,'.repeat(7);
    const remarks = `9900001,"ZUBANDA, Idris","individual","SDGT",${none}"DOB ${quoted}; a.k.a. '${quoted}'; nationality ${quoted}"\r\n\x1a`;
    const record = `<data-set><record><Country>${field}</Country><LastName>${field}</LastName><Aliases>${field}</Aliases><DateOfBirthOrShipBuildDate>${field}</DateOfBirthOrShipBuildDate><Item>1</Item></record></data-set>`;
    const header =
      'Name 1,Name 2,Name 3,Name 4,Name 5,Name 6,Name Non-Latin Script,DOB,Nationality,Other Information,Group Type,Alias Type,Alias Quality,Regime,Listed On,Group ID';
    const row = `Zu,,,,,Banda,"${quoted}","${quoted}","${quoted}","${quoted}",Individual,"${quoted}","${quoted}","${quoted}","${quoted}",1`;
    const lists = [
      [ofacCsvFormat, fileOf('sdn.csv', remarks)],
      [canadaXmlFormat, fileOf('sema.xml', record)],
      [ukConlistFormat, fileOf('ConList.csv', `${header}\r\n${row}\r\n`)],
    ] as const;
    for (const [format, file] of lists) {
      // Read or refused, but soon either way.
      expect(await milliseconds(() => readAll(format, file).catch(() => null))).toBeLessThan(2_000);
    }
  });
});
