/** The archive reader: rows of the manifest, files by name, and everything that is refused. Needs neither a database nor a network. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWorkbook } from '../../src/rows/archive.ts';
import { type Row, type TableSource, UploadError } from '../../src/rows/row.ts';
import { spool } from '../../src/rows/spool.ts';
import { readZip } from '../../src/rows/zip.ts';
import { xlsx } from '../setup/xlsx.ts';
import { archive, picture, type ZipEntry } from '../setup/zip.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = { entriesMax: 200_000, fileBytesMax: 10 * MEGABYTE, manifestBytesMax: 100 * MEGABYTE, expandedMax: 400 * MEGABYTE };
const MANIFEST = { name: 'manifest.csv', content: 'nin,selfie_image\n70123456789,ada.jpg\n' };
const ADA = { name: 'ada.jpg', content: picture(1000) };

async function* chunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

const open = async (bytes: Buffer, limits: Partial<typeof LIMITS> = {}): Promise<TableSource> =>
  readZip(await spool(chunks(bytes)), { ...LIMITS, ...limits });

async function rowsOf(source: TableSource): Promise<Row<string[]>[]> {
  const rows: Row<string[]>[] = [];
  for await (const batch of source.rows) rows.push(...batch);
  return rows;
}

/** The rule by which the archive, its manifest or a named file is refused; null: none. */
async function rule(
  entries: readonly ZipEntry[] | Buffer,
  names: string[] = [],
  limits: Partial<typeof LIMITS> = {},
): Promise<string | null> {
  let source: TableSource | null = null;
  try {
    source = await open(Buffer.isBuffer(entries) ? entries : archive(entries as ZipEntry[]), limits);
    await rowsOf(source);
    for (const name of names) {
      const file = await source.files!.read(name);
      if ('rule' in file) return file.rule;
    }
    return null;
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    expect(error.message).not.toContain('70123456789');
    return error.rule;
  } finally {
    await source?.close();
  }
}

const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('confam-');
    } catch {
      return false;
    }
  }).length;

