/** `confam keys create live|test|admin` and `keys list|rotate|revoke admin`: the operator's part, which works on the database. It restricts keys as the API does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClient, startApi, type TestApi } from '../setup/api.ts';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { runConfam } from '../setup/process.ts';

let database: TestDatabase;
let api: TestApi;
let app: string;
beforeAll(async () => {
  database = await createDatabase();
  api = await startApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1/32,::1/128' }, database);
  app = (await api.createApp()).app;
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const run = (...args: string[]) => runConfam(args, database.environment);

async function made(...args: string[]) {
  const { code, stdout, stderr } = await run('keys', 'create', ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

async function refusalOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run('keys', 'create', ...args);
  expect([code, stdout], args.join(' ')).toEqual([2, '']);
  expect(stderr.trim()).not.toContain('\n');
  return stderr;
}

const RESTRICTED = { name: 'nightly', addresses: ['203.0.113.0/24', '192.0.2.7/32'], expires_at: '2990-01-31T00:00:00.000Z' };
const FLAGS = ['--name', 'nightly', '--addresses', '203.0.113.0/24,192.0.2.7', '--expires-at', '2990-01-31'];
const OF_APPS = { scopes: ['verify', 'wallet:read'], checks: ['nin_basic'], daily_cap: 99.5 };
const FLAGS_OF_APPS = ['--scopes', 'verify,wallet:read', '--checks', 'nin_basic', '--daily-cap', '99.50'];

const REFUSED = [
  [['--scopes', 'verfy'], { scopes: ['verfy'] }],
  [['--scopes', ''], { scopes: [] }],
  [['--checks', 'nin_basics'], { checks: ['nin_basics'] }],
  [['--addresses', '203.0.113.0/33'], { addresses: ['203.0.113.0/33'] }],
  [['--addresses', 'everywhere'], { addresses: ['everywhere'] }],
  [['--expires-at', '2020-01-01'], { expires_at: '2020-01-01' }],
  [['--expires-at', 'tomorrow'], { expires_at: 'tomorrow' }],
  [['--daily-cap', '999999999999'], { daily_cap: 999_999_999_999 }],
  [['--name', ''], { name: '' }],
] as const;

describe.each(['live', 'test'])('a %s key', (mode) => {
  test('gets every restriction that is asked for, and the command shows them', async () => {
    const key = await made(mode, '--app', app, ...FLAGS, ...FLAGS_OF_APPS);
    expect(key).toMatchObject({ mode, ...RESTRICTED, ...OF_APPS });
    const client = openClient(api.url, app, key.key);
    const asked = (path: string, address: string) => client.get(path, { 'X-Forwarded-For': address });
    expect((await asked('/api/v1/wallet', '203.0.113.9')).status).toBe(200);
    expect((await asked('/api/v1/wallet', '198.51.100.1')).body).toMatchObject({
      code: 'forbidden',
      error: expect.stringContaining('address'),
    });
    expect((await asked('/api/v1/keys', '192.0.2.7')).body).toMatchObject({ code: 'forbidden', error: expect.stringContaining('keys') });
  });

  test('is unrestricted without flags', async () => {
    expect(await made(mode, '--app', app)).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(`^cf_${mode}_`),
      object: 'key',
      mode,
      hint: expect.any(String),
      ...{ name: null, scopes: null, checks: null, addresses: null, daily_cap: null, expires_at: null },
      ...{ last_used_at: null, revoked_at: null, rotated_to: null, made_by: null, created_at: expect.any(String) },
    });
  });

  test('is not made with a restriction that the API refuses, for the same reason', async () => {
    const before = await keysStored();
    // All with one kind of key: the other is restricted by the same code.
    for (const [flags, body] of REFUSED.slice(0, mode === 'live' ? undefined : 2)) {
      const { status, body: refused } = await api.admin.post(`/api/v1/admin/apps/${app}/keys`, { mode, ...body });
      expect(status).toBe(400);
      expect((await refusalOf(mode, '--app', app, ...flags)).trim()).toBe(refused.error);
    }
    expect(await keysStored()).toBe(before);
  });
});

describe('an admin key', () => {
  test('gets every restriction that is asked for, and the command shows them', async () => {
    const key = await made('admin', ...FLAGS);
    expect(key).toMatchObject({ mode: 'admin', ...RESTRICTED, key: expect.stringMatching(/^cf_admin_/) });
    expect(Object.keys(key)).not.toEqual(expect.arrayContaining(['scopes']));
    const from = async (address: string) =>
      (await openClient(api.url, '', key.key).get('/api/v1/admin/apps', { 'X-Forwarded-For': address })).status;
    expect([await from('203.0.113.9'), await from('198.51.100.1')]).toEqual([200, 403]);
  });

  test('is not made with what cannot restrict it, nor with what the API refuses', async () => {
    const before = await keysStored();
    expect(await refusalOf('admin', ...FLAGS, ...FLAGS_OF_APPS, '--app', app)).toContain(
      '--app, --scopes, --checks, --daily-cap: not for an admin key',
    );
    expect(await refusalOf('admin', '--scopes', 'verify')).toContain('--scopes: not for an admin key');
    for (const [flag, value, member] of [
      ['--addresses', '203.0.113.0/33', 'addresses.0'],
      ['--expires-at', '2020-01-01', 'expires_at'],
      ['--name', '', 'name'],
    ] as const) {
      const { body } = await api.admin.post('/api/v1/admin/keys', { [member.split('.')[0]!]: flag === '--addresses' ? [value] : value });
      expect(body.details[0]!.path).toBe(member);
      expect((await refusalOf('admin', flag, value)).trim()).toBe(body.error);
    }
    expect(await keysStored()).toBe(before);
  });

  test('is listed with its restrictions, newest first, and never with its text', async () => {
    const [older, newer] = [await made('admin', '--name', 'older'), await made('admin', ...FLAGS)];
    const listed = await run('keys', 'list', 'admin', '--json', '--limit', '2');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { id: newer.id, ...RESTRICTED, last_used_at: null },
      { id: older.id, name: 'older', addresses: null, expires_at: null },
    ]);
    expect(listed.stdout).not.toContain(newer.key);
    const table = (await run('keys', 'list', 'admin')).stdout;
    expect(table).toMatch(/^ID +NAME +KEY +ADDRESSES +EXPIRES +STATE +LAST USED +CREATED\n/);
    expect(table).toMatch(
      new RegExp(`^${newer.id} +nightly +cf_admin_\\w+… +203\\.0\\.113\\.0/24,192\\.0\\.2\\.7/32 +2990-01-31 .*active +never `, 'm'),
    );
    expect(await run('keys', 'list', 'live')).toMatchObject({ code: 2, stderr: expect.stringContaining('kind must be admin') });
  });
});

describe('an admin key that exists', () => {
  const statusOf = async (key: string) => (await openClient(api.url, '', key).get('/api/v1/admin/apps')).status;

  test('is replaced by one with the same terms; the old one works as long as was asked for', async () => {
    const old = await made('admin', '--name', 'provisioning', '--expires-at', '2990-01-31');
    const kept = await run('keys', 'rotate', 'admin', old.id, '--overlap', '600');
    expect(kept.code, kept.stderr).toBe(0);
    const next = JSON.parse(kept.stdout);
    expect(next).toMatchObject({
      mode: 'admin',
      name: 'provisioning',
      expires_at: RESTRICTED.expires_at,
      key: expect.stringMatching(/^cf_admin_/),
    });
    expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([200, 200]);
    const last = JSON.parse((await run('keys', 'rotate', 'admin', next.id, '--overlap', '0')).stdout);
    await expect.poll(() => statusOf(next.key)).toBe(401);
    expect(await statusOf(last.key)).toBe(200);
    expect(await run('keys', 'rotate', 'admin', next.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no such admin key'),
    });
    expect(await run('keys', 'rotate', 'admin', last.id, '--overlap', '9999999')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('overlap_seconds'),
    });
  });

  test('is revoked at once, also for the process that knows it', async () => {
    const { id, key } = await made('admin');
    expect(await statusOf(key)).toBe(200);
    expect(await run('keys', 'revoke', 'admin', id)).toMatchObject({ code: 0, stdout: `${id} is revoked.\n` });
    await expect.poll(() => statusOf(key)).toBe(401);
    expect(await run('keys', 'revoke', 'admin', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('already revoked') });
  });

  test('a key of an app is not rotated or revoked as one', async () => {
    const { id, key } = await made('live', '--app', app);
    for (const command of ['rotate', 'revoke'])
      expect(await run('keys', command, 'admin', id)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('there is no such admin key'),
      });
    expect((await openClient(api.url, app, key).get('/api/v1/wallet')).status).toBe(200);
  });
});

test.each([
  ['keys create', ['keys', 'create', '--app', 'app_1'], '--app: only with live or test'],
  ['keys rotate', ['keys', 'rotate', '--overlap', '60'], '--overlap: only with the id of a key'],
  ['keys rotate with two keys', ['keys', 'rotate', 'key_1', 'key_2'], 'key_2: only admin is followed by a second argument'],
  ['keys revoke with two keys', ['keys', 'revoke', 'key_1', 'key_2'], 'key_2: only admin is followed by a second argument'],
  ['keys create with a profile', ['keys', 'create', 'admin', '--profile', 'work'], '--profile: not for commands that work on the database'],
  ['keys rotate with a profile', ['keys', 'rotate', '--profile', 'work'], '--profile: not for commands that work on the database'],
  ['keys revoke admin without a key', ['keys', 'revoke', 'admin'], 'expected the id of an admin key'],
])('%s refuses what it would otherwise ignore', async (_what, args, reason) => {
  expect(await run(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
});

const keysStored = async (): Promise<number> => (await api.service.sql<{ n: number }[]>`select count(*)::int as n from api_keys`)[0]!.n;
