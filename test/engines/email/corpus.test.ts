/** The breach corpus: what is read from files, what is stored, what is found, and what survives. Real files, and the command as a process. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCorpus, readCorpus } from '../../../src/engines/email/breaches/corpus.ts';
import { addToFilter, filterBytes, mayContain } from '../../../src/engines/email/breaches/filter.ts';
import { type BreachImport, importBreach } from '../../../src/engines/email/breaches/import.ts';
import { newSecretKey } from '../../../src/foundation/crypto.ts';
import { packageRoot } from '../../../src/foundation/package-root.ts';
import { waitFor } from '../../setup/database.ts';
import { address } from './loopback.ts';

const key = randomBytes(32);
const never = new AbortController().signal;

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'confam-breaches-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const corpus = join(path, 'breaches');
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(path, name), content);
    return join(path, name);
  };
  const bring = (content: string | Buffer, about: Partial<BreachImport> = {}) =>
    importBreach(corpus, key, { name: 'Shop', date: '2019-05-01', hasPasswords: true, files: [write('dump.txt', content)], ...about });
  return { path, corpus, write, bring };
}

async function open(corpus: string, itsKey = key) {
  const logged: string[] = [];
  const source = await openCorpus(corpus, { keys: [itsKey], log: pino({}, { write: (line) => logged.push(line) }), refreshMs: 0 });
  onTestFinished(() => source.close!());
  return { logged, find: (text: string) => source.find(address(text), never) };
}

const shop = { name: 'Shop', date: '2019-05-01', hasPasswords: true };
const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `person${from + i}@example.com`).join('\n');

describe('what is read', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['  Ada@Example.COM \r', 'ada@example.com'],
    ['7,"ada@example.com","Ada, of Lagos"', 'ada@example.com'],
    ['ada@example.com:pass@word.com', 'ada@example.com'],
    ['ada@example.com;5f4dcc3b', 'ada@example.com'],
    ['1\tada@example.com\tbola@example.com', 'ada@example.com'],
    ['<ada@example.com>', 'ada@example.com'],
    ['pass@word,ada@example.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['"unclosed,ada@example.com', 'ada@example.com'],
  ])('%j gives its address', async (line, found) => {
    const { corpus, bring } = folder();
    expect(await bring(line)).toMatchObject({ lines: 1, skipped: 0, header: { addresses: 1 } });
    expect(await (await open(corpus)).find(found)).toEqual([shop]);
  });

  test.each([
    'email',
    'no address',
    'write to bob@example.com today',
    'ada@localhost',
    '@example.com',
    'ada@',
    'a@b@example.com',
    'ada@-.com',
    '\u0000\u0001',
    `${'a'.repeat(65)}@example.com`,
  ])('%j gives none', async (line) => {
    const { corpus, bring } = folder();
    await expect(bring(line)).rejects.toThrow('it contains no address');
    expect(readdirSync(corpus)).toEqual([]);
  });

  test('gzip, UTF-16, several files, a header, empty lines, repeats, lines of any length', async () => {
    const { corpus, write, bring } = folder();
    const files = [
      write('a.csv', 'id,email\n1,ada@example.com\n\n2,ADA@example.com\n'),
      write('b.txt.gz', gzipSync('bola@example.com\nada@example.com')),
      write('c.txt', Buffer.from('\ufeffchi@example.com\r\n', 'utf16le')),
      write('d.txt', `${'x'.repeat(1_000_000)}@example.com\ndayo@example.com\n${'y'.repeat(400_000)}`),
      write('e.txt', ''),
    ];
    expect(await bring('', { files })).toMatchObject({ lines: 9, skipped: 3, repeated: 2, header: { addresses: 4 } });
    const { find } = await open(corpus);
    for (const local of ['ada', 'bola', 'chi', 'dayo']) expect(await find(`${local}@example.com`)).toEqual([shop]);
    expect(await find('email@example.com')).toEqual([]);
  });

  test('addresses cut by the chunks in which a file is read', async () => {
    const { corpus, bring } = folder();
    expect(await bring(many(60_000))).toMatchObject({ lines: 60_000, skipped: 0, header: { addresses: 60_000 } });
    const { find } = await open(corpus);
    for (let i = 0; i < 60_000; i += 37) expect(await find(`person${i}@example.com`)).toEqual([shop]);
    for (let i = 0; i < 2_000; i++) expect(await find(`nobody${i}@example.com`)).toEqual([]);
  });
});

describe('what is stored', () => {
  test('hashes that are useless without the key, 9.5 bytes per address', async () => {
    const { corpus, bring } = folder();
    const { header } = await bring(many(60_000));
    const [name] = readdirSync(corpus);
    const bytes = readFileSync(join(corpus, name!));
    expect(bytes.includes('person1')).toBe(false);
    expect(bytes.includes('example.com')).toBe(false);
    expect(statSync(join(corpus, name!)).mode & 0o777).toBe(0o600);
    expect((bytes.length - 4096) / header.addresses).toBeLessThan(9.6);
  });

  test('with another key the corpus is not used, and does not claim that there is nothing', async () => {
    const { corpus, bring } = folder();
    await bring('ada@example.com');
    const { find, logged } = await open(corpus, randomBytes(32));
    expect(await find('ada@example.com')).toBeNull();
    expect(logged.join()).toContain('CONFAM_INDEX_KEY');
    expect(await readCorpus(corpus, [randomBytes(32)])).toMatchObject([{ trouble: expect.stringContaining('another key') }]);
  });

  test('the filter passes everything stored, and hardly anything else', () => {
    const random = new Uint32Array(randomBytes(8 * 100_000).buffer.slice(0, 8 * 100_000));
    const filter = new Uint32Array(filterBytes(50_000) / 4);
    for (let i = 0; i < 100_000; i += 2) addToFilter(filter, random[i]!, random[i + 1]!);
    let passed = 0;
    for (let i = 0; i < 100_000; i += 2) expect(mayContain(filter, random[i]!, random[i + 1]!)).toBe(true);
    for (let i = 100_000; i < 200_000; i += 2) if (mayContain(filter, random[i]!, random[i + 1]!)) passed++;
    console.log(`filter: ${((passed / 50_000) * 100).toFixed(2)} % of what is not there passes`);
    expect(passed / 50_000).toBeLessThan(0.01);
  });
});

describe('what is found', () => {
  test('several breaches in date order, and the mailbox behind a tag', async () => {
    const { corpus, bring } = folder();
    await bring('ada@example.com');
    await bring('ada@example.com\nbola@example.com', { name: 'Collection #1', date: null, hasPasswords: false });
    await bring('ada@example.com', { name: 'Forum', date: '2012-01-01' });
    const { find } = await open(corpus);
    expect((await find('ADA+news@example.com'))?.map(({ name }) => name)).toEqual(['Forum', 'Shop', 'Collection #1']);
    expect(await find('bola@example.com')).toEqual([{ name: 'Collection #1', date: null, hasPasswords: false }]);
    expect(await find('chi@example.com')).toEqual([]);
  });

  test('nothing is known before an import, and the first question after it sees the import', async () => {
    const { corpus, bring } = folder();
    const { find } = await open(corpus);
    expect(await find('ada@example.com')).toBeNull();
    await bring('ada@example.com');
    expect(await find('ada@example.com')).toEqual([shop]);
    await bring('bola@example.com');
    expect(await find('bola@example.com')).toHaveLength(1);
    expect(await find('ada@example.com')).toEqual([]);
    rmSync(corpus, { recursive: true });
    expect(await find('bola@example.com')).toBeNull();
  });

  test('look-ups keep working while files are replaced', async () => {
    const { corpus, bring } = folder();
    await bring(many(2_000));
    const { find, logged } = await open(corpus);
    let isDone = false;
    const replacing = (async () => {
      for (let i = 0; i < 10; i++) await bring(many(2_000));
      isDone = true;
    })();
    while (!isDone) expect(await Promise.all([find('person7@example.com'), find('person1999@example.com')])).toEqual([[shop], [shop]]);
    await replacing;
    expect(logged).toEqual([]);
  });
});

describe('what survives', () => {
  test.each<[string, string | Buffer]>([
    ['a file without an address', 'nothing\n'],
    ['half a gzip file', gzipSync(many(20_000)).subarray(0, 20_000)],
    ['a zip archive', Buffer.from('PK\u0003\u0004rest')],
    ['broken UTF-16', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8, 0x62, 0x00])],
  ])('%s leaves the breach as it was', async (_, content) => {
    const { corpus, bring } = folder();
    await bring('ada@example.com');
    await expect(bring(content)).rejects.toThrow(/no address|gzip|zip|text/);
    expect(readdirSync(corpus)).toEqual(['Shop.breach']);
    expect(await (await open(corpus)).find('ada@example.com')).toEqual([shop]);
  });

  test('a missing file, a name that would leave the folder', async () => {
    const { bring, path } = folder();
    await expect(bring('', { files: [join(path, 'gone.txt')] })).rejects.toMatchObject({ code: 'ENOENT' });
    for (const name of ['', '../up', '.hidden', 'a/b', 'x'.repeat(65), 'a\u0000b'])
      await expect(bring('ada@example.com', { name })).rejects.toThrow('the name of a breach');
  });

  test.each<[string, (path: string) => void]>([
    ['cut short', (path) => truncateSync(path, statSync(path).size - 1)],
    ['longer', (path) => appendFileSync(path, 'x')],
    ['empty', (path) => truncateSync(path, 0)],
    ['something else', (path) => writeFileSync(path, 'ada@example.com')],
    ['damaged in its filter', (path) => damage(path, statSync(path).size - 5)],
    ['damaged in its header', (path) => damage(path, 13)],
  ])('a file that is %s is reported, and the others are used', async (_, spoil) => {
    const { corpus, bring } = folder();
    await bring('ada@example.com');
    await bring('bola@example.com', { name: 'Forum' });
    spoil(join(corpus, 'Forum.breach'));
    const { find, logged } = await open(corpus);
    expect(await find('ada@example.com')).toEqual([shop]);
    expect(await find('bola@example.com')).toBeNull();
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain('example.com');
  });

  test('leftovers of a killed import are removed after a day', async () => {
    const { corpus, bring } = folder();
    await bring('ada@example.com');
    const [left, fresh] = ['Old.breach.0123.part', 'New.breach.4567.part'].map((name) => join(corpus, name));
    for (const path of [left!, fresh!]) writeFileSync(path, 'half');
    utimesSync(left!, Date.now() / 1000 - 90_000, Date.now() / 1000 - 90_000);
    await bring('ada@example.com');
    expect([existsSync(left!), existsSync(fresh!)]).toEqual([false, true]);
  });
});

function damage(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 0xff;
  writeFileSync(path, bytes);
}

describe('the command', () => {
  const newKeys = () => JSON.stringify({ keys: `1:${newSecretKey()}`, indexKey: newSecretKey() });
  async function run(data: string, ...words: string[]): Promise<{ code: number | null; out: string }> {
    const { CONFAM_KEYS, CONFAM_INDEX_KEY, DATABASE_URL, ...environment } = process.env;
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'breaches', ...words], {
      cwd: packageRoot(),
      env: { ...environment, CONFAM_DATA_DIR: data },
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, out };
  }

  test('imports, reports what is there, and refuses in one sentence', async () => {
    const { path, write } = folder();
    const dump = write('dump.csv', 'email,password\nada@example.com,x\nbola@example.com,y\n');
    const keyless = { code: 1, out: `there are no keys in ${path}; set CONFAM_DATA_DIR (or CONFAM_KEYS and CONFAM_INDEX_KEY)\n` };
    expect([await run(path, 'import', dump, '--name', 'Shop'), await run(path, 'status')]).toEqual([keyless, keyless]);
    write('keys.json', newKeys());
    expect(await run(path, 'import', dump, '--name', 'Shop', '--date', '2019-05-01', '--passwords')).toEqual({
      code: 0,
      out: 'Shop: 2 addresses in 3 lines (1 without one, 0 repeated)\n',
    });
    const { code, out } = await run(path, 'status', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ name: 'Shop', date: '2019-05-01', passwords: true, addresses: 2, trouble: null }]);
    expect(await run(path, 'import', join(path, 'gone'), '--name', 'Shop')).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^\S+gone cannot be read \(ENOENT\)\n$/),
    });
    expect(await run(path, 'import', dump, '--name', 'Shop', '--date', 'May')).toEqual({ code: 2, out: '--date: expected YYYY-MM-DD\n' });
  }, 60_000);

  test.runIf(process.platform === 'linux')(
    'killing an import half-way leaves the old breach in place',
    async () => {
      const { path, corpus, write, bring } = folder();
      write('keys.json', newKeys());
      await bring('ada@example.com');
      const before = readFileSync(join(corpus, 'Shop.breach'));
      const dump = write('large.txt', `${many(300_000)}\n`.repeat(8));
      const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'breaches', 'import', dump, '--name', 'Shop'], {
        cwd: packageRoot(),
        env: { ...process.env, CONFAM_DATA_DIR: path },
        stdio: 'ignore',
      });
      const closed = new Promise((resolve) => child.on('close', resolve));
      // It is far from its end when it begins to read.
      await waitFor('its parts', () => openFiles(child.pid!).some((name) => /confam-\w+ \(deleted\)$/.test(name)));
      child.kill('SIGKILL');
      await closed;
      expect(readFileSync(join(corpus, 'Shop.breach')).equals(before)).toBe(true);
      expect(readdirSync(corpus).filter((name) => !/\.(breach|part)$/.test(name))).toEqual([]);
    },
    60_000,
  );
});

/** A process may close a file while it is being looked at. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return [];
    }
  });
}
