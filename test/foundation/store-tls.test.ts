/** TLS to Postgres and Redis. The tests start servers of their own, which admit only clients with a certificate from the test authority. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseTrouble, isRejected } from '../../src/cli/database-trouble.ts';
import { checkRedis } from '../../src/doctor/stores.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/embedded.ts';
import { type Config, readConfig } from '../../src/foundation/config.ts';
import { findWall, migrateDatabase, openDeployed } from '../../src/foundation/context.ts';
import { isDatabaseFault } from '../../src/foundation/database-faults.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { openLog } from '../../src/foundation/log.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { openQueueBackend } from '../../src/foundation/queue.ts';
import { splitTls } from '../../src/foundation/store-tls.ts';
import { databaseAt, waitFor } from '../setup/database.ts';

const fixture = (name: string): string => join(packageRoot(), 'test', 'fixtures', 'tls', name);
const CA = fixture('ca.pem');
const OWN = { cert: fixture('client.pem'), key: fixture('client.key') };

const folder = mkdtempSync(join(tmpdir(), 'confam-store-tls-'));
// The embedded Postgres may run as another user.
chmodSync(folder, 0o711);
afterAll(() => rmSync(folder, { recursive: true }));
const log = openLog('silent');

/** The one thing that a queue is for. */
async function passesWork(config: Config, databaseUrl: string): Promise<void> {
  const backend = openQueueBackend(config, databaseUrl, log);
  const queue = backend.queue('tls-work');
  const done: string[] = [];
  const worker = backend.worker('tls-work', 1, async (id) => void done.push(id));
  try {
    await queue.add([{ id: 'one', priority: 1 }]);
    await waitFor('the work', () => done.includes('one'));
    const seen = backend.see(['tls-work']);
    expect(await seen.queues[0]!.getFailedCount()).toBe(0);
    await seen.close();
  } finally {
    await worker.close();
    await queue.close();
  }
}

