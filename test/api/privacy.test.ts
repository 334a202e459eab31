/** What leaves the service beside its answers (logs, metrics, queue, tables) contains nobody's number, name or picture. Runs as its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { createKey } from '../../src/access/keys.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type BatchEntity, type Client, type JobEntity, openClient, sendBytes, sendRaw } from '../setup/api.ts';
import { useDatabase, waitFor } from '../setup/database.ts';

const database = useDatabase();
let sql: postgres.Sql;
let service: ChildProcess;
let client: Client;
let port: number;
let output = '';
let metrics = '';
const METRICS_TOKEN = newSecretKey();
const folder = mkdtempSync(join(tmpdir(), 'confam-privacy-'));

const NIN = '70123456789';
const BVN = '22222222222';
const BATCH_NINS = Array.from({ length: 40 }, (_, i) => String(61_234_500_001 + i));
/** Never a valid input of anything: only sent in wrong places. */
const STRAY = '83920174655';
/** Numbers, and what the answers said about them. */
/** Screened, and named on a clearance: no word of it belongs to anybody else. */
const SCREENED = ['Quizzabo', 'Xamfortune', 'Wuzzilewa', '1961-12-13'];
const [given, family, analyst, born] = SCREENED as [string, string, string, string];
const SAID = ['Wexreference', 'Wexmetadata', 'Wexconsent', 'Wexpurpose'];
const secrets = new Set([...SCREENED, ...SAID, NIN, BVN, STRAY, ...BATCH_NINS, '00000000003', '00000000007']);

/** Adds every member of an entity that could identify a person. */
function remember(entity: Record<string, unknown> | null): void {
  for (const member of [
    'firstname',
    'surname',
    'first_name',
    'last_name',
    'telephoneno',
    'phone_number1',
    'tracking_id',
    'email',
    'residential_address',
    'residence_address_line_1',
    'birthdate',
    'date_of_birth',
  ]) {
    const value = entity?.[member];
    if (typeof value === 'string' && value.length >= 5) secrets.add(value);
  }
  for (const image of ['photo', 'signature', 'image']) {
    const value = entity?.[image];
    // From the middle: the first bytes are those of any PNG.
    if (typeof value === 'string') secrets.add(value.slice(-80, -20));
  }
}

/** The same in UTF-16, in hex, and inside base64 at each of its three alignments. Short texts would be found by chance. */
function encodings(secret: string): string[] {
  if (secret.length < 8) return [];
  const wide = Buffer.from(secret, 'utf16le');
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.from('.'.repeat(before) + secret).toString('base64');
    // Without the characters that also depend on what stands before and after.
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
  });
  return [wide.toString('latin1'), wide.toString('hex'), Buffer.from(secret).toString('hex'), ...inBase64];
}

/** A name as a whole word and a number as a whole number: the garbage collector is nobody called Garba, and 0.00000000003 s is no NIN. */
const found = (text: string) =>
  [...secrets].filter((secret) => {
    if (encodings(secret).some((encoded) => text.includes(encoded))) return true;
    if (!text.includes(secret)) return false;
    if (/^[A-Za-z]+$/.test(secret)) return new RegExp(`\\b${secret}\\b`).test(text);
    return !/^\d+$/.test(secret) || new RegExp(`(?<![\\d.])${secret}(?!\\d)`).test(text);
  });

