/**
 * Marked data through every kind of work, then a look for the marks wherever this service leaves bytes: the data files of Postgres with their write-ahead log,
 * Redis, logs, metrics and temporary files. Only the marks that docs/privacy.md lists as stored in the clear may be found.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { waitFor } from '../setup/database.ts';
import { canCompare, one, plain } from '../setup/face-pictures.ts';
import { killConfams, makeDataDir, readSandbox, startEmbedded } from '../setup/process.ts';

const folder = makeDataDir('clear');
const started: { kill(signal: NodeJS.Signals): boolean }[] = [];
afterAll(async () => {
  await killConfams();
  for (const child of started) child.kill('SIGTERM');
  folder.remove();
});

/** By what it is; long enough that no other bytes are the same by chance. */
const marks = {
  nin: '70918273645',
  rowNin: '70564738291',
  name: 'Zebulonquux Ibeanumark',
  email: 'quuxmark.ada@mailmark.test',
  address: '17 Quuxmark Crescent',
  reference: 'quuxref-5519',
  metadata: 'quuxmeta-8842',
  consent: 'quuxconsent-3307',
  cell: 'quuxcell-6021',
  reason: 'quuxreason-9914',
  idempotency: 'quuxidem-2276',
};

/** A text or picture as it may stand in a file. Base64 depends on where it begins, so only its stable middle is looked for. */
function needlesOf(mark: Buffer): Buffer[] {
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), mark]).toString('base64');
    return Buffer.from(text.slice(shift === 0 ? 0 : 4, -4));
  });
  const hex = mark.toString('hex');
  const wide = Buffer.from(mark.toString('latin1'), 'utf16le');
  return [mark, wide, Buffer.from(wide).swap16(), ...base64, Buffer.from(hex), Buffer.from(hex.toUpperCase())];
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function startRedis(dir: string): Promise<string | null> {
  if (!inject('redisUrl')) return null;
  const port = await freePort();
  mkdirSync(dir);
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--save', ''], {
    stdio: 'ignore',
  });
  started.push(redis);
  return `redis://127.0.0.1:${port}`;
}