describe('an archive is read', () => {
  test('rows of a manifest with a byte-order mark and semicolons, files in nested folders, stored and deflated', async () => {
    const [one, two] = [picture(50_000, 1), randomBytes(70_000)];
    const source = await open(
      archive([
        { name: 'photos/' },
        { name: 'photos/2024/ada.jpg', content: one, deflate: true },
        { name: 'photos/bola.png', content: two },
        { name: '__MACOSX/photos/._bola.png', content: 'x' },
        { name: 'photos/.DS_Store', content: 'x' },
        { name: 'photos/nobody.jpg', content: 'x' },
        {
          name: 'manifest.csv',
          content:
            '\ufeffNIN;Selfie Image\r\n70123456789;photos/2024/ada.jpg\r\n70123456780;./photos/bola.png\r\n70123456781;Photos/bola.png\r\n',
          deflate: true,
        },
      ]),
    );
    expect(source.columns).toEqual(['NIN', 'Selfie Image']);
    const rows = await rowsOf(source);
    expect(rows.map(({ value }) => value![0])).toEqual(['70123456789', '70123456780', '70123456781']);
    const files = await Promise.all(rows.map(({ value }) => source.files!.read(value![1]!)));
    expect(files[0]).toEqual({ bytes: one });
    expect(files[1]).toEqual({ bytes: two });
    expect(files[2]).toMatchObject({ rule: 'file_not_found' });
    expect(source.files!.unused()).toBe(1);
    await source.close();
  });

  test.each<[string, Buffer | string, string]>([
    ['UTF-8 that says so', 'Ọláyínká.jpg', 'Ọláyínká.jpg'],
    ['UTF-8 that does not say so, as macOS writes it', Buffer.from('Ọláyínká.jpg'), 'Ọláyínká.jpg'],
    ['letters with separate marks, as macOS writes them', 'Ọláyínká.jpg'.normalize('NFD'), 'Ọláyínká.jpg'.normalize('NFC')],
    ['code page 437', Buffer.from([0x41, 0x6e, 0x64, 0x72, 0x82, 0x2e, 0x6a, 0x70, 0x67]), 'André.jpg'],
  ])('a file name in %s', async (_, name, asked) => {
    expect(await rule([MANIFEST, { ...ADA, name }], [asked])).toBeNull();
  });

  test('a manifest in UTF-16, and one whose name has capitals', async () => {
    const content = Buffer.from(`\ufeff${MANIFEST.content}`, 'utf16le');
    expect(await rule([{ name: 'Manifest.CSV', content }, ADA], ['ada.jpg'])).toBeNull();
  });

  test('30,000 entries, in time', async () => {
    const names = Array.from({ length: 30_000 }, (_, i) => `photos/${i}.jpg`);
    const bytes = archive([MANIFEST, ...names.map((name) => ({ name, content: 'x' }))]);
    const started = performance.now();
    expect(await rule(bytes, names)).toBeNull();
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('an archive is told from a workbook', async () => {
    for (const [bytes, expected] of [
      [archive([MANIFEST, ADA]), false],
      [archive([ADA]), false],
      [await xlsx(['nin'], ['1']), true],
    ] as const) {
      const file = await spool(chunks(bytes));
      expect(await isWorkbook(file, 100)).toBe(expected);
      await file.close();
    }
  });
});

describe('an archive is refused', () => {
  const named = (name: string | Buffer) => [MANIFEST, { name, content: 'x' }];
  const whole = archive([MANIFEST, ADA]);
  const zeros = Buffer.alloc(9 * MEGABYTE);
  test.each<[string, ZipEntry[] | Buffer, string, string[]?, Partial<typeof LIMITS>?]>([
    ['without a manifest', [ADA], 'no_manifest'],
    ['empty', [], 'no_manifest'],
    ['whose manifest is in a folder', [{ ...MANIFEST, name: 'staff/manifest.csv' }], 'no_manifest'],
    ['whose manifest is a folder', [{ name: 'manifest.csv/' }, { name: 'manifest.csv/ada.jpg' }], 'no_manifest'],
    ['with two manifests', [MANIFEST, { ...MANIFEST, name: 'MANIFEST.csv' }], 'several_manifests'],
    ['with the same manifest twice', [MANIFEST, MANIFEST], 'several_manifests'],
    ['with two files of the same name', [MANIFEST, ADA, ADA], 'duplicate_file'],
    ['with one name written in two ways', [MANIFEST, { name: 'é' }, { name: 'e\u0301' }], 'duplicate_file'],
    ['with an absolute name', named('/etc/passwd'), 'bad_file_name'],
    ['with a drive letter', named('C:ada.jpg'), 'bad_file_name'],
    ['with a name that leads outside', named('photos/../../ada.jpg'), 'bad_file_name'],
    ['with a backslash', named('photos\\ada.jpg'), 'bad_file_name'],
    ['with a NUL', named('ada.jpg\0.csv'), 'bad_file_name'],
    ['with an empty name', named(''), 'bad_file_name'],
    ['with a very long name', named('a'.repeat(5000)), 'bad_file_name'],
    ['with a symbolic link', [MANIFEST, { ...ADA, declared: { mode: 0o120777 } }], 'not_a_file'],
    ['with a device', [MANIFEST, { ...ADA, declared: { mode: 0o020644 } }], 'not_a_file'],
    ['with a password', [MANIFEST, { ...ADA, declared: { flags: 1, size: 988 } }], 'password_protected'],
    ['with another compression', [MANIFEST, { ...ADA, declared: { method: 14 } }], 'bad_archive'],
    ['cut at its end', whole.subarray(0, -10), 'bad_archive'],
    ['cut in its directory', Buffer.concat([whole.subarray(0, -75), Buffer.alloc(53), whole.subarray(-22)]), 'bad_archive'],
    ['cut in the middle', whole.subarray(0, 500), 'bad_archive'],
    ['that is not a ZIP file', Buffer.from('nin\n70123456789\n'), 'bad_archive'],
    ['whose manifest is damaged', [{ ...MANIFEST, declared: { crc: 1 } }], 'bad_archive'],
    [
      'whose manifest is larger than it says',
      [{ ...MANIFEST, content: MANIFEST.content.repeat(99), deflate: true, declared: { size: 60 } }],
      'bad_archive',
    ],
    ['with more entries than allowed', [MANIFEST, ADA, { name: 'photos/' }], 'too_many_files', [], { entriesMax: 2 }],
    ['whose manifest is too large', [MANIFEST], 'expands_too_far', [], { manifestBytesMax: 10 }],
    ['whose manifest is a bomb', [{ name: 'manifest.csv', content: Buffer.alloc(20 * MEGABYTE, '\n'), deflate: true }], 'expands_too_far'],
    ['whose manifest is empty', [{ name: 'manifest.csv' }], 'empty_file'],
    ['when a row names a bomb', [MANIFEST, { name: 'ada.jpg', content: zeros, deflate: true }], 'expands_too_far', ['ada.jpg']],
    [
      'when rows name more than an archive may hold',
      [MANIFEST, ADA],
      'expands_too_far',
      Array(11).fill('ada.jpg'),
      { expandedMax: 10_000 },
    ],
  ])('%s', async (_, entries, expected, names, limits) => {
    expect(await rule(entries, names, limits)).toBe(expected);
  });

  test.each<[string, ZipEntry, string, Partial<typeof LIMITS>?]>([
    ['is not there', { ...ADA, name: 'other.jpg' }, 'file_not_found'],
    ['is spelled differently', { ...ADA, name: 'Ada.jpg' }, 'file_not_found'],
    ['is too large', ADA, 'file_too_large', { fileBytesMax: 999 }],
    ['is damaged', { ...ADA, declared: { crc: 7 } }, 'file_damaged'],
    ['is larger than it says', { ...ADA, deflate: true, declared: { size: 999 } }, 'file_damaged'],
    ['is smaller than it says', { ...ADA, deflate: true, declared: { size: 1001 } }, 'file_damaged'],
    ['is not Deflate data', { ...ADA, content: randomBytes(1000), declared: { method: 8 } }, 'file_damaged'],
    ['is much larger packed', { ...ADA, content: randomBytes(200_000), declared: { method: 8, size: 10 } }, 'file_damaged'],
  ])('only in the row whose file %s', async (_, entry, expected, limits) => {
    expect(await rule([MANIFEST, entry], ['ada.jpg'], limits)).toBe(expected);
  });

  test('or read if damaged anywhere, and releases its files', async () => {
    const bytes = archive([MANIFEST, { ...ADA, deflate: true }, { name: 'photos/bola.jpg', content: 'x' }]);
    const before = openFiles();
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(bytes.length), async (changes, cut) => {
        const damaged = Buffer.from(bytes);
        for (const [at, byte] of changes) damaged[at] = byte;
        await rule(damaged, ['ada.jpg']);
        await rule(bytes.subarray(0, cut), ['ada.jpg']);
      }),
      { numRuns: 300 },
    );
    expect(openFiles()).toBe(before);
  });
});