beforeAll(async () => {
  sql = postgres(database.url, { max: 2, onnotice: () => {} });
  const ctx = database.openContext();
  const { id } = await createApp(ctx, 'Test');
  await topUp(ctx.sql, { appId: id, live: false }, 1_000_000_00, null);
  const { key } = (await createKey(ctx, 'test', id))!;
  await ctx.close();
  await keepQueueHistory();

  port = await freePort();
  service = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'start'], {
    cwd: packageRoot(),
    env: {
      ...process.env,
      ...database.environment,
      PORT: String(port),
      HOST: '127.0.0.1',
      CONFAM_DATA_DIR: folder,
      CONFAM_LOG_LEVEL: 'debug',
      CONFAM_JOB_BACKOFF_MS: '20',
      CONFAM_METRICS_TOKEN: METRICS_TOKEN,
    },
  });
  for (const stream of [service.stdout!, service.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  client = openClient(`http://127.0.0.1:${port}`, showId('app', id), key);
  await waitFor(
    'the service to be ready',
    () =>
      client.get('/readyz').then(
        (answer) => answer.status === 200,
        () => false,
      ),
    60_000,
  );
  await work();
  metrics = (await client.get('/metrics', { Authorization: `Bearer ${METRICS_TOKEN}` })).text;
  const exited = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGTERM');
  expect(await exited).toBe(0);
}, 90_000);