test('nothing of a person, of a reference or of a picture is in the clear in any file, log or metric', async () => {
  const [data, temporary, redisDir] = [join(folder.path, 'data'), join(folder.path, 'tmp'), join(folder.path, 'redis')];
  mkdirSync(temporary, { recursive: true });
  const redis = await startRedis(redisDir);
  const { confam, port, api } = await startEmbedded(data, {
    TMPDIR: temporary,
    CONFAM_LOG_LEVEL: 'debug',
    CONFAM_WEBHOOK_ALLOW_PRIVATE: 'true',
    ...(redis && { REDIS_URL: redis }),
  });
  const { test_key, app_id, admin_key } = readSandbox(data);
  const base = `http://127.0.0.1:${port}/api/v1`;
  const own = { Authorization: test_key, AppId: app_id };
  const ask = async (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base}${path}`, { method, headers: { ...own, ...headers }, ...(body !== undefined && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  const json = { 'Content-Type': 'application/json' };
  const post = (path: string, body: unknown, headers = {}) => ask('POST', path, JSON.stringify(body), { ...json, ...headers });
  const idOf = ({ text }: { text: string }): string => JSON.parse(text).entity.id;

  const consent = { reference: marks.consent, purpose: 'kyc', obtained_at: '2026-11-20T10:00:00Z' };
  const picture = canCompare ? one() : await plain('#7a3b19', 321, 287);
  const portrait = picture.subarray(Math.floor(picture.length / 2), Math.floor(picture.length / 2) + 24);
  const enrolled = await ask('PUT', `/sandbox/portraits/nin/${marks.nin}`, picture, { 'Content-Type': 'image/jpeg' });
  expect(enrolled.status, enrolled.text).toBe(canCompare ? 201 : enrolled.status);
  expect((await ask('GET', `/kyc/nin/advance?nin=${marks.nin}`, undefined, { Consent: JSON.stringify(consent) })).status).toBe(200);
  expect((await ask('GET', `/kyc/nin/advance?nin=${marks.nin}`)).status).toBe(200);
  expect((await post('/kyc/email', { email: marks.email })).status).toBeLessThan(500);
  await waitFor('a screening', async () => (await post('/aml/screening', { name: marks.name, monitor: true })).status === 200);
  const endpoint = await post('/webhooks/endpoints', { url: `http://127.0.0.1:${port}/nobody` });
  expect(endpoint.status, endpoint.text).toBe(201);
  const job = { check: 'nin_advance', input: { nin: marks.nin }, reference: marks.reference, metadata: { note: marks.metadata }, consent };
  const made = await post('/jobs', job, { 'Idempotency-Key': marks.idempotency });
  expect(made.status, made.text).toBe(202);
  await waitFor('the job', async () => (await api.get(`/api/v1/jobs/${idOf(made)}`)).body.entity.status === 'completed');
  const csv = `nin,reference,note\n${marks.rowNin},${marks.reference},${marks.cell}\n${marks.nin},b,${marks.address}\n123,c,${marks.cell}\n`;
  const query = new URLSearchParams({
    checks: 'nin_advance',
    reference: marks.reference,
    metadata: JSON.stringify({ note: marks.metadata }),
  });
  const batches = [await api.upload(csv, String(query)), await api.upload(csv, String(query))];
  for (const id of batches) await api.until(id, 'to complete', ({ status }) => status === 'completed');
  for (const format of ['csv', 'jsonl', 'xlsx'])
    expect((await ask('GET', `/batches/${batches[0]}/results?format=${format}`)).status).toBe(200);
  // Refused, and so in errors rather than in rows.
  expect((await ask('GET', `/kyc/nin/advance?nin=${marks.nin}9`)).status).toBe(400);
  expect((await post('/jobs', { check: 'nin_advance', input: { nin: `${marks.nin}9`, [marks.reason]: 1 } })).status).toBe(400);
  expect((await ask('POST', '/jobs', `{"nin":"${marks.nin}`, json)).status).toBe(400);
  await ask('GET', `/batches/${marks.reference}`);
  const whom = { identifiers: [{ type: 'nin', value: marks.nin }], reason: marks.reason };
  const asked = await post('/subjects/export', whom);
  expect(asked.status, asked.text).toBe(202);
  await waitFor('the export', async () => (await ask('GET', `/subjects/exports/${idOf(asked)}`)).text.includes('"status":"done"'));
  expect((await ask('GET', `/subjects/exports/${idOf(asked)}/file`)).text).toContain(marks.nin);
  expect((await ask('DELETE', `/batches/${batches[1]}`)).status).toBe(202);
  const erased = await post('/subjects/erase', { identifiers: [{ type: 'nin', value: marks.rowNin }] });
  expect(erased.status, erased.text).toBe(202);
  await waitFor('the erasure', async () => (await ask('GET', `/subjects/erasures/${idOf(erased)}`)).text.includes('"status":"done"'));

  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Authorization: admin_key } })).text();
  const whileUp = filesIn(temporary).map((path) => [path, readFileSync(path)] as const);
  confam.interrupt();
  await confam.ended(30_000);

  const places: (readonly [string, Buffer])[] = [
    ['log', Buffer.from(confam.stdout() + confam.stderr())],
    ['metrics', Buffer.from(metrics)],
    ...whileUp,
    ...[data, realpathSync(join(data, 'postgres')), temporary, ...(redis ? [redisDir] : [])].flatMap(filesIn).flatMap((path) => {
      const isSmall = statSync(path).size < 512 * 1024 * 1024;
      return isSmall ? [[path, readFileSync(path)] as const] : [];
    }),
  ];
  // The search finds what is there: the address of the endpoint is stored in the clear.
  expect(places.some(([, bytes]) => bytes.includes(`http://127.0.0.1:${port}/nobody`))).toBe(true);
  expect(places.some(([path]) => path.includes('pg_wal'))).toBe(true);
  const wanted = Object.entries({
    ...Object.fromEntries(Object.entries(marks).map(([name, text]) => [name, Buffer.from(text)])),
    portrait,
  });
  const found = places.flatMap(([path, bytes]) =>
    wanted
      .filter(([, mark]) => needlesOf(mark).some((needle) => bytes.includes(needle)))
      .map(([name]) => `${name} in ${path.replace(folder.path, '')}`),
  );
  expect(found).toEqual([]);
}, 180_000);
