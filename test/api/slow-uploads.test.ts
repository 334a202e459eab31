/** Clients that send slowly, and full disks: what they hold, and who has to wait for them. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type BatchEntity, type Body, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { canMakeSmallDisks, makeSmallDisk, type SmallDisk } from '../setup/small-disk.ts';

const STALL_MS = 4_000;
const TOTAL_MS = 12_000;
/** Two bodies of an app may arrive at a time, of four. */
const SHARE = 2;
const NIN = '70123456789';

const api = useApi({ CONFAM_UPLOADS_MAX: '1', CONFAM_UPLOAD_STALL_MS: `${STALL_MS}`, CONFAM_UPLOAD_MS_MAX: `${TOTAL_MS}` });

interface Trickle {
  send(text: string): void;
  end(text?: string): void;
  answered: Promise<Pick<Answer<BatchEntity>, 'status' | 'body'> & { headers: IncomingMessage['headers'] }>;
  stop(): void;
}

/** An upload whose body the test writes. */
function open(app: TestApp, headers: Record<string, string> = {}): Trickle {
  const made: ClientRequest = request({
    host: '127.0.0.1',
    port: api.port,
    method: 'POST',
    path: '/api/v1/batches?checks=nin_basic&start=manual',
    agent: false,
    headers: { Authorization: app.key, AppId: app.app, 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked', ...headers },
  });
  const answered = new Promise<Awaited<Trickle['answered']>>((resolve, reject) => {
    made.on('error', reject);
    made.on('response', async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) as Body<BatchEntity> });
    });
  });
  answered.catch(() => {});
  return { send: (text) => void made.write(text), end: (text) => void made.end(text), answered, stop: () => void made.destroy() };
}

/** Transactions as old as the slow uploads. */
const oldTransactions = async (): Promise<number> => {
  const sessions = await asOwner(
    api.service.databaseUrl,
    (sql) => sql`
      select 1 from pg_stat_activity
      where datname = current_database() and xact_start < now() - interval '1 second' and pid <> pg_backend_pid()`,
  );
  return sessions.length;
};

async function claims(app: TestApp): Promise<number> {
  const [row] = await api.service.sql<{ n: number }[]>`
    select count(*)::int as n from idempotency_keys where app_id = ${parseId('app', app.app)} and status is null`;
  return row!.n;
}

const rows = (count: number): string => Array.from({ length: count }, (_, i) => `${60_000_000_000 + i}\n`).join('');

describe('uploads that are sent a byte at a time', () => {
  test('hold no connection, leave other apps their slots, and are refused themselves', async () => {
    const [slow, other] = [await api.createApp(), await api.createApp()];
    const uploads = Array.from({ length: SHARE }, () => open(slow));
    for (const upload of uploads) upload.send(`nin\n${rows(100)}`);
    const trickling = setInterval(() => uploads.forEach((upload) => void upload.send('7')), 200);
    try {
      // A third upload of the same app gets its answer, and should not come back at once.
      const third = open(slow);
      third.end(`nin\n${NIN}\n`);
      const began = performance.now();
      const quick = other.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
      const quoted = other.post('/api/v1/batches/quote?checks=nin_basic', `nin\n${NIN}\n`, { 'Content-Type': 'text/csv' });
      expect((await quick).status).toBe(202);
      expect((await quoted).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(STALL_MS / 2);
      await waitFor('the uploads to have lasted', () => performance.now() - began > 1_500);
      expect(await oldTransactions()).toBe(0);
      // Either the slow uploads' slots were free before it had waited long enough, or it was refused.
      const { status, headers, body } = await third.answered;
      if (status !== 202) expect([status, body.code, headers['retry-after']]).toEqual([429, 'too_many_in_progress', '10']);
      for (const upload of uploads) {
        const refused = await upload.answered;
        expect(refused.status).toBe(400);
        expect(refused.body.details).toEqual([{ path: 'body', message: 'came at less than 8192 bytes a second', rule: 'too_slow' }]);
      }
    } finally {
      clearInterval(trickling);
      for (const upload of uploads) upload.stop();
    }
  });

  test("beyond their app's share are refused with the time to come back", async () => {
    const [busy, other] = [await api.createApp(), await api.createApp()];
    const uploads = Array.from({ length: SHARE }, (_, i) => open(busy, { 'Idempotency-Key': `slow-${i}` }));
    // As fast as required: these are not refused for their pace.
    const sending = setInterval(() => uploads.forEach((upload) => void upload.send(rows(1_000))), 200);
    for (const upload of uploads) upload.send('nin\n');
    try {
      // Claimed is just before placed.
      await waitFor('both to be in progress', async () => (await claims(busy)) === SHARE);
      await busy.wallet();
      const third = open(busy);
      third.end(`nin\n${NIN}\n`);
      const { status, headers, body } = await third.answered;
      expect([status, body.code, headers['retry-after']]).toEqual([429, 'too_many_in_progress', '10']);
      expect(body.error).toContain('its share');
      expect((await other.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`)).status).toBe(202);
    } finally {
      clearInterval(sending);
      for (const upload of uploads) upload.stop();
    }
    // Their slots are free again.
    await waitFor('a slot', async () => (await busy.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`)).status === 202);
  });

  test('that keep the pace are refused when they take too long overall', async () => {
    const app = await api.createApp();
    const upload = open(app);
    upload.send('nin\n');
    const sending = setInterval(() => upload.send(rows(1_000)), 200);
    try {
      const { status, body } = await upload.answered;
      expect(status).toBe(400);
      expect(body.details).toEqual([{ path: 'body', message: `did not come within ${TOTAL_MS / 1000} s`, rule: 'too_slow' }]);
    } finally {
      clearInterval(sending);
      upload.stop();
    }
  });

  test('are told of a wrong column before the rest of the body has arrived', async () => {
    const app = await api.createApp();
    const upload = open(app);
    // More than is looked at in one go.
    upload.send(`phone\n${rows(10_000)}`);
    const { status, body } = await upload.answered;
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.error).toContain('nin');
    upload.stop();
  });
});

describe('a body larger than what is held in memory', () => {
  test('is read from its file as sent, even while it is still arriving', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const upload = open(app);
    upload.send('nin\n');
    for (let i = 0; i < 100; i++) {
      upload.send(`${Array.from({ length: 500 }, (_, j) => `${61_000_000_000 + i * 500 + j}`).join('\n')}\n`);
      if (i % 10 === 0) await app.wallet();
    }
    upload.end();
    const { status, body } = await upload.answered;
    expect(status, JSON.stringify(body)).toBe(202);
    expect(body.entity.counts).toMatchObject({ rows: 50_000, invalid: 0, duplicate: 0 });
  });
});

describe.skipIf(!canMakeSmallDisks())('a full disk', () => {
  let disk: SmallDisk;
  const before = process.env.TMPDIR;
  beforeAll(() => {
    disk = makeSmallDisk('1m');
    process.env.TMPDIR = disk.path;
  });
  afterAll(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    disk.remove();
  });

  test('refuses what does not fit with the time to come back, stores nothing, and accepts what fits', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const large = await app.csv('checks=nin_basic&start=manual', `nin\n${rows(200_000)}`);
    expect([large.status, large.body.code]).toEqual([503, 'overloaded']);
    expect(Number(large.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await app.wallet()).toMatchObject({ available: 10_000_000, held: 0 });
    const fits = await app.csv('checks=nin_basic&start=manual', `nin\n${rows(50_000)}`);
    expect(fits.status, fits.text).toBe(202);
    expect((await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data).toHaveLength(1);
  });
});
