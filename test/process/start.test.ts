/** `confam start` as a user meets it: first and later starts, what it prints, how it refuses, how it stops. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { Browser, type SessionEntity, tokenIn } from '../setup/browser.ts';
import { createDatabase, waitFor } from '../setup/database.ts';
import {
  type Confam,
  client,
  embeddedServer,
  killConfams,
  loadFactor,
  processesMentioning,
  readSandbox,
  runConfam,
  startConfam,
  untilReady,
} from '../setup/process.ts';
import { expectToStop, report, STOP_MS, start, useDataDirs } from '../setup/starting.ts';

const FIRST_START_MS = 10_000;
const LATER_START_MS = 3_000;

const dataDir = useDataDirs();

const signInLink = (stdout: string): string => /(http\S+\/console\/sign-in#\S+)/.exec(stdout)![1]!;
const openLink = (port: number, link: string) =>
  new Browser({ url: `http://127.0.0.1:${port}` }).post<SessionEntity>('/api/v1/session/link', { token: tokenIn(link) });

const expectOneLine = (text: string): void => expect(text.trimEnd().split('\n'), text).toHaveLength(1);

const curlLine = (confam: Confam): string => /^ {2}(curl .*)$/m.exec(confam.stdout())![1]!;

describe('confam start', { timeout: 90_000 }, () => {
  const folder = dataDir();
  // What a failed test leaves running would fail those after it.
  afterEach(() => killConfams());

  test('a first start is ready in time, stores its keys in sandbox.json, and prints no secret where nobody may be looking', async () => {
    const { confam, port, ms, load } = await start(folder);
    report('first start', ms, FIRST_START_MS, load);
    const sandbox = readSandbox(folder);
    expect(Object.keys(sandbox).sort()).toEqual(['admin_key', 'app_id', 'base_url', 'live_key', 'test_key', 'webhook_secret']);
    expect(sandbox).toEqual({
      base_url: `http://127.0.0.1:${port}`,
      app_id: expect.stringMatching(/^app_/),
      test_key: expect.stringMatching(/^cf_test_/),
      live_key: expect.stringMatching(/^cf_live_/),
      admin_key: expect.stringMatching(/^cf_admin_/),
      webhook_secret: expect.stringMatching(/^whsec_/),
    });
    for (const file of ['sandbox.json', 'keys.json', 'postgres.json']) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
    const { base_url, app_id, ...secrets } = sandbox;
    for (const value of [base_url, app_id, `Keys: ${folder}/sandbox.json`]) expect(confam.stdout()).toContain(value);
    for (const secret of Object.values(secrets)) expect(confam.stdout() + confam.stderr()).not.toContain(secret);

    const printed = spawnSync('sh', ['-c', curlLine(confam)], { encoding: 'utf8' });
    expect(JSON.parse(printed.stdout)).toMatchObject({ status: 'success', entity: { nin: '70123456789' }, cached: false });

    const link = signInLink(confam.stdout());
    expect(link).toMatch(new RegExp(`^http://localhost:${port}/console/sign-in#`));
    expect((await openLink(port, link)).body.entity).toMatchObject({
      person: { email: 'owner@demo.invalid', name: 'Demo owner' },
      apps: [{ id: sandbox.app_id, role: 'owner' }],
    });
    expect((await openLink(port, link)).status, 'a link works once').toBe(403);

    confam.signal('SIGTERM');
    await expectToStop(confam, folder);
  });

  test('a later start is ready sooner, finds everything again, and shows no key', async () => {
    const known = readSandbox(folder);
    const { confam, port, ms, load } = await start(folder);
    report('second start', ms, LATER_START_MS, load);
    expect(readSandbox(folder)).toEqual({ ...known, base_url: `http://127.0.0.1:${port}` });
    for (const name of ['test_key', 'live_key', 'admin_key', 'webhook_secret'] as const) expect(confam.stdout()).not.toContain(known[name]);
    const { body } = await client(`http://127.0.0.1:${port}`, known.test_key, known.app_id).get('/api/v1/kyc/nin/advance?nin=70123456789');
    expect(body.cached, 'the record that was paid for before the restart').toBe(true);
    const printed = spawnSync('sh', ['-c', curlLine(confam)], { encoding: 'utf8' });
    expect(JSON.parse(printed.stdout).status).toBe('success');

    // Nothing of it connects as the owner of the tables, or could become it.
    const owner = postgres(embeddedServer(folder).url, { max: 1 });
    const logins = await owner`
      select distinct usename as login, pg_has_role(usename, 'confam', 'member') as "isOwner", exists (select from pg_class where relowner = usesysid) as "ownsTables"
      from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
    await owner.end();
    expect([...logins]).toEqual([{ login: 'confam_login', isOwner: false, ownsTables: false }]);

    const printedLink = signInLink(confam.stdout());
    const asked = await runConfam(['people', 'sign-in-link', 'owner@demo.invalid'], { CONFAM_DATA_DIR: folder, PORT: String(port) });
    expect((await openLink(port, printedLink)).status, 'a newer link replaces it').toBe(403);
    expect((await openLink(port, asked.stdout.trim())).status).toBe(200);

    const made = await runConfam(['keys', 'create', 'admin', '--name', 'spare'], { CONFAM_DATA_DIR: folder, PORT: String(port) });
    expect(made.code, made.stderr).toBe(0);
    const { id, key } = JSON.parse(made.stdout);
    const keys = await fetch(`http://127.0.0.1:${port}/api/v1/admin/keys`, { headers: { Authorization: key } });
    expect(keys.status, 'an admin key made beside the running Confam works').toBe(200);
    const shown = await runConfam(['keys', 'list', 'admin', '--json'], { CONFAM_DATA_DIR: folder, PORT: String(port) });
    expect(shown.stdout, shown.stderr).toContain(id);

    const second = await runConfam(['start'], { CONFAM_DATA_DIR: folder, PORT: String(await freePort()) });
    expect(second.code, 'a second Confam on the same folder is refused').toBe(1);
    expect(second.stderr).toContain(folder);
    expectOneLine(second.stderr);

    confam.interrupt();
    await expectToStop(confam, folder);
  });

  test('a taken port is one clear line, and leaves no Postgres running', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await runConfam(['start'], { CONFAM_DATA_DIR: folder, PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^PORT: ${port}`));
    expectOneLine(stderr);
    expect(processesMentioning(folder)).toEqual([]);
  });

  test('keys that are missing or damaged are refused in a line and never made anew, and so is a damaged sandbox.json', async () => {
    const refusalOf = async () => {
      const { code, stderr } = await runConfam(['start'], { CONFAM_DATA_DIR: folder, PORT: String(await freePort()) });
      expect(code).toBe(1);
      expect(processesMentioning(folder)).toEqual([]);
      return stderr;
    };
    const [keys, sandbox] = [join(folder, 'keys.json'), join(folder, 'sandbox.json')];
    const [ours, known] = [readFileSync(keys), readFileSync(sandbox)];
    rmSync(keys);
    expect(await refusalOf()).toBe(
      `${keys} is missing, and the database in this folder cannot be read without it; restore it from a backup. If the folder has never held any data, because its first start did not end, empty it and start again\n`,
    );
    expect(existsSync(keys)).toBe(false);
    for (const damaged of ['{"keys":', '{}']) {
      writeFileSync(keys, damaged, { mode: 0o600 });
      expect(await refusalOf()).toBe(`${keys} is damaged, and the data cannot be read without it; restore it from a backup\n`);
      expect(readFileSync(keys, 'utf8')).toBe(damaged);
    }
    writeFileSync(keys, ours);
    writeFileSync(sandbox, '{}');
    const stderr = await refusalOf();
    expect(stderr).toContain(`${sandbox} is damaged: restore it from a backup, or delete it, and the next start makes another demo app\n`);
    expect(stderr).not.toContain('    at ');
    writeFileSync(sandbox, known);
  });

  test('a broken CONFAM_UPSTREAMS file is refused, naming the path within it', async () => {
    const path = join(folder, 'upstreams.json');
    writeFileSync(path, JSON.stringify({ providers: { vendor: { adapter: 'nonsense' } }, records: { nin: ['vendor'] } }));
    const wrong = await runConfam(['start'], { CONFAM_DATA_DIR: folder, CONFAM_UPSTREAMS: path, PORT: '0' });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('CONFAM_UPSTREAMS: providers.vendor.adapter');
    expectOneLine(wrong.stderr);
    expect(processesMentioning(folder)).toEqual([]);

    writeFileSync(path, '{"providers": ');
    const unreadable = await runConfam(['start'], { CONFAM_DATA_DIR: folder, CONFAM_UPSTREAMS: path, PORT: '0' });
    expect(unreadable.code).toBe(1);
    expect(unreadable.stderr).toContain(path);
    expectOneLine(unreadable.stderr);
  });

  test('a nonsensical setting is refused by name, before anything is touched', async () => {
    const untouched = dataDir();
    for (const [name, value] of [
      ['PORT', 'eighty'],
      ['DATABASE_URL', 'not a url'],
      ['CONFAM_UPSTREAMS', '/nonexistent'],
      ['CONFAM_LISTS', '/nonexistent'],
      ['CONFAM_EMAIL_LISTS', '/dev/null'],
      ['CONFAM_BREACHED_PASSWORDS', '/'],
      ['CONFAM_ERASURE_JOURNAL', '/nonexistent/erasures.jsonl'],
    ] as const) {
      const { code, stderr } = await runConfam(['start'], { CONFAM_DATA_DIR: untouched, [name]: value });
      expect(code, name).toBe(1);
      expect(stderr).toMatch(new RegExp(`^${name}: `));
      expectOneLine(stderr);
    }
    expect(() => readdirSync(untouched)).toThrow('ENOENT');
  });

  test('a second signal ends it at once, even while it drains', async () => {
    const { confam, port } = await start(folder, { CONFAM_SANDBOX_LATENCY_MS: '9000' });
    const { test_key, app_id } = readSandbox(folder);
    const call = client(`http://127.0.0.1:${port}`, test_key, app_id)
      .get('/api/v1/kyc/nin/advance?nin=44444444444')
      .catch(() => null);
    const sql = postgres(embeddedServer(folder).url, { max: 1 });
    await waitFor('the call', async () => (await sql`select 1 from holds where released_at is null`).length > 0);
    await sql.end();
    confam.signal('SIGTERM');
    await waitFor('the drain', () => confam.stdout().includes('Stopping: running work is finished'));
    expect(confam.isRunning(), 'waits for the call').toBe(true);
    confam.interrupt();
    const { code } = await confam.ended(2_000 * loadFactor());
    expect(code).toBe(130);
    await call;
    await waitFor('Postgres to end', () => processesMentioning(folder).length === 0);
  });

  test('npm, which passes no SIGTERM on, leaves nothing behind when it ends', async () => {
    const port = await freePort();
    const { PATH, HOME } = process.env;
    const npm = spawn('npm', ['start'], {
      cwd: packageRoot(),
      env: { PATH, HOME, CONFAM_DATA_DIR: folder, PORT: String(port) },
      detached: true,
      stdio: 'ignore',
    });
    const isAnswering = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      await waitFor('the start', isAnswering, 30_000 * loadFactor());
      npm.kill('SIGTERM');
      await waitFor('Postgres to end', () => processesMentioning(folder).length === 0, STOP_MS * loadFactor());
      expect(await isAnswering()).toBe(false);
    } finally {
      if (processesMentioning(folder).length > 0) process.kill(-npm.pid!, 'SIGKILL');
    }
  });
});

describe('the operator commands', () => {
  test('end in a sentence when nobody reads their output', () => {
    const { stderr } = spawnSync('sh', ['-c', `"${process.execPath}" --import tsx src/cli.ts doctor | :`], {
      cwd: packageRoot(),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, CONFAM_DATA_DIR: dataDir() },
    });
    expect(stderr).toMatch(/^The output ends here: .*broken pipe/);
    expectOneLine(stderr);
  });

  test('refuse a folder without a database, and make nothing in it', async () => {
    const empty = dataDir();
    const none = { code: 1, stdout: '', stderr: `there is no database in ${empty}; set CONFAM_DATA_DIR (or DATABASE_URL)\n` };
    for (const command of [
      `backup ${empty}.tar.gz`,
      'audit verify',
      `audit export --file ${empty}.jsonl`,
      'wallet verify',
      'keys rotate',
      'keys index',
      'keys create admin',
      'keys list admin',
      'retention plan',
      'people list',
      'people invite ops@bank.test --administrator',
      'apps create Kudi',
      'lists status',
      `erasures repeat ${empty}.jsonl`,
    ])
      expect(await runConfam(command.split(' '), { CONFAM_DATA_DIR: empty }), command).toEqual(none);
    expect(() => readdirSync(empty)).toThrow('ENOENT');
    // What a start that was killed early leaves behind.
    mkdirSync(empty);
    writeFileSync(join(empty, 'postgres.json'), JSON.stringify({ id: 'a', password: 'b' }));
    expect(await runConfam(['wallet', 'verify'], { CONFAM_DATA_DIR: empty })).toEqual(none);
    expect(readdirSync(empty)).not.toContain('keys.json');
  });

  test('make keys, apps and money that the API accepts', async () => {
    const database = await createDatabase();
    try {
      const generated = await runConfam(['keys', 'generate']);
      expect(generated.code).toBe(0);
      const secrets = Object.fromEntries(
        generated.stdout
          .trim()
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      expect(Object.keys(secrets)).toEqual(['CONFAM_KEYS', 'CONFAM_INDEX_KEY']);
      const environment = { ...database.environment, ...secrets };
      const run = async (...args: string[]) => {
        const { code, stdout, stderr } = await runConfam(args, environment);
        expect(code, stderr).toBe(0);
        return JSON.parse(stdout);
      };
      const app = await run('apps', 'create', 'Kudi Ltd');
      expect(app).toEqual({ id: expect.stringMatching(/^app_/), webhook_secret: expect.stringMatching(/^whsec_/) });
      expect(await run('apps', 'topup', app.id, '1000.50', '--test')).toEqual({ available: 1000.5 });
      expect(await run('apps', 'topup', app.id, '20')).toEqual({ available: 20 });
      const testKey = await run('keys', 'create', 'test', '--app', app.id);
      const liveKey = await run('keys', 'create', 'live', '--app', app.id);
      expect((await run('keys', 'create', 'admin')).key).toMatch(/^cf_admin_/);

      for (const [args, message] of [
        [['apps', 'topup', app.id, 'lots'], 'amount'],
        [['apps', 'topup', app.id, '0x10'], 'amount'],
        [['apps', 'create', ''], 'name'],
        [['apps', 'topup', 'app_nonsense', '5'], 'app'],
        [['keys', 'create', 'root'], 'kind'],
        [['keys', 'create', 'test'], 'app'],
        [['worker', '--families', 'nin,astrology'], 'astrology'],
      ] as const) {
        const refused = await runConfam([...args], environment);
        expect(refused.code, args.join(' ')).toBe(2);
        expect(refused.stderr).toContain(message);
        expectOneLine(refused.stderr);
      }
      const { DATABASE_URL: _, ...without } = environment;
      const refused = await runConfam(['api'], without);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('DATABASE_URL') });

      const port = await freePort();
      const api = startConfam(['api'], { ...environment, PORT: String(port) });
      await untilReady(api, port);
      for (const [key, available] of [
        [testKey.key, 1000.5],
        [liveKey.key, 20],
      ]) {
        const { body } = await client(`http://127.0.0.1:${port}`, key, app.id).get('/api/v1/wallet');
        expect(body.entity).toMatchObject({ currency: 'NGX', available, held: 0 });
      }
      api.signal('SIGTERM');
      expect((await api.ended()).code).toBe(0);
    } finally {
      await database.drop();
    }
  }, 120_000);

  test('migrate brings an empty database up to date, even repeatedly and concurrently', async () => {
    const database = await createDatabase();
    try {
      const runs = await Promise.all([1, 2, 3].map(() => runConfam(['migrate'], database.environment)));
      expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: '' }));
      const owner = new URL(database.url);
      owner.password = 'not-the-password';
      expect(await runConfam(['migrate'], { ...database.environment, DATABASE_OWNER_URL: owner.toString() })).toMatchObject({
        code: 1,
        stderr: 'DATABASE_OWNER_URL: the database rejects the user or the password (28P01)\n',
      });
      for (const [name, message] of [
        ['CONFAM_KEYS', 'CONFAM_KEYS: expected id:base64 pairs'],
        ['CONFAM_INDEX_KEY', 'CONFAM_INDEX_KEY: expected base64 of 32 bytes'],
      ] as const) {
        const { code, stderr } = await runConfam(['migrate'], { ...database.environment, [name]: '1:short' });
        expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
        expectOneLine(stderr);
      }
    } finally {
      await database.drop();
    }
  }, 60_000);
});
