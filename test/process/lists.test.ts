/** `confam lists` as an operator uses it: on a deployment's database, and in embedded mode with Confam running and not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { openPublisher, type Publisher, people } from '../aml/publisher.ts';
import { useDatabase } from '../setup/database.ts';
import { killConfams, makeDataDir, processesMentioning, runConfam, startConfam, untilReady } from '../setup/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-lists-'));
const write = (name: string, text: string | Buffer): string => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
};

afterAll(async () => {
  await killConfams();
  rmSync(folder, { recursive: true });
});

describe('confam lists on a deployment', () => {
  const database = useDatabase();
  let publisher: Publisher;
  let environment: Record<string, string>;
  const lists = (...args: string[]) => runConfam(['lists', ...args], environment);
  const status = async () =>
    JSON.parse((await lists('status', '--json')).stdout) as { list: string; state: string; version: { entries: number } }[];

  beforeAll(async () => {
    publisher = await openPublisher();
    const own = { category: 'sanction' };
    const file = {
      lists: {
        broken: { ...own, addresses: [`${publisher.url}/broken`] },
        good: { ...own, addresses: [`${publisher.url}/good.jsonl`] },
        by_hand: { ...own, required: true },
      },
    };
    environment = { ...database.environment, CONFAM_LISTS: write('lists.json', JSON.stringify(file)) };
  });
  afterAll(async () => {
    await publisher.close();
  });

  test('an update reports each list; a failing list does not delay the others, and makes the command fail', async () => {
    publisher.serve('/broken', (response) => void response.writeHead(500).end());
    publisher.serve('/good.jsonl', people(1, 7));
    const { code, stdout, stderr } = await lists('update', 'broken', 'good');
    expect(stdout).toMatch(/^good: \d{4}-\d\d-\d\d-[0-9a-f]{8}: 7 entries, 14 names \(\+7 ~0 -0\); 0 others skipped$/m);
    expect(stderr).toContain('broken: refused (http_status)');
    expect(code).toBe(1);
    expect(await lists('update', 'good')).toMatchObject({ code: 0, stdout: 'good: unchanged\n' });
  });

  test('an import takes a file, gzipped or not, several files, or a folder', async () => {
    const [a, b] = [write('parts/a.jsonl', people(1, 3)), write('parts/b.jsonl.gz', gzipSync(people(4, 2)))];
    expect(await lists('import', 'by_hand', a)).toMatchObject({ code: 0, stdout: expect.stringContaining('3 entries') });
    expect(await lists('import', 'by_hand', a, b)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('5 entries, 10 names (+2 ~0 -0)'),
    });
    expect(await lists('import', 'by_hand', join(folder, 'parts'))).toMatchObject({ code: 0, stdout: 'by_hand: unchanged\n' });
  });

  test('a refused import says why in one sentence, and is accepted with --force', async () => {
    const small = write('small.jsonl', people(1, 1));
    expect(await lists('import', 'by_hand', small)).toMatchObject({
      code: 1,
      stderr: 'by_hand: refused (shrunk): Its number of entries is 1; that of the current version is 5. The version in force stays.\n',
    });
    expect(await lists('import', 'by_hand', '--force', small)).toMatchObject({ code: 0 });
    expect((await status()).find(({ list }) => list === 'by_hand')).toMatchObject({
      state: 'current',
      required: true,
      version: { entries: 1, removed: 4 },
    });
  });

  test.each([
    [['import', 'nothing', '/x'], 2, /^there is no list nothing; the lists are ofac_sdn, /],
    [['import', 'by_hand', '/no/such/file'], 1, /^\/no\/such\/file cannot be read \(ENOENT\)\n$/],
    [['update', 'by_hand'], 1, /^by_hand: no address is known; import the list, or give it addresses in CONFAM_LISTS\n$/],
  ])('lists %s is refused in one line', async (args, exit, message) => {
    const { code, stderr } = await lists(...args);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(exit);
  });

  test('the status is a table of every list', async () => {
    const { stdout } = await lists('status');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^list +state +required +version +published +loaded +checked +age +entries +names +\+\/~\/- +refusal$/);
    expect(rows.find((row) => row.startsWith('un_sc'))).toMatch(/^un_sc +absent +yes$/);
    expect(rows.find((row) => row.startsWith('good'))).toMatch(/ \d min +7 +14 +7\/0\/0$/);
  });
});

describe('confam lists in embedded mode', () => {
  const data = makeDataDir();
  const environment = { CONFAM_DATA_DIR: data.path, CONFAM_LISTS: write('own.json', '{"lists":{"own":{"category":"pep"}}}') };
  const lists = (...args: string[]) => runConfam(['lists', ...args], environment);
  afterAll(() => data.remove());

  test('uses the database of a running Confam, and leaves that running', async () => {
    const port = await freePort();
    const confam = startConfam(['start'], { ...environment, PORT: String(port) });
    await untilReady(confam, port, 60_000);
    const { code, stdout, stderr } = await lists('import', 'own', write('own.jsonl', people(1, 4)));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('4 entries');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    confam.signal('SIGTERM');
    expect((await confam.ended(30_000)).code).toBe(0);
  }, 120_000);

  test('starts its own Postgres for the command and stops it again', async () => {
    expect(await lists('import', 'own', write('own.jsonl', people(1, 5)))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('5 entries, 10 names (+1 ~0 -0)'),
    });
    expect(processesMentioning(data.path)).toEqual([]);
  }, 90_000);
});
