import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findNativeFolder, runnableBinaries } from '../../src/embedded/binaries.ts';
import { EmbeddedPostgresError } from '../../src/embedded/error.ts';
import { isAlive, waitUntil } from '../../src/embedded/process.ts';
import {
  dataDir,
  isRoot,
  kill,
  query,
  root,
  running,
  spawnOwner,
  start,
  startOwner,
  TEST_TIMEOUT_MS,
  useEmbeddedPostgres,
} from '../setup/embedded-postgres.ts';
import { canMakeSmallDisks, fillDisk, makeSmallDisk } from '../setup/small-disk.ts';

useEmbeddedPostgres();

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
