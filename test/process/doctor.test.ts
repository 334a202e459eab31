/** `confam doctor` as an operator runs it: its report on a sound deployment and on each fault, without telling a secret. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { defaultFolder, defaultManifestPath } from '../../src/engines/face/models.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { modelsAreHere } from '../engines/face/faces.ts';
import { useDatabase } from '../setup/database.ts';
import { killConfams, makeDataDir, runConfam, startEmbedded } from '../setup/process.ts';

// Each test starts one to three processes.
vi.setConfig({ testTimeout: 90_000 });

const ADMIN_KEY = newSecretKey();

const tlsFile = (name: string): string => join(packageRoot(), 'test', 'fixtures', 'tls', name);
const folder = mkdtempSync(join(tmpdir(), 'confam-doctor-'));
let sound: Record<string, string>;

async function doctor(environment: Record<string, string>) {
  const { code, stdout, stderr } = await runConfam(['doctor'], environment);
  const line = (subject: string): string | undefined => stdout.split('\n').find((text) => text.slice(8).startsWith(`${subject} `));
  return { code, stdout, stderr, line };
}

afterAll(async () => {
  await killConfams();
  rmSync(folder, { recursive: true });
});

// Without them it would fetch them: 41 MB, or an error where there is no registry.
describe.skipIf(!modelsAreHere)(`confam doctor${modelsAreHere ? '' : ' (SKIPPED: no face models, see `npm run models`)'}`, () => {
  const database = useDatabase(inject('redisUrl') ? 'redis' : 'postgres');
  beforeAll(async () => {
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    sound = { ...database.environment, CONFAM_DATA_DIR: join(folder, 'data'), PORT: String(await freePort()) };
  });

  test('a sound deployment is reported sound, line by line, and no secret is shown', async () => {
    const { code, stdout, stderr, line } = await doctor({ ...sound, CONFAM_ADMIN_KEY: ADMIN_KEY });
    expect([code, stderr]).toEqual([0, '']);
    expect(line('node')).toBe(`ok      node                    ${process.versions.node}`);
    expect(line('configuration')).toMatch(/^ok .*CONFAM_ADMIN_KEY, .*CONFAM_KEYS, .*DATABASE_URL/);
    expect(line('keys')).toMatch(/^ok .*from the environment/);
    expect(line('erasure journal')).toMatch(/^note .*CONFAM_ERASURE_JOURNAL is not set: a restored backup would bring erased people back/);
    expect(line('data folder')).toMatch(/^ok .*is writable; \d+ GB free/);
    expect(line('database')).toMatch(/^ok .*Postgres 18.* at 127\.0\.0\.1:\d+\/test_\w+: all \d+ migrations are applied/);
    expect(line('connections')).toMatch(/^ok .*397 allowed; one API, one worker of all families and one dispatcher open up to \d+/);
    // The user of tests owns everything.
    expect(line('second wall')).toMatch(/^note .*every table has its policies, but \w+ is a superuser: set DATABASE_OWNER_URL/);
    expect(line('watch lists')).toMatch(/^note .*ofac_sdn, un_sc not loaded: live screenings answer 503/);
    expect(line('queue')).toMatch(inject('redisUrl') ? /^ok .*Redis \d/ : /^ok .*on Postgres/);
    expect(line('port')).toMatch(/^ok .*is free/);
    expect(line('upstreams')).toMatch(/^note .*CONFAM_UPSTREAMS is not set/);
    expect(line('face models')).toMatch(/^ok .*faceplugin-0\.0\.1 in .*4 nets, checksums correct, opened/);
    expect(line('face licence')).toMatch(/^note .*training data: not disclosed/);
    expect(stdout.trimEnd().endsWith('nothing is broken')).toBe(true);
    const { password } = new URL(database.url);
    for (const secret of [password, sound.CONFAM_KEYS!.slice(2), sound.CONFAM_INDEX_KEY!, ADMIN_KEY]) expect(stdout).not.toContain(secret);
  });

  test('fewer connections than the processes may open are noted, whatever limits them', async () => {
    const { REDIS_URL: _, ...onPostgres } = sound;
    const owner = postgres(database.url, { max: 1 });
    const limit = (connections: number) =>
      owner`alter database ${owner(new URL(database.url).pathname.slice(1))} connection limit ${owner.unsafe(String(connections))}`;
    try {
      await limit(131);
      expect((await doctor(onPostgres)).line('connections')).toMatch(
        /^note .*131 allowed; .* open up to 132: raise the CONNECTION LIMIT of the database or the user, or start workers with fewer --families$/,
      );
      await limit(132);
      expect((await doctor(onPostgres)).line('connections')).toMatch(/^ok .*132 allowed; .* open up to 132$/);
    } finally {
      await limit(-1);
      await owner.end();
    }
  });

  test('an invalid variable is named, and checks that depend on it are skipped', async () => {
    const { code, line, stdout } = await doctor({ ...sound, PORT: 'eighty', CONFAM_CHUNK_MAX: '0' });
    expect(code).toBe(1);
    expect(line('configuration')).toMatch(/^BROKEN .*PORT: .*; CONFAM_CHUNK_MAX: /);
    expect(line('database')).toBeUndefined();
    expect(line('face models')).toBeUndefined();
    expect(stdout).toContain('broken: 1');
  });

  test('--json prints the same findings as one document, and exits alike', async () => {
    const { code, stdout } = await runConfam(['doctor', '--json'], { ...sound, PORT: 'x' });
    const findings = JSON.parse(stdout) as { subject: string; state: string; says: string }[];
    expect([code, findings.map(({ subject, state }) => [subject, state])]).toEqual([
      1,
      [
        ['node', 'ok'],
        ['configuration', 'broken'],
      ],
    ]);
  });

  test('an unknown variable is noted', async () => {
    const { code, line } = await doctor({ ...sound, CONFAM_CHUNKMAX: '9' });
    expect(code).toBe(0);
    expect(line('configuration')).toMatch(/^note .*not variables of Confam: CONFAM_CHUNKMAX \(did you mean CONFAM_CHUNK_MAX\?\)$/);
  });

  test('unreachable stores, missing keys and a taken port are reported', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const nobody = await freePort();
    const { code, stdout, line } = await doctor({
      CONFAM_DATA_DIR: sound.CONFAM_DATA_DIR!,
      PORT: String(port),
      DATABASE_URL: `postgres://someone:db-secret@127.0.0.1:${nobody}/confam`,
      REDIS_URL: `redis://:redis-secret@127.0.0.1:${nobody}`,
    });
    taken.close();
    expect(code).toBe(1);
    expect(line('keys')).toMatch(/^BROKEN .*CONFAM_KEYS and CONFAM_INDEX_KEY are required/);
    expect(line('database')).toMatch(/^BROKEN .*cannot be reached \(ECONNREFUSED\)/);
    expect(line('queue')).toMatch(/^BROKEN .*cannot be used \(ECONNREFUSED\)/);
    expect(line('port')).toMatch(/^BROKEN .*is taken by another program/);
    expect(stdout).not.toMatch(/db-secret|redis-secret/);
    expect(stdout).toContain('broken: 4');
  });

  test('an identity provider with TLS is sound, and the secret of its client is not shown', async () => {
    const server = createHttpsServer(
      { cert: readFileSync(tlsFile('server.pem')), key: readFileSync(tlsFile('server.key')) },
      (_, response) => {
        const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
        const document = { issuer, ...endpoints };
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(document));
      },
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = {
      ...sound,
      CONFAM_PUBLIC_URL: 'https://console.bank.test',
      CONFAM_OIDC_ISSUER: issuer,
      CONFAM_OIDC_CLIENT_ID: 'confam',
      CONFAM_OIDC_CLIENT_SECRET: 'oidc-secret',
    };
    const trusted = await doctor({ ...environment, NODE_EXTRA_CA_CERTS: tlsFile('ca.pem') });
    const untrusted = await doctor(environment);
    server.close();
    expect([trusted.code, trusted.line('identity provider')]).toEqual([0, `ok      identity provider       ${issuer} answers`]);
    expect(untrusted.code).toBe(1);
    expect(untrusted.line('identity provider')).toMatch(/^BROKEN .* cannot be reached \([A-Z_]+\)/);
    for (const { stdout, stderr } of [trusted, untrusted]) expect(stdout + stderr).not.toContain('oidc-secret');
  });

  test('a database without the migrations is reported', async () => {
    const admin = postgres(inject('adminUrl'), { max: 1 });
    await admin.unsafe('create database doctor_empty');
    const url = new URL(inject('adminUrl'));
    url.pathname = '/doctor_empty';
    const { code, line } = await doctor({ ...sound, DATABASE_URL: url.toString() });
    await admin.unsafe('drop database doctor_empty with (force)');
    await admin.end();
    expect(code).toBe(1);
    expect(line('database')).toMatch(/^BROKEN .*(\d+) of \1 migrations are missing; run `confam migrate`/);
  });

  test('a database of a newer release, which a start refuses, is broken', async () => {
    const sql = postgres(database.url, { max: 1 });
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of a later release', 32503680000000)`;
    try {
      const { code, line } = await doctor(sound);
      expect([code, line('database')]).toEqual([
        1,
        expect.stringMatching(/^BROKEN .*The database is from a newer release of Confam: .* Start the newer release/),
      ]);
    } finally {
      await sql`delete from drizzle.__drizzle_migrations where hash = 'of a later release'`;
      await sql.end();
    }
  });

  test('a wall with a gap is reported, and mended by the next migration', async () => {
    const sql = postgres(database.url, { max: 1 });
    const login = new URL(database.url);
    Object.assign(login, { username: `login_${randomBytes(4).toString('hex')}`, password: 'secret' });
    const migrate = () => runConfam(['migrate'], { ...sound, DATABASE_OWNER_URL: database.url, DATABASE_URL: login.toString() });
    try {
      await sql.unsafe(`
        drop policy confam_own on batches; drop policy confam_all on batches; alter table jobs no force row level security;
        grant select on sessions to confam_tenant; create table public.notes (id int); grant execute on function audit_create_partitions() to confam_tenant`);
      const { code, line } = await doctor(sound);
      expect(code).toBe(1);
      expect(line('second wall')).toMatch(
        /^BROKEN .*batches has no policy, jobs does not force row-level security, sessions has other privileges, audit_create_partitions\(\) may be called by others, notes is not a table of Confam; run `confam migrate`$/,
      );
      await sql`drop table public.notes`;
      expect(await migrate()).toMatchObject({ code: 0, stderr: '' });
      // As a user of its own, nothing is left to say.
      expect((await doctor({ ...sound, DATABASE_URL: login.toString() })).line('second wall')).toMatch(/^ok .*processes own nothing/);
    } finally {
      await sql.unsafe(`drop table if exists public.notes; drop role if exists "${login.username}"`);
      await sql.end();
    }
  });

  test('a required list that is too old is reported', async () => {
    const path = join(folder, 'people.jsonl');
    writeFileSync(path, `${JSON.stringify({ id: '1', name: 'Amina Bello' })}\n`);
    const lists = join(folder, 'lists.json');
    writeFileSync(lists, JSON.stringify({ lists: { house: { category: 'sanction', required: true, max_age_days: 7 } } }));
    const environment = { ...sound, CONFAM_LISTS: lists };
    expect(await runConfam(['lists', 'import', 'house', path], environment)).toMatchObject({ code: 0 });
    expect((await doctor(environment)).line('list house')).toMatch(/^ok .*1 entries, checked \d min ago/);
    const sql = postgres(database.url, { max: 1 });
    await sql`update aml_lists set checked_at = now() - interval '8 days' where list = 'house'`;
    await sql.end();
    const { code, line } = await doctor(environment);
    expect([code, line('list house')]).toEqual([1, expect.stringMatching(/^BROKEN .*checked 8 d ago: older than its limit of 7 days/)]);
  });

  test('files that are wrong, or open to others, are reported', async () => {
    const data = join(folder, 'open');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(data, 'sandbox.json'), '{}');
    chmodSync(join(data, 'sandbox.json'), 0o644);
    const upstreams = join(folder, 'upstreams.json');
    writeFileSync(upstreams, '{"providers": 3}');
    const { code, line } = await doctor({ ...sound, CONFAM_DATA_DIR: data, CONFAM_UPSTREAMS: upstreams, CONFAM_LISTS: upstreams });
    expect(code).toBe(1);
    expect(line('data folder')).toMatch(/^BROKEN .*readable by other users: .*sandbox\.json; run chmod 600/);
    expect(line('upstreams')).toMatch(/^BROKEN .*CONFAM_UPSTREAMS/);
    expect(line('watch lists')).toMatch(/^BROKEN .*CONFAM_LISTS/);
  });

  test('the operator’s own model set is checked, sound and altered', async () => {
    const own = join(folder, 'models');
    cpSync(defaultFolder(), own, { recursive: true });
    cpSync(defaultManifestPath(), join(own, 'manifest.json'));
    expect((await doctor({ ...sound, CONFAM_FACE_MODELS: own })).line('face models')).toMatch(/^ok .*\/models: 4 nets/);
    writeFileSync(join(own, 'fr_detect.onnx'), 'no net');
    const { code, line } = await doctor({ ...sound, CONFAM_FACE_MODELS: own });
    expect([code, line('face models')]).toEqual([1, expect.stringMatching(/^BROKEN .*fr_detect\.onnx is not the file of the manifest/)]);
  });

  test('an embedded database that is not running is started for the check; none is created', async () => {
    const { path, remove } = makeDataDir();
    const environment = { CONFAM_DATA_DIR: path, PORT: '0' };
    const before = await doctor(environment);
    expect([before.code, before.line('database')]).toEqual([
      0,
      expect.stringMatching(/^ok .*none yet; the first start creates an embedded Postgres/),
    ]);
    expect(before.line('data folder')).toMatch(/will be created when needed/);
    const { confam } = await startEmbedded(path);
    confam.interrupt();
    await confam.ended();
    const after = await doctor(environment);
    expect([after.code, after.line('database')]).toEqual([0, expect.stringMatching(/^ok .*Postgres 18.*, embedded: all \d+ migrations/)]);
    expect(after.line('keys')).toMatch(/^ok .*keys\.json$/);

    const keys = join(path, 'keys.json');
    chmodSync(keys, 0o666);
    const mended = await doctor(environment);
    expect([mended.code, mended.line('data folder'), mended.line('keys')]).toEqual([
      0,
      expect.stringMatching(/^ok /),
      expect.stringMatching(/^note .*keys\.json was readable by other users; its mode is restored: treat the keys as read$/),
    ]);
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    expect((await doctor(environment)).line('keys')).toMatch(/^ok /);

    rmSync(keys);
    const keyless = await doctor(environment);
    expect([keyless.code, keyless.line('keys')]).toEqual([1, expect.stringMatching(/^BROKEN .*keys\.json is missing, and the database/)]);
    expect(existsSync(keys), 'keys made by the doctor').toBe(false);
    remove();
  });
});