describe('Postgres', () => {
  let server: EmbeddedPostgres;
  const addressOf = (user: string | null, parameters: Record<string, string>): string => {
    const url = new URL(server.url);
    if (user !== null) [url.username, url.password] = [user, ''];
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.toString();
  };
  const verified = { sslmode: 'verify-full', sslrootcert: CA };
  const certified = { ...verified, sslcert: OWN.cert, sslkey: OWN.key };

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    /** As the server's own user, who must own a key. */
    const put = async (path: string, lines: string[]) => {
      const values = lines.map((line) => `('${line.replaceAll("'", "''")}')`).join();
      await sql.unsafe(`copy (values ${values}) to program 'umask 077; cat > ${path}'`);
    };
    const linesOf = (name: string) => readFileSync(fixture(name), 'utf8').trim().split('\n');
    const [{ hba_file: hba, data_directory: home }] = (await sql.unsafe(
      "select current_setting('hba_file') as hba_file, current_setting('data_directory') as data_directory",
    )) as unknown as [{ hba_file: string; data_directory: string }];
    for (const [to, from] of Object.entries({ 'server.crt': 'server.pem', 'server.key': 'server.key', 'root.crt': 'ca.pem' }))
      await put(`${home}/${to}`, linesOf(from));
    // The name in the certificate is the user; there is no other way in for that user.
    const rules = ['hostssl all client 127.0.0.1/32 cert', 'host all client all reject'];
    const others = await sql.unsafe<{ line: string }[]>(`select regexp_split_to_table(pg_read_file('${hba}'), '\\n') as line`);
    await put(hba, [...rules, ...others.map(({ line }) => line)]);
    for (const [name, value] of Object.entries({
      ssl: 'on',
      ssl_cert_file: 'server.crt',
      ssl_key_file: 'server.key',
      ssl_ca_file: 'root.crt',
    }))
      await sql.unsafe(`alter system set ${name} = '${value}'`);
    await sql`select pg_reload_conf()`;
    await sql.end();
    await waitFor('TLS', async () => {
      const secure = postgres(server.url, { max: 1, ssl: 'require' });
      return secure`select 1`
        .then(
          () => true,
          () => false,
        )
        .finally(() => secure.end());
    });
  });
  afterAll(() => server.stop());

  const usedBy = async (address: string) => {
    const { address: url, ssl } = splitTls(address);
    const sql = postgres(url, { max: 1, ssl });
    try {
      return await sql`select usename as user, ssl, client_dn as shown from pg_stat_ssl join pg_stat_activity using (pid) where pid = pg_backend_pid()`;
    } finally {
      await sql.end();
    }
  };

  test('lets the service in by its certificate, without a password; the migration creates that user', async () => {
    const url = addressOf('client', certified);
    const { environment } = databaseAt(url, { DATABASE_OWNER_URL: addressOf(null, verified), CONFAM_REQUIRE_TLS: 'true' });
    const config = readConfig(environment);
    expect(await migrateDatabase(config, config.DATABASE_OWNER_URL!, url)).toBeNull();
    expect(await usedBy(url)).toEqual([{ user: 'client', ssl: true, shown: '/CN=client' }]);
    const ctx = await openDeployed(config, url, { process: 'api' });
    try {
      const [who] = await ctx.sql`select session_user::text as session, current_user::text as current`;
      expect(who).toEqual({ session: 'client', current: 'confam_service' });
      expect(await ctx.tenant('00000000-0000-4000-8000-000000000000').sql`select id from batches`).toEqual([]);
    } finally {
      await ctx.close();
    }
    await passesWork(config, url);
  });

  test.each([
    ['an authority that did not issue its certificate', { ...certified, sslrootcert: OWN.cert }, /certificate/],
    ['the public authorities', { ...certified, sslrootcert: 'system' }, /certificate/],
    ['no certificate of ours', verified, /certificate/],
    ['no TLS', {}, /reject/],
  ])('is refused, or refuses us, with %s', async (_, parameters, reason) => {
    const url = addressOf('client', parameters);
    await expect(usedBy(url)).rejects.toThrow(reason);
    const refusal = await findWall(url).catch((error: unknown) => error);
    expect([isRejected(refusal), isDatabaseFault(refusal)]).toEqual([true, true]);
  });

  test('is known by its address, not by "localhost"', async () => {
    const elsewhere = new URL(addressOf('client', certified));
    elsewhere.hostname = 'localhost';
    await expect(usedBy(elsewhere.toString())).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  test('takes a renewed certificate with the next connection, and keeps the old one while the new one cannot be used', async () => {
    const cert = join(folder, 'renewed.pem');
    copyFileSync(OWN.cert, cert);
    const { address, ssl } = splitTls(addressOf('client', { ...certified, sslcert: cert }));
    const connects = async () => {
      const sql = postgres(address, { max: 1, ssl });
      return sql`select 1 as one`.finally(() => sql.end());
    };
    const first = ssl!.secureContext;
    expect(await connects()).toEqual([{ one: 1 }]);
    writeFileSync(cert, 'half a cert');
    expect(await connects()).toEqual([{ one: 1 }]);
    expect(ssl!.secureContext).toBe(first);
    copyFileSync(OWN.cert, cert);
    expect(ssl!.secureContext).not.toBe(first);
    expect(await connects()).toEqual([{ one: 1 }]);
  });
});

test.each(['require', 'verify-full'])('a Postgres without TLS says so to sslmode=%s, and nobody waits for it', async (sslmode) => {
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'plain') });
  try {
    const refusal = await findWall(`${server.url}?sslmode=${sslmode}`).catch((error: unknown) => error);
    expect([isRejected(refusal), isDatabaseFault(refusal)]).toEqual([true, true]);
    expect(databaseTrouble(refusal, { DATABASE_URL: 'somewhere' })).toMatch(/^DATABASE_URL: the database offers no TLS/);
  } finally {
    await server.stop();
  }
});