afterAll(async () => {
  service?.kill('SIGKILL');
  await sql?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** BullMQ removes finished work, so a trigger keeps every row that any of its tables ever held. */
async function keepQueueHistory(): Promise<void> {
  await sql.unsafe(`
    create table public.queue_history (name text, row text);
    create function public.keep_queue_history() returns trigger language plpgsql security definer as $$
      begin insert into public.queue_history values (tg_table_name, new::text); return null; end $$;
    do $$ declare t text; begin
      for t in select format('%I.%I', schemaname, tablename) from pg_tables where schemaname = 'confam' loop
        execute 'create trigger keep_history after insert or update on ' || t || ' for each row execute function public.keep_queue_history()';
      end loop; end $$`);
}

/** By a call, a job and a batch; also a sandbox-listed person, whose listed names must not leak either. */
async function screenings(): Promise<void> {
  const person = { name: `${given} ${family}`, date_of_birth: born, country: 'NG', monitor: true };
  const listed = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
  for (const word of ['Balarabewa', 'BALARABEWA', '1968-03-14']) secrets.add(word);
  // Building the first index may take longer than a call waits for it, beside other tests.
  await waitFor('the sandbox lists', async () => (await client.post('/api/v1/aml/screening', listed)).status === 200);
  for (const body of [person, { ...listed, monitor: true }]) {
    const answer = await client.post('/api/v1/aml/screening', body);
    expect(answer.status, answer.text).toBe(200);
  }
  for (const body of [
    { ...person, country: family },
    { ...person, name: `${given}\u0001` },
    { ...person, lists: family.toLowerCase() },
    { ...person, threshold: family },
  ])
    expect((await client.post('/api/v1/aml/screening', body)).status).toBeOneOf([400, 503]);
  const clearance = { ...listed, list: 'ofac_sdn', source_id: '9900001', reason: `${family} is another`, cleared_by: analyst };
  expect((await client.post('/api/v1/aml/clearances', clearance)).status).toBe(201);
  const job = (await client.job({ check: 'aml_screening', input: listed })).body.entity;
  expect((await client.ended<JobEntity>(`/api/v1/jobs/${job.id}`)).outcome).toBe('found');
  await fetch(`http://127.0.0.1:${port}/api/v1/jobs/${job.id}/report`, { headers: { Authorization: client.key, AppId: client.app } });
  const upload = await client.csv(
    'checks=aml_screening',
    `name,date_of_birth\n${person.name},${born}\n${listed.name},1968-03-14\n${family},${given}\n`,
  );
  expect((await client.ended<BatchEntity>(`/api/v1/batches/${upload.body.entity.id}`)).counts).toMatchObject({ found: 2, invalid: 1 });
  // Monitored people are screened once against the later lists, a second after they start.
  await waitFor('that screening', async () => (await sql`select 1 from aml_monitors where screened_at is null`).length === 0);
}

/** Everything that a client does, and much that it should not. */
async function work(): Promise<void> {
  const json = { 'Content-Type': 'application/json' };
  for (const query of [
    `nin/premium?nin=${NIN}`,
    `nin/advance?nin=${NIN}`,
    `bvn/advance?bvn=${BVN}`,
    `bvn?bvn=${BVN}&first_name=Morenike&last_name=Durojaiye&dob=1991-04-17`,
    'bvn/advance?bvn=00000000007',
  ]) {
    const answer = await client.get(`/api/v1/kyc/${query}`);
    expect(answer.status, answer.text).toBe(200);
    remember(answer.body.entity);
  }
  expect((await client.get('/api/v1/kyc/nin?nin=00000000003')).status).toBe(424);

  const job = (
    await client.job({
      check: 'nin_premium',
      input: { nin: BATCH_NINS[0] },
      reference: 'Wexreference',
      metadata: { note: 'Wexmetadata' },
      consent: { reference: 'Wexconsent', purpose: 'Wexpurpose', obtained_at: '2025-11-20T10:00:00Z' },
      callback_url: `http://127.0.0.1:9/hook/${STRAY}?n=${STRAY}`,
    })
  ).body.entity;
  remember((await client.ended<JobEntity>(`/api/v1/jobs/${job.id}`)).result);
  const failing = (await client.job({ check: 'nin_basic', input: { nin: '00000000003' } })).body.entity;
  expect((await client.ended<JobEntity>(`/api/v1/jobs/${failing.id}`)).status).toBe('failed');
  const upload = await client.csv(
    'checks=nin_advance,bvn_full',
    `nin,bvn,note\n${BATCH_NINS.map((nin) => `${nin},${nin},n`).join('\n')}\n${STRAY}x,${STRAY},n\n${STRAY}\n`,
  );
  expect(upload.status, upload.text).toBe(202);
  const batch = await client.ended<BatchEntity>(`/api/v1/batches/${upload.body.entity.id}`);
  expect(batch.counts).toMatchObject({ found: 80, invalid: 2 });
  for (const line of (await client.get(`/api/v1/batches/${batch.id}/results?format=jsonl`)).text.trimEnd().split('\n'))
    for (const check of Object.values((JSON.parse(line) as { checks: Record<string, { entity: Record<string, unknown> }> }).checks))
      remember(check.entity);
  await client.get(`/api/v1/batches/${batch.id}/results?format=csv`);

  await screenings();

  // A number everywhere that none belongs.
  const refused = [
    await client.get(`/api/v1/kyc/nin/${STRAY}`),
    await client.get(`/${STRAY}?nin=${STRAY}`),
    await client.get(`/api/v1/jobs/${STRAY}`),
    await client.get(`/api/v1/batches/${STRAY}/jobs?cursor=${STRAY}`),
    await client.get(`/api/v1/kyc/nin?nin=${STRAY}0&x=${STRAY}`),
    await client.get(`/api/v1/kyc/bvn?bvn=${STRAY}&dob=${STRAY}`),
    await client.send('DELETE', `/api/v1/jobs/${STRAY}?nin=${STRAY}`),
    await client.post(`/api/v1/jobs?nin=${STRAY}`, `{"check":"nin_basic","input":{"nin":"${STRAY}"`, json),
    await client.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: Number(STRAY) } }),
    await client.post('/api/v1/jobs', { check: STRAY, input: { [STRAY]: STRAY } }),
    await client.post('/api/v1/jobs', STRAY, { 'Content-Type': `text/x-${STRAY}` }),
    await client.csv(`checks=nin_basic&map.nin=${STRAY}`, `nin\n${STRAY}\n`),
    await client.csv(`checks=nin_basic,${STRAY}`, `nin\n${STRAY}\n`),
    await client.csv('checks=nin_basic', `${STRAY},${STRAY}1\n${STRAY},1\n`),
    await client.csv('checks=nin_basic', `nin\n"${STRAY}"${STRAY}\n"${STRAY}`),
    await client.csv('checks=nin_basic&on_invalid=reject', `nin\n${STRAY}0\n`),
    await client.post('/api/v1/batches?checks=nin_basic', `{"rows":[{"nin":"${STRAY}"},]`, json),
    await client.get('/api/v1/wallet', { Authorization: STRAY }),
    await client.get('/api/v1/wallet', { AppId: STRAY }),
  ];
  for (const answer of refused) expect(answer.status, answer.text).toBeOneOf([400, 401, 404, 405, 415]);
  const marked = {
    'X-Request-Id': STRAY,
    'User-Agent': STRAY,
    Referer: `https://example.com/?nin=${STRAY}`,
    traceparent: STRAY,
    'X-Forwarded-For': STRAY,
  };
  expect((await client.get('/api/v1/wallet', marked)).status).toBe(200);
  await sendRaw(port, { path: `/api/v1/wallet?nin=${STRAY}`, headers: { Host: `${STRAY} ${STRAY}` } });
  await sendBytes(port, `GET /${STRAY} HTTP/9\r\n${STRAY}\r\n\r\n`);

  // Our own faults: a result that does not open, and missing tables.
  await sql`update results set entity = '\\x0102'::bytea where job_id = ${parseId('job', job.id)}`;
  expect((await client.get(`/api/v1/jobs/${job.id}`)).status).toBe(500);
  for (const table of ['wallets', 'cache_records']) {
    await sql.unsafe(`alter table ${table} rename to gone`);
    const failed = [
      await client.get(`/api/v1/kyc/nin/premium?nin=${STRAY}`),
      await client.get(`/api/v1/kyc/nin/premium?nin=${NIN}`),
      await client.job({ check: 'nin_basic', input: { nin: STRAY } }),
      await client.csv('checks=nin_basic', `nin\n${STRAY}\n`),
    ];
    await sql.unsafe(`alter table gone rename to ${table}`);
    expect(failed[0]!.status).toBe(500);
    for (const answer of failed) expect(answer.text).not.toMatch(/wallets|cache_records|relation/);
  }
}

