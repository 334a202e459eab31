/** Clients that hang up, send slowly, or are refused before they have sent everything. */
import { Agent, type ClientRequest, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { inputBytesMax } from '../../src/checks/catalog.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';

const api = useApi({ CONFAM_UPLOADS_MAX: '1' });

const NIN = '70123456789';
const rows = (count: number) => Array.from({ length: count }, (_, i) => `${50_000_000_000 + i}\n`).join('');

/** A request whose body the test writes. */
function open(app: TestApp, path: string, type: string, agent?: Agent): ClientRequest {
  const made = request({
    host: '127.0.0.1',
    port: api.port,
    method: 'POST',
    path,
    agent: agent ?? false,
    headers: { Authorization: app.key, AppId: app.app, 'Content-Type': type, 'Transfer-Encoding': 'chunked' },
  });
  made.on('error', () => {});
  return made;
}

const write = (upload: ClientRequest, text: string) => new Promise<void>((resolve) => upload.write(text, () => resolve()));

/** Sessions inside a transaction that has written something. */
const openTransactions = async () => {
  const sessions = await asOwner(
    api.service.databaseUrl,
    (sql) => sql`select 1 from pg_stat_activity where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()`,
  );
  return sessions.length;
};

const refusedUploads = async (): Promise<number> => {
  const { values } = await api.service.metrics.requests.get();
  return values.find(({ labels }) => labels.route === '/api/v1/batches' && labels.status === 400)?.value ?? 0;
};

async function left(app: TestApp) {
  const own = parseId('app', app.app);
  const [row] = await api.service.sql`
    select (select count(*)::int from batches where app_id = ${own}) as batches, (select count(*)::int from jobs where app_id = ${own}) as jobs,
      (select count(*)::int from lanes where app_id = ${own}) as lanes, (select count(*)::int from holds where app_id = ${own}) as holds,
      (select count(*)::int from invalid_rows i join batches b on b.id = i.batch_id where b.app_id = ${own}) as refused`;
  return { ...row };
}

describe('a client that hangs up in mid-upload', () => {
  test.each([
    ['CSV', 'text/csv', '?checks=nin_basic', `nin\n${rows(20_000)}bad\n`],
    ['NDJSON', 'application/x-ndjson', '?checks=nin_basic', `{"nin":"${NIN}"}\n`.repeat(20_000)],
    ['JSON', 'application/json', '', `{"checks":["nin_basic"],"rows":[${`{"nin":"${NIN}","note":"${'x'.repeat(1_000)}"},`.repeat(20_000)}`],
  ])('leaves no batch, job, hold or transaction, and frees its slot (%s)', async (_, type, query, start) => {
    const app = await api.createApp({ naira: 10_000_000 });
    const before = await refusedUploads();
    const upload = open(app, `/api/v1/batches${query}`, type);
    await write(upload, start);
    // Gives the server time to begin reading.
    await app.wallet();
    expect(await openTransactions()).toBe(0);
    upload.destroy();
    await waitFor('the upload to be counted as a bad request', () => refusedUploads().then((count) => count > before));
    expect(await left(app)).toEqual({ batches: 0, jobs: 0, lanes: 0, holds: 0, refused: 0 });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 10_000_000, held: 0 });
    // Only one upload is read at a time here, and two of an app may arrive: this one would be refused.
    const next = await app.csv('checks=nin_basic', `nin\n${NIN}\n`);
    expect(next.status, next.text).toBe(202);
    await app.ended<BatchEntity>(`/api/v1/batches/${next.body.entity.id}`);
  });

  test('before the header is whole, or while waiting for a slot, leaves nothing either', async () => {
    const app = await api.createApp();
    const first = open(app, '/api/v1/batches?checks=nin_basic', 'text/csv');
    await write(first, 'ni');
    const second = open(app, '/api/v1/batches?checks=nin_basic', 'text/csv');
    await write(second, `nin\n${NIN}\n`);
    second.destroy();
    first.destroy();
    const next = await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
    expect(next.status, next.text).toBe(202);
    expect(await left(app)).toMatchObject({ batches: 1, jobs: 1 });
  });

  test('of a job leaves nothing, and counts as a bad request, not as our fault', async () => {
    const app = await api.createApp();
    const upload = open(app, '/api/v1/jobs', 'application/json');
    await write(upload, '{"check":"nin_basic","input":{"nin":"701');
    // Gives the server time to begin reading.
    await app.wallet();
    upload.destroy();
    await waitFor('the request to be counted', async () => {
      const { values } = await api.service.metrics.requests.get();
      return values.some(({ labels }) => labels.route === '/api/v1/jobs' && labels.status === 400);
    });
    const { values } = await api.service.metrics.requests.get();
    expect(values.filter(({ labels }) => Number(labels.status) >= 500)).toEqual([]);
    expect(await left(app)).toMatchObject({ jobs: 0, holds: 0 });
  });

  test('while its results are being sent harms nobody', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const batch = (await app.csv('checks=nin_premium&start=manual', `nin\n${rows(5_000)}`)).body.entity;
    const download = request({
      host: '127.0.0.1',
      port: api.port,
      path: `/api/v1/batches/${batch.id}/results`,
      agent: false,
      headers: { Authorization: app.key, AppId: app.app },
    });
    await new Promise<void>((resolve, reject) => {
      download.on('error', reject);
      download.on('response', (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
        response.on('error', () => {});
      });
      download.end();
    });
    expect((await app.get(`/api/v1/batches/${batch.id}/results?format=jsonl`)).text.trimEnd().split('\n')).toHaveLength(5_000);
    expect((await app.post<BatchEntity>(`/api/v1/batches/${batch.id}/cancel`)).body.entity.status).toBe('canceled');
  });
});