const hasTls = spawnSync('redis-server', ['--version']).status === 0;
if (!hasTls) console.log('redis-server is not installed: TLS to Redis was not tested');

describe.skipIf(!hasTls)('Redis', () => {
  let server: ChildProcess;
  let port: number;
  const files = { CONFAM_REDIS_CA: CA, CONFAM_REDIS_CERT: OWN.cert, CONFAM_REDIS_KEY: OWN.key };
  const configOf = (settings: Record<string, string>) =>
    readConfig({ DATABASE_URL: 'postgres://confam@127.0.0.1/confam', REDIS_URL: `rediss://127.0.0.1:${port}`, ...settings });

  beforeAll(async () => {
    port = await freePort();
    const tls = { cert: fixture('server.pem'), key: fixture('server.key'), 'ca-cert': CA };
    const options = Object.entries(tls).flatMap(([name, path]) => [`--tls-${name}-file`, path]);
    server = spawn(
      'redis-server',
      ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...options],
      {
        stdio: 'ignore',
      },
    );
    await waitFor('Redis', async () => (await checkRedis(configOf(files))).state !== 'broken');
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
  });

  test('passes work to whoever shows a certificate', () => passesWork(configOf(files), ''));

  test.each([
    ['no certificate of ours', { CONFAM_REDIS_CA: CA }],
    ['an authority that did not issue its certificate', { ...files, CONFAM_REDIS_CA: OWN.cert }],
    ['the public authorities', {}],
  ])('is refused, or refuses us, with %s', async (_, settings) => {
    expect((await checkRedis(configOf(settings))).state).toBe('broken');
  });
});

describe('files', () => {
  const POSTGRES = 'postgres://confam@db.example.com/confam?sslmode=verify-full';
  const missing = join(folder, 'missing.pem');

  test.each([
    [`${POSTGRES}&sslrootcert=${missing}`, 'DATABASE_URL: sslrootcert: the file cannot be read (ENOENT)'],
    [`${POSTGRES}&sslrootcert=${OWN.key}`, 'DATABASE_URL: sslrootcert: the file does not hold a certificate in PEM'],
    [
      `${POSTGRES}&sslcert=${OWN.cert}&sslkey=${CA}`,
      'DATABASE_URL: sslkey: the file does not hold a private key in PEM without a passphrase',
    ],
    [
      `${POSTGRES}&sslcert=${OWN.cert}&sslkey=${fixture('server.key')}`,
      'DATABASE_URL: sslkey: is not the key of the certificate in DATABASE_URL: sslcert',
    ],
  ])('that cannot be used are named: %s', (address, message) => {
    expect(() => splitTls(address)).toThrow(message);
  });

  test.each([
    [{ DATABASE_URL: 'postgres://db/confam?sslrootcert=ca.pem' }, 'DATABASE_URL: sslrootcert needs sslmode=verify-full'],
    [
      { DATABASE_OWNER_URL: 'postgres://db/confam?sslmode=require&sslcert=c&sslkey=k' },
      'DATABASE_OWNER_URL: sslcert needs sslmode=verify-full',
    ],
    [{ DATABASE_URL: `${POSTGRES}&sslcert=c.pem` }, 'DATABASE_URL: sslcert and sslkey: one needs the other'],
    [{ CONFAM_REDIS_CA: 'ca.pem' }, 'CONFAM_REDIS_CA: needs a REDIS_URL that begins with rediss://'],
    [{ REDIS_URL: 'redis://queue', CONFAM_REDIS_CERT: 'c.pem' }, 'CONFAM_REDIS_CERT: needs a REDIS_URL that begins with rediss://'],
    [{ REDIS_URL: 'rediss://queue', CONFAM_REDIS_KEY: 'c.key' }, 'CONFAM_REDIS_CERT and CONFAM_REDIS_KEY: one needs the other'],
  ])('that would not be used are refused: %j', (settings, message) => {
    expect(() => readConfig(settings)).toThrow(message);
  });
});