describe('nobody can be found', () => {
  test('in what the service logs, one line per request and chunk', () => {
    expect(secrets.size).toBeGreaterThan(200);
    const lines = output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
    expect(lines.filter((line) => line.msg === 'request').length).toBeGreaterThan(30);
    expect(lines.filter((line) => line.msg === 'chunk').length).toBeGreaterThan(2);
    expect(lines.filter((line) => line.level === 50).length).toBeGreaterThan(1);
    expect(lines.find((line) => line.msg === 'request' && line.route === '/api/v1/kyc/nin/premium')).toMatchObject({
      request: expect.stringMatching(/^req_/),
      method: 'GET',
      status: 200,
      app: expect.any(String),
      ms: expect.any(Number),
    });
    expect(found(output)).toEqual([]);
  });

  test('in the metrics', () => {
    expect(metrics).toContain('route="/api/v1/kyc/nin/premium"');
    expect(found(metrics)).toEqual([]);
  });

  test('in anything that the queue ever held', async () => {
    const history = await sql<{ name: string; row: string }[]>`select name, row from public.queue_history`;
    const tickets = history.filter(({ name }) => name === 'job');
    expect(tickets.length).toBeGreaterThan(4);
    expect(found(history.map(({ row }) => row).join('\n'))).toEqual([]);
  });

  test('in any table, except where the client itself put it into an address', async () => {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'confam') and tablename <> 'queue_history'`;
    expect(tables.length).toBeGreaterThan(12);
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t`);
      // Ciphertexts are printed in hex, so clear text in them would show.
      const text = rows
        .map(({ row }) => row.replaceAll(`http://127.0.0.1:9/hook/${STRAY}?n=${STRAY}`, ''))
        .map(
          (row) =>
            `${row}\n${(row.match(/\\x[0-9a-f]+/g) ?? []).map((hex) => Buffer.from(hex.slice(2), 'hex').toString('latin1')).join('\n')}`,
        )
        .join('\n');
      expect(found(text), name).toEqual([]);
    }
  });
});