describe('a slow client', () => {
  test('that sends a row now and then is served like any other', async () => {
    const app = await api.createApp();
    const upload = open(app, '/api/v1/batches?checks=nin_basic', 'text/csv');
    const answer = new Promise<{ status: number; text: string }>((resolve) =>
      upload.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, text }));
      }),
    );
    for (const piece of ['n', 'in\r', '\n7012', '3456789', '\r\n', '"12345678901"', '\n']) {
      await write(upload, piece);
      await app.wallet();
    }
    upload.end();
    const { status, text } = await answer;
    expect(status, text).toBe(202);
    expect((JSON.parse(text) as { entity: BatchEntity }).entity.counts).toMatchObject({ rows: 2, jobs: 2, invalid: 0 });
  });

  test('is answered before its upload is whole if an option is wrong', async () => {
    const app = await api.createApp();
    const upload = open(app, '/api/v1/batches?checks=nin_basic&start=later', 'text/csv');
    upload.write('nin\n');
    const status = await new Promise((resolve) => upload.on('response', (response) => resolve(response.resume().statusCode)));
    expect(status).toBe(400);
    upload.destroy();
  });
});

describe('a client that is refused before its body was read', () => {
  test.each([
    [
      'an upload that is wrong from the start',
      '/api/v1/batches?checks=nin_basic',
      'text/csv',
      `nin,${'x'.repeat(100_000)}\n${rows(100_000)}`,
      400,
    ],
    ['an upload of another type', '/api/v1/batches?checks=nin_basic', 'text/plain', `nin\n${rows(100_000)}`, 415],
    ['a job that is too large', '/api/v1/jobs', 'application/json', ' '.repeat(inputBytesMax + 1_000_000), 413],
    ['a wrong path', '/nowhere', 'application/json', ' '.repeat(2_000_000), 404],
  ])('reads the refusal and keeps its connection: %s', async (_, path, type, body, status) => {
    const app = await api.createApp();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports: (number | undefined)[] = [];
    const send = () =>
      new Promise<number>((resolve, reject) => {
        const upload = open(app, path, type, agent);
        upload.on('error', reject);
        upload.on('response', (response) => {
          ports.push(response.socket.localPort);
          response.resume().on('end', () => resolve(response.statusCode!));
        });
        upload.end(body);
      });
    expect(await send()).toBe(status);
    // The server cuts a connection half a second after an answer if the request was not read to its end.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await send()).toBe(status);
    expect(new Set(ports).size).toBe(1);
    agent.destroy();
  });
});
