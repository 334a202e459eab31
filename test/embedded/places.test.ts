/** Where root's database is: Postgres does not run as root, and its user may not reach the folder that was asked for. */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findNativeFolder, runnableBinaries } from '../../src/embedded/binaries.ts';
import { dataDir, isRoot, kill, query, root, start, startOwner, TEST_TIMEOUT_MS, useEmbeddedPostgres } from '../setup/embedded-postgres.ts';

useEmbeddedPostgres();

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
