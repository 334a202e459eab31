/** Guessed keys, metrics requested by strangers, and answers that no cache may keep. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/foundation/config.ts';
import { newApiKey, newSecretKey } from '../../src/foundation/crypto.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { openClient, type TestApp, useApi } from '../setup/api.ts';

const FREE_FAILURES = 20;
const METRICS_TOKEN = newSecretKey();

let app: TestApp;
let operationsPort: number;
const api = useApi(async () => {
  operationsPort = await freePort();
  return {
    CONFAM_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
    CONFAM_METRICS_TOKEN: METRICS_TOKEN,
    CONFAM_OPERATIONS_PORT: String(operationsPort),
  };
});
beforeAll(async () => {
  app = await api.createApp();
});

const from = (address: string) => ({ 'X-Forwarded-For': address });
const wallet = (key: string, address: string) => openClient(api.url, app.app, key).get('/api/v1/wallet', from(address));
const failuresCounted = async (reason: string): Promise<number> => {
  const { text } = await api.admin.get('/metrics');
  return Number(new RegExp(`^confam_failed_sign_ins_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
};

/** Fails until the address has to wait. */
async function exhaust(address: string): Promise<void> {
  for (let failures = 0; failures < FREE_FAILURES; failures++) expect((await wallet(newApiKey('test'), address)).status).toBe(401);
}

describe('an address whose sign-ins fail', () => {
  test('has to wait, whatever it sends next, is told for how long, and is counted', async () => {
    const [wrong, heldOff] = [await failuresCounted('wrong_key'), await failuresCounted('held_off')];
    await exhaust('192.0.2.1');
    const another = await api.createApp();
    for (const key of [newApiKey('live'), 'no key at all', another.key]) {
      const refused = await wallet(key, '192.0.2.1');
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const admin = openClient(api.url, '', newApiKey('admin'));
    expect((await admin.post('/api/v1/admin/apps', { name: 'x' }, from('192.0.2.1'))).status).toBe(429);
    expect((await admin.get('/metrics', from('192.0.2.1'))).status).toBe(429);
    expect(await failuresCounted('wrong_key')).toBe(wrong + FREE_FAILURES);
    expect(await failuresCounted('held_off')).toBe(heldOff + 5);
  });

  test('waits twice as long after each further failure, and may try again when the time is over', async () => {
    await exhaust('192.0.2.2');
    const waits: number[] = [];
    for (let failure = 0; failure < 3; failure++) {
      const refused = await wallet(newApiKey('test'), '192.0.2.2');
      const seconds = Number(refused.headers.get('retry-after'));
      waits.push(seconds);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      expect((await wallet(newApiKey('test'), '192.0.2.2')).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4]);
  });

  test('does not lock out keys that have signed in before, nor other addresses', async () => {
    expect((await wallet(app.key, '192.0.2.3')).status).toBe(200);
    await exhaust('192.0.2.3');
    expect((await wallet(app.key, '192.0.2.3')).status).toBe(200);
    expect((await wallet(newApiKey('test'), '192.0.2.4')).status).toBe(401);
  });

  test('counts as one network in IPv6, and is the one that the last trusted proxy has seen', async () => {
    for (let host = 0; host < FREE_FAILURES; host++) await wallet(newApiKey('test'), `2001:db8:1:2::${host + 1}`);
    expect((await wallet(newApiKey('test'), '2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await wallet(newApiKey('test'), '2001:db8:1:3::1')).status).toBe(401);
    await exhaust('198.51.100.77, 192.0.2.5, 10.1.2.3');
    expect((await wallet(newApiKey('test'), '198.51.100.78, 192.0.2.5')).status).toBe(429);
    expect((await wallet(newApiKey('test'), '198.51.100.77')).status).toBe(401);
  });

  test("also fails with another app's AppId", async () => {
    const client = openClient(api.url, `app_${'0'.repeat(32)}`, app.key);
    const before = await failuresCounted('wrong_app');
    expect((await client.get('/api/v1/wallet', from('192.0.2.6'))).status).toBe(401);
    expect(await failuresCounted('wrong_app')).toBe(before + 1);
  });
});

describe('metrics', () => {
  test("on the API's port are for an admin key or the token, and for no app", async () => {
    expect((await fetch(`${api.url}/metrics`)).status).toBe(401);
    expect((await app.get('/metrics')).status).toBe(403);
    const bearer = (token: string) => fetch(`${api.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await bearer(METRICS_TOKEN)).status).toBe(200);
    expect((await bearer(`${METRICS_TOKEN}x`)).status).toBe(401);
    expect((await bearer(api.admin.key)).status).toBe(200);
    const withToken = openClient(api.url, '', METRICS_TOKEN);
    expect((await withToken.get('/api/v1/admin/providers')).status).toBe(401);
  });

  test('have their own port beside the API, with health and nothing else', async () => {
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${operationsPort}${path}`)).status;
    expect(await Promise.all(['/metrics', '/healthz', '/readyz', '/api/v1/prices', '/docs'].map(status))).toEqual([
      200, 200, 200, 404, 404,
    ]);
  });
});

describe('answers', () => {
  test('about people and money are cached by nobody and never sniffed as another type', async () => {
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { body } = await app.csv('checks=nin_basic', 'nin\n70123456788\n');
    await app.ended(`/api/v1/batches/${body.entity.id}`);
    const person = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14' };
    const answers = await Promise.all([
      app.get('/api/v1/kyc/nin?nin=70123456789'),
      app.get('/api/v1/kyc/nin?nin=00000000000'),
      app.get('/api/v1/kyc/bvn?nin=1'),
      app.get(`/api/v1/jobs/${id}`),
      app.get(`/api/v1/batches/${body.entity.id}`),
      app.get(`/api/v1/batches/${body.entity.id}/jobs`),
      app.get(`/api/v1/batches/${body.entity.id}/results?format=jsonl`),
      app.get(`/api/v1/batches/${body.entity.id}/events`),
      app.get('/api/v1/aml/monitors'),
      app.post('/api/v1/aml/screening', person),
      app.get('/api/v1/wallet/entries'),
      app.get('/api/v1/nowhere'),
      openClient(api.url, '', '').get('/api/v1/wallet'),
    ]);
    for (const answer of answers) {
      expect(answer.headers.get('cache-control'), answer.text).toBe('private, no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('the admin key of the configuration', () => {
  const read = (key: string) => readConfig({ CONFAM_ADMIN_KEY: key });

  test('is refused if it can be guessed', () => {
    for (const key of ['x', 'operator-secret', 'a'.repeat(64), '12345678'.repeat(6), 'operator-secret-'.repeat(4)])
      expect(() => read(key), key).toThrow(/CONFAM_ADMIN_KEY: must be at least 32 random characters/);
  });

  test('is accepted if drawn at random, in any encoding', () => {
    const hex = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 32, maxLength: 64 }).map((digits) => digits.join(''));
    fc.assert(fc.property(fc.noBias(hex), (key) => read(key).CONFAM_ADMIN_KEY === key));
    expect(read(newSecretKey()).CONFAM_ADMIN_KEY).toBeDefined();
  });
});
