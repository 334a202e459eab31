import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNativeFolder, runnableBinaries } from '../../src/embedded/binaries.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/embedded.ts';
import { EmbeddedPostgresError } from '../../src/embedded/error.ts';
import { isAlive, waitUntil } from '../../src/embedded/process.ts';
import { canMakeSmallDisks, fillDisk, makeSmallDisk } from '../setup/small-disk.ts';

const isRoot = process.getuid?.() === 0;
const TEST_TIMEOUT_MS = 60_000;

let root: string;
let dataDir: string;
let running: EmbeddedPostgres[];
let owners: ChildProcess[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'confam-embedded-'));
  chmodSync(root, 0o711);
  dataDir = join(root, '.data');
  running = [];
  owners = [];
});

afterEach(async () => {
  for (const postgres of running) await postgres.stop();
  for (const owner of owners) owner.kill('SIGKILL');
  const places = new Set([root, ...running.map((postgres) => dirname(postgres.dataDir))]);
  const left = () => [...places].flatMap(processesMentioning);
  await waitUntil(() => left().length === 0, 10_000, 50);
  const leaked = left();
  for (const pid of leaked) process.kill(pid, 'SIGKILL');
  for (const place of places) rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  expect(leaked, 'processes left behind').toEqual([]);
});

describe('embedded Postgres', { timeout: TEST_TIMEOUT_MS }, () => {
  test('a second start finds what the first one committed', async () => {
    const first = await start();
    expect(first).toMatchObject({ recovered: false, dataDir: join(dataDir, 'postgres') });
    // In a checkout that only root may enter, the programs are copied and a note says so; the data stays where it was asked for.
    expect(first.notes.filter((note) => !note.startsWith('The Postgres programs in'))).toEqual([]);
    await query(first.url, "create table kept as select 'yes' as answer");
    await first.stop();
    await first.stop();
    expect(existsSync(join(dataDir, 'confam.lock'))).toBe(false);

    const second = await start();
    expect(second.recovered).toBe(false);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 'yes' }]);
  });

  test('our settings apply, and can be overridden', async () => {
    const postgres = await start({ max_connections: '40' });
    const names = [
      'max_connections',
      'fsync',
      'synchronous_commit',
      'unix_socket_directories',
      'listen_addresses',
      'server_encoding',
      'data_checksums',
    ];
    const shown = await query(
      postgres.url,
      `select name, setting from pg_settings where name in (${names.map((name) => `'${name}'`).join()})`,
    );
    expect(Object.fromEntries(shown.map(({ name, setting }) => [name, setting]))).toEqual({
      max_connections: '40',
      fsync: 'on',
      synchronous_commit: 'on',
      unix_socket_directories: '',
      listen_addresses: '127.0.0.1',
      server_encoding: 'UTF8',
      data_checksums: 'on',
    });
  });

  test('the password is readable only by its owner, and needed', async () => {
    const postgres = await start();
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'postgres.log')).mode & 0o777).toBe(0o600);
    expect(statSync(postgres.dataDir).mode & 0o777).toBe(0o700);
    const { password } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    expect(new URL(postgres.url).password).toBe(password);
    await expect(query(postgres.url.replace(password, 'wrong'), 'select 1')).rejects.toThrow(/password authentication failed/);
  });

  test('no value of a failed statement reaches the server log', async () => {
    const postgres = await start();
    await query(postgres.url, 'create table person (nin text primary key)');
    await query(postgres.url, "insert into person values ('70123456789')");
    const failing = [
      "insert into person values ('70123456789')",
      "select '70123456789'::uuid",
      "do $$ begin raise warning '70123456789'; end $$",
    ];
    for (const statement of failing) await query(postgres.url, statement).catch(() => undefined);
    await expect(query(postgres.url, 'select $1::uuid', ['70123456789'])).rejects.toThrow(/invalid input syntax/);
    await postgres.stop();
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toMatch(/ready to accept connections/);
    expect(log).not.toMatch(/70123456789/);
  });

  test('a folder in use by a living Confam is refused, and its server is left alone', async () => {
    const mine = await start();
    await expect(start()).rejects.toThrow(new RegExp(`Another Confam \\(pid ${process.pid}\\) already uses`));
    await mine.stop();

    const other = await startOwner('stay');
    const refused = start();
    await expect(refused).rejects.toBeInstanceOf(EmbeddedPostgresError);
    await expect(refused).rejects.toThrow(new RegExp(`Another Confam \\(pid ${other.owner.pid}\\)`));
    expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await kill(other.owner);
    expect((await start()).recovered).toBe(true);
  });

  test("of many starters that find a dead owner's lock, exactly one takes it", async () => {
    mkdirSync(dataDir, { mode: 0o711 });
    const dead = spawn('true');
    await once(dead, 'exit');
    writeFileSync(join(dataDir, 'confam.lock'), JSON.stringify({ token: 'dead', pid: dead.pid, startTicks: '1', scope: null }));
    const outdated = new Date(Date.now() - 60_000);
    utimesSync(join(dataDir, 'confam.lock'), outdated, outdated);
    const starters = await Promise.all(Array.from({ length: 5 }, () => startOwner('lock')));
    expect(starters.filter(({ won }) => won)).toHaveLength(1);
  });

  test('after the owner is killed, its server is stopped and everything committed is there', async () => {
    const killed = await startOwner('stay');
    await query(killed.url, "create table kept as select 'yes' as answer");
    await kill(killed.owner);
    expect(isAlive(killed.pid)).toBe(true);

    const next = await start();
    expect(isAlive(killed.pid)).toBe(false);
    expect(next.recovered).toBe(true);
    expect(next.notes.join()).toMatch(new RegExp(`pid ${killed.pid}\\) left running by a killed Confam was stopped`));
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 'yes' }]);
  });

  test('after owner and server are killed together, everything committed is recovered from the log', async () => {
    const killed = await startOwner('stay');
    await query(killed.url, "create table kept as select n, 'yes' as answer from generate_series(1, 5000) n");
    process.kill(killed.pid, 'SIGKILL');
    await kill(killed.owner);

    const next = await start();
    expect(next.recovered).toBe(true);
    expect(await query(next.url, 'select count(*)::int as rows from kept')).toEqual([{ rows: 5000 }]);
    await next.stop();
    expect((await start()).recovered).toBe(false);
  });

  test('a stale postmaster.pid does not block the start when another program has its pid, and that program is spared', async () => {
    const first = await start();
    await first.stop();
    const { uid, gid } = statSync(first.dataDir);
    const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    try {
      const pidFile = join(first.dataDir, 'postmaster.pid');
      writeFileSync(pidFile, `${stranger.pid}\n${first.dataDir}\n1700000000\n5432\n\n127.0.0.1\n\nready   \n`, { mode: 0o600 });
      if (isRoot) chownSync(pidFile, uid, gid);
      const second = await start();
      expect(second.recovered).toBe(true);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('an initdb killed half-way is not taken for a database', async () => {
    const owner = spawnOwner('stay');
    const initialising = () =>
      existsSync(dataDir) &&
      readdirSync(dataDir).some((name) => name.startsWith('postgres.init-') && existsSync(join(dataDir, name, 'data/PG_VERSION')));
    expect(await waitUntil(initialising, 20_000, 2)).toBe(true);
    process.kill(-owner.pid!, 'SIGKILL');
    await once(owner, 'exit');
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.init-'))).toHaveLength(1);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);

    const next = await start();
    expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.init-'))).toEqual([]);
  });

  test.skipIf(!canMakeSmallDisks())('a disk without room for a new database, and one that is full, are named in a sentence', async () => {
    const disk = makeSmallDisk('200m');
    const folder = join(disk.path, 'data');
    const filler = join(disk.path, 'filler');
    try {
      writeFileSync(filler, Buffer.alloc(185 * 1024 * 1024));
      await expect(start({}, folder)).rejects.toThrow(
        `${folder} has no room for a new database: make room on its disk, or choose another CONFAM_DATA_DIR.`,
      );
      expect(readdirSync(folder).filter((name) => name.startsWith('postgres.init-'))).toEqual([]);
      rmSync(filler);
      await (await start({}, folder)).stop();
      fillDisk(disk);
      // Room for the lock of the folder, and for nothing of Postgres's.
      truncateSync(join(disk.path, 'filler-0'), 1024 * 1024 - 4096);
      await expect(start({}, folder)).rejects.toThrow(
        `Postgres did not start: the disk of ${join(folder, 'postgres')} is full. Make room and start again.`,
      );
    } finally {
      for (const postgres of running) await postgres.stop();
      disk.remove();
    }
  });

  test("a terminal's Ctrl-C does not reach the server", async () => {
    const { owner, url } = await startOwner('stay');
    process.kill(-owner.pid!, 'SIGINT');
    for (let i = 0; i < 5; i += 1) expect(await query(url, 'select pg_sleep(0.05) is null as ok')).toEqual([{ ok: false }]);
    await kill(owner);
    await start();
  });

  test('a process that ends without stop() is not kept alive by its server, and ends it too', async () => {
    const { owner, pid } = await startOwner('return');
    if (owner.exitCode === null) await once(owner, 'exit');
    expect(owner.exitCode).toBe(0);
    expect(await waitUntil(() => !isAlive(pid), 10_000)).toBe(true);
  });

  test('a database without its password file is reported, not replaced', async () => {
    const first = await start();
    await first.stop();
    unlinkSync(join(dataDir, 'postgres.json'));
    await expect(start()).rejects.toThrow(/postgres\.json, which holds its password, is missing/);
    expect(existsSync(join(first.dataDir, 'PG_VERSION'))).toBe(true);
  });

  test('a large server log is started afresh', async () => {
    mkdirSync(dataDir, { mode: 0o711 });
    chmodSync(dataDir, 0o711);
    writeFileSync(join(dataDir, 'postgres.log'), 'x'.repeat(11 * 1024 * 1024));
    await start();
    expect(statSync(join(dataDir, 'postgres.log')).size).toBeLessThan(100_000);
  });

  test('shared-library links that npm did not create are created', async () => {
    const native = findNativeFolder();
    const copy = join(root, 'native');
    cpSync(native.path, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !/lib(icu|pq|ecpg)[a-z0-9_]*\.so(\.\d+)?$/.test(source),
    });
    chmodSync(join(copy, 'bin/initdb'), 0o644);
    expect(existsSync(join(copy, 'lib/libicuuc.so.60'))).toBe(false);
    const binaries = runnableBinaries({ ...native, path: copy }, null, join(root, 'copies'));
    expect(binaries).toMatchObject({ copied: false, major: '18' });
    expect(existsSync(join(copy, 'lib/libicuuc.so.60'))).toBe(true);
    expect(statSync(join(copy, 'bin/initdb')).mode & 0o777).toBe(0o755);
  });
});

describe.skipIf(!isRoot)('embedded Postgres, started by root (skipped: these tests need root)', { timeout: TEST_TIMEOUT_MS }, () => {
  test('a data folder that its user cannot reach keeps the database elsewhere, says so, and finds it again', async () => {
    chmodSync(root, 0o700);
    const first = await start();
    expect(first.dataDir).toMatch(/^\/var\/lib\/confam\/data-[0-9a-f]{12}\/postgres$/);
    expect(first.notes.join()).toContain(`the database is in ${dirname(first.dataDir)}`);
    expect(statSync(first.dataDir).uid).not.toBe(0);
    await query(first.url, "create table kept as select 'yes' as answer");
    await first.stop();

    const second = await start();
    expect(second.dataDir).toBe(first.dataDir);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 'yes' }]);
  });

  test('a recreated data folder gets a new database, not the one its deleted predecessor left elsewhere', async () => {
    chmodSync(root, 0o700);
    const first = await start();
    await query(first.url, "create table kept as select 'yes' as answer");
    await first.stop();
    rmSync(dataDir, { recursive: true });

    const second = await start();
    expect(second.dataDir).toBe(first.dataDir);
    await expect(query(second.url, 'select answer from kept')).rejects.toThrow(/does not exist/);
  });

  test('a data folder deleted under a running Confam does not cost it its database', async () => {
    chmodSync(root, 0o700);
    const { owner, url } = await startOwner('stay');
    rmSync(dataDir, { recursive: true });
    await expect(start()).rejects.toThrow(new RegExp(`Another Confam \\(pid ${owner.pid}\\)`));
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await kill(owner);
    await start();
  });

  test('a moved data folder keeps its database, its old path gets another, and a copy of it is refused', async () => {
    chmodSync(root, 0o700);
    const first = await start();
    await query(first.url, "create table kept as select 'yes' as answer");
    await first.stop();
    const moved = join(root, 'moved');
    cpSync(dataDir, moved, { recursive: true });
    await expect(start({}, moved)).rejects.toThrow(/is a copy of/);
    rmSync(dataDir, { recursive: true });

    const after = await start({}, moved);
    expect(await query(after.url, 'select answer from kept')).toEqual([{ answer: 'yes' }]);
    const another = await start();
    expect(another.dataDir).not.toBe(after.dataDir);
    await expect(query(another.url, 'select answer from kept')).rejects.toThrow(/does not exist/);
  });

  test('a remembered place that is gone is replaced by an empty database, with a note', async () => {
    chmodSync(root, 0o700);
    const first = await start();
    await first.stop();
    rmSync(dirname(first.dataDir), { recursive: true });
    const second = await start();
    expect(second.notes.join()).toMatch(/is gone; a new, empty one was created/);
  });

  test('programs that its user cannot reach are copied once, including links and modes', async () => {
    const native = findNativeFolder();
    const hidden = join(root, 'hidden');
    mkdirSync(hidden, { mode: 0o700 });
    cpSync(native.path, join(hidden, 'native'), { recursive: true, verbatimSymlinks: true });
    const nobody = { uid: 65534, gid: 65534 };
    const binaries = () => runnableBinaries({ ...native, path: join(hidden, 'native') }, nobody, join(root, 'copies'));
    expect(binaries()).toMatchObject({ copied: true, postgres: join(root, 'copies', `postgresql-${native.version}`, 'bin/postgres') });
    const madeAt = statSync(join(root, 'copies', `postgresql-${native.version}`)).ctimeMs;
    expect(binaries().copied).toBe(true);
    expect(statSync(join(root, 'copies', `postgresql-${native.version}`)).ctimeMs).toBe(madeAt);
    expect(readdirSync(join(root, 'copies'))).toEqual([`postgresql-${native.version}`]);
  });
});

async function start(settings: Record<string, string> = {}, folder = dataDir): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings: { shared_buffers: '16MB', ...settings } });
  running.push(postgres);
  return postgres;
}

function spawnOwner(mode: 'stay' | 'return' | 'lock'): ChildProcess {
  const script = new URL('../fixtures/embedded-owner.ts', import.meta.url).pathname;
  // Its own process group, as under a shell, so that a test can signal it together with its initdb.
  const owner = spawn(process.execPath, ['--import', 'tsx', script, mode, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  owners.push(owner);
  return owner;
}

async function startOwner(mode: 'stay' | 'return' | 'lock'): Promise<{ owner: ChildProcess; url: string; pid: number; won?: boolean }> {
  const owner = spawnOwner(mode);
  const [line] = await once(createInterface({ input: owner.stdout! }), 'line');
  return { owner, ...JSON.parse(line) };
}

async function kill(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

async function query(url: string, statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Empty where there is no /proc. */
function processesMentioning(path: string): number[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid && pid !== process.pid && commandOf(pid).includes(path));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
