/**
 * Marked data through every kind of work, then a look for the marks wherever this service leaves bytes: every column of every table, the data files of Postgres
 * with their write-ahead log, Redis, logs, metrics, temporary files, and a core dump of the API. Only what docs/privacy.md lists may stand in the clear.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import sharp from 'sharp';
import { afterAll, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { Browser, PASSWORD, tokenIn } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { canCompare, one } from '../setup/face-pictures.ts';
import { embeddedServer, killConfams, makeDataDir, processesMentioning, readSandbox, startEmbedded } from '../setup/process.ts';
import { xlsx } from '../setup/xlsx.ts';

const folder = makeDataDir('clear');
const started: { kill(signal: NodeJS.Signals): boolean }[] = [];
afterAll(async () => {
  await killConfams();
  for (const child of started) child.kill('SIGTERM');
  folder.remove();
});

/** By what it is; long enough that no other bytes are the same by chance. */
const marks: Record<string, string> = {
  nin: '70918273645',
  rowNin: '70564738291',
  bvn: '22817263549',
  phone: '08091827364',
  licence: 'QUX73645DE91',
  passport: 'Q91827364',
  voter: '90F5QUX7364582910',
  meter: '45918273640',
  name: 'Zebulonquux Ibeanumark',
  company: 'Quuxmarkholdings Ventures',
  email: 'quuxmark.ada@mailmark.test',
  invited: 'quuxinvited.obi@mailmark.test',
  address: '17 Quuxmark Crescent',
  reference: 'quuxref-5519',
  metadata: 'quuxmeta-8842',
  consent: 'quuxconsent-3307',
  cell: 'quuxcell-6021',
  reason: 'quuxreason-9914',
  analyst: 'Quuxanalyst Bassey',
  idempotency: 'quuxidem-2276',
  taxNumber: '91827364-0051',
  companyNumber: 'KD91827364',
  sheetNin: '70837261945',
  sheetCell: 'quuxsheet-7745',
  rowFaceNin: '70291837465',
  // Sandbox lists come to name this one a second later, and name the next one already.
  watched: 'Tanimuwa Garbale Kwarkwasiyu',
  reviewed: 'Musa Danjumare Balarabewa',
  note: 'quuxnote-6638',
  decision: 'quuxdecision-1190',
  approval: 'quuxapproval-5527',
  declined: 'quuxdeclined-3361',
  member: 'Quuxmember Adeyemisi',
};

/** Stored in the clear on purpose: docs/privacy.md lists the columns in which each may stand. */
const clearMarks: Record<string, string> = {
  callback: 'quuxcallback-4410',
  column: 'quuxcolumn-1187',
  topUp: 'quuxtopup-7719',
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

/** What docs/privacy.md says stays in the clear: the columns of the table below that heading. */
function documented(): string[] {
  const [, section] = readFileSync(join(packageRoot(), 'docs/privacy.md'), 'utf8').split('## What stays in the clear\n');
  return [...section!.split('\n## ')[0]!.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, column]) => column!).toSorted();
}

/** Every value of every table that the service keeps, its queue's too, as bytes by table and column. A partition counts as its table. */
async function columnsOf(databaseUrl: string): Promise<Map<string, Buffer[]>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    const tables = await sql<{ schema: string; name: string }[]>`
      select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;
    const columns = new Map<string, Buffer[]>();
    for (const { schema, name } of tables) {
      const rows = (await sql`select * from ${sql(schema)}.${sql(name)}`.raw()) as unknown as Uint8Array[][] & {
        columns: { name: string; type: number }[];
      };
      for (const { name: column } of rows.columns) columns.set(`${name}.${column}`, columns.get(`${name}.${column}`) ?? []);
      for (const row of rows)
        for (const [at, value] of row.entries()) {
          if (value === null) continue;
          const { name: column, type } = rows.columns[at]!;
          const text = Buffer.from(value);
          // Postgres writes bytes in hex.
          columns.get(`${name}.${column}`)!.push(type === BYTEA ? Buffer.from(text.toString('latin1').slice(2), 'hex') : text);
        }
    }
    return columns;
  } finally {
    await sql.end();
  }
}

const BYTEA = 17;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A dump as the kernel would write it (gdb asks the same file what to leave out). Null where gdb is not installed. */
function dump(pid: number): Buffer | null {
  const path = join(folder.path, 'core');
  const { error, stderr } = spawnSync('gdb', ['--batch', '-p', String(pid), '-ex', `gcore ${path}`], { encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null;
  expect(existsSync(path), `gdb gave no dump: ${error?.message ?? stderr}`).toBe(true);
  const bytes = readFileSync(path);
  rmSync(path);
  return bytes;
}

/** What a process may write to in its memory, a mapping at a time. */
function* memoryOf(pid: number): Generator<Buffer> {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (!from) continue;
      const start = Number.parseInt(from, 16);
      const bytes = Buffer.alloc(Math.min(Number.parseInt(to!, 16) - start, MAPPING_MAX));
      try {
        yield bytes.subarray(0, readSync(memory, bytes, 0, bytes.length, start));
      } catch (error) {
        // It may have been unmapped since.
        if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
      }
    }
  } finally {
    closeSync(memory);
  }
}

const MAPPING_MAX = 256 * 1024 * 1024;

/** A picture no part of which is like another: half of a plain one are the same bytes as an empty page. */
const noise = (): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 280, channels: 3, background: 'gray', noise: { type: 'gaussian', mean: 128, sigma: 40 } } })
    .jpeg()
    .toBuffer();

const has = (bytes: Buffer, mark: Buffer): boolean => needlesOf(mark).some((needle) => bytes.includes(needle));

test('nothing of a person, of a reference or of a picture is in the clear in any table, file, log, metric or dump', async () => {
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
  /** Fails with the answer unless the request was carried out. */
  const done = async (asked: Promise<{ status: number; text: string }>) => {
    const answer = await asked;
    expect.soft(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };
  const idOf = ({ text }: { text: string }): string => JSON.parse(text).entity.id;

  const consent = { reference: marks.consent, purpose: 'kyc', obtained_at: '2025-11-20T10:00:00Z' };
  const picture = canCompare ? one() : await noise();
  const portrait = picture.subarray(Math.floor(picture.length / 2), Math.floor(picture.length / 2) + 24);
  const admin = (method: string, path: string, body?: unknown) =>
    fetch(`${base}/admin${path}`, {
      method,
      headers: { Authorization: admin_key, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
  await done(admin('PATCH', `/apps/${app_id}`, { settings: { reviews: { amlLevel: 'LOW' } } }));
  await done(admin('POST', `/apps/${app_id}/topups`, { amount: 1, note: clearMarks.topUp }));
  const enrolled = await ask('PUT', `/sandbox/portraits/nin/${marks.nin}`, picture, { 'Content-Type': 'image/jpeg' });
  expect(enrolled.status, enrolled.text).toBe(canCompare ? 201 : enrolled.status);
  expect((await ask('GET', `/kyc/nin/advance?nin=${marks.nin}`, undefined, { Consent: JSON.stringify(consent) })).status).toBe(200);
  expect((await ask('GET', `/kyc/nin/advance?nin=${marks.nin}`)).status).toBe(200);
  await done(ask('GET', `/kyc/email?email=${marks.email}`));
  await waitFor('a screening', async () => (await post('/aml/screening', { name: marks.name, monitor: true })).status === 200);
  const callback = `http://127.0.0.1:${port}/${clearMarks.callback}`;
  await done(post('/webhooks/endpoints', { url: callback }));

  // A job of every family, and what the registries said about the marked numbers.
  const inputs: [check: string, input: Record<string, unknown>][] = [
    ['nin_advance', { nin: marks.nin }],
    ['bvn_advance', { bvn: marks.bvn }],
    ['bvn_match', { bvn: marks.bvn, phone_number: marks.phone, last_name: marks.analyst }],
    ['credit_bvn', { bvn: marks.bvn, phone_number: marks.phone }],
    ['phone', { phone_number: marks.phone }],
    ['drivers_license', { license_number: marks.licence }],
    ['passport', { passport_number: marks.passport, last_name: marks.name }],
    ['pvc', { vin_number: marks.voter }],
    ['address', { meter_number: marks.meter, utility_bill: `Customer: ${marks.name}\nAddress: ${marks.address}\nMeter: ${marks.meter}` }],
    ['email_risk', { email: marks.email }],
    ['tin', { tin: marks.taxNumber }],
    ['cac_basic', { rc_number: marks.companyNumber }],
    ['aml_screening', { name: marks.watched, date_of_birth: '1988-11-05', country: 'NG', monitor: true }],
    ['aml_screening', { name: marks.reviewed, date_of_birth: '1968-03-14', country: 'NG' }],
    ['aml_screening', { name: marks.name, date_of_birth: '1961-12-13' }],
    ['aml_screening', { name: marks.company, type: 'organization' }],
    ...(canCompare ? [['nin_verify', { nin: marks.nin, selfie_image: picture.toString('base64') }] as [string, object]] : []).map(
      ([check, input]): [string, Record<string, unknown>] => [check, { ...input }],
    ),
  ];
  const answered: Record<string, string> = {};
  const jobs: string[] = [];
  for (const [at, [check, input]] of inputs.entries()) {
    const job = { check, input, reference: marks.reference, metadata: { note: marks.metadata }, consent, callback_url: callback };
    const made = await done(post('/jobs', job, { 'Idempotency-Key': `${marks.idempotency}-${at}` }));
    const over = await waitFor(`the job ${check}`, async () => {
      const { entity } = (await api.get(`/api/v1/jobs/${idOf(made)}`)).body;
      return ['completed', 'failed'].includes(entity.status) && entity;
    });
    jobs.push(over.id);
    for (const member of ['telephoneno', 'tracking_id', 'residential_address', 'email', 'tracking_id', 'phone_number1'])
      if (typeof over.result?.[member] === 'string' && over.result[member].length >= 10)
        answered[`${check} ${member}`] = over.result[member];
  }
  expect.soft(Object.keys(answered).length).toBeGreaterThan(2);
  // A case that is commented on and decided, and what a list said later of a monitored person.
  const cases = JSON.parse((await ask('GET', '/reviews?kind=aml')).text).entity.data as { id: string }[];
  expect(cases.length).toBeGreaterThan(0);
  await done(post(`/reviews/${cases[0]!.id}/comment`, { text: marks.note }));
  await done(
    post(
      `/reviews/${cases[0]!.id}/decide`,
      { decision: 'approve', reason: marks.decision },
      { 'Idempotency-Key': `${marks.idempotency}-case` },
    ),
  );
  await waitFor('the hit', async () => {
    const { data } = JSON.parse((await ask('GET', '/aml/monitors')).text).entity as { data: { name: string; hits: number }[] };
    return data.some(({ name, hits }) => name === marks.watched && hits > 0);
  });
  // A workbook, and pictures in a call and in a batch.
  const sheet = await xlsx(['nin', 'note'], [marks.sheetNin!, marks.sheetCell!], ['nobody', marks.sheetCell!]);
  const sheets = [await done(ask('POST', '/batches?checks=nin_basic', sheet, { 'Content-Type': XLSX }))];
  if (canCompare) {
    const face = { id_type: 'NIN', id_number: marks.nin, image: picture.toString('base64') };
    await done(post('/kyc/photoid/verify', face));
    const line = JSON.stringify({ ...face, id_number: marks.rowFaceNin });
    sheets.push(
      await done(
        ask('POST', '/batches?checks=photoid_verify', `${JSON.stringify(face)}\n${line}\n`, { 'Content-Type': 'application/x-ndjson' }),
      ),
    );
  }
  for (const made of sheets) await api.until(idOf(made), 'to complete', ({ status }) => status === 'completed');
  const csv = [
    `${clearMarks.column},reference,note`,
    `${marks.rowNin},${marks.reference},${marks.cell}`,
    `${marks.nin},b,${marks.address}`,
    `123,c,${marks.cell}`,
  ].join('\n');
  const query = new URLSearchParams({
    checks: 'nin_advance',
    reference: marks.reference!,
    metadata: JSON.stringify({ note: marks.metadata }),
    callback_url: callback,
    'map.nin': clearMarks.column!,
  });
  const batches = [await api.upload(csv, String(query)), await api.upload(csv, String(query))];
  for (const id of batches) await api.until(id, 'to complete', ({ status }) => status === 'completed');
  for (const format of ['csv', 'jsonl', 'xlsx'])
    expect((await ask('GET', `/batches/${batches[0]}/results?format=${format}`)).status).toBe(200);
  await done(post(`/batches/${batches[0]}/links`, { kind: 'results', format: 'csv', expires_in_seconds: 600 }));
  await done(post(`/jobs/${jobs[0]}/reveal`, { purpose: 'complaint', reason: marks.reason }));
  await done(
    post('/aml/clearances', { name: marks.name, list: 'ofac_sdn', source_id: '9900002', reason: marks.reason, cleared_by: marks.analyst }),
  );
  await done(post('/subjects/holds', { identifiers: [{ type: 'phone', value: marks.phone }], reason: marks.reason }));
  await done(post('/consents/withdrawals', { reference: `${marks.consent}-withdrawn` }));
  const invited = await done(admin('POST', '/people', { email: marks.invited, app: app_id, role: 'approver' }));
  const browser = new Browser({ url: `http://127.0.0.1:${port}` });
  browser.app = app_id;
  const token = tokenIn(JSON.parse(invited.text).entity.link);
  const signedIn = await browser.post('/api/v1/session/link', { token, password: PASSWORD, name: marks.member });
  expect(signedIn.status, signedIn.text).toBe(200);
  // Refused, and so in errors rather than in rows.
  expect((await ask('GET', `/kyc/nin/advance?nin=${marks.nin}9`)).status).toBe(400);
  expect((await post('/jobs', { check: 'nin_advance', input: { nin: `${marks.nin}9`, [marks.reason!]: 1 } })).status).toBe(400);
  expect((await ask('POST', '/jobs', `{"nin":"${marks.nin}`, json)).status).toBe(400);
  await ask('GET', `/batches/${marks.reference}`);
  const whom = { identifiers: [{ type: 'nin', value: marks.nin }], reason: marks.reason };
  const asked = await done(post('/subjects/export', whom));
  await waitFor('the export', async () => (await ask('GET', `/subjects/exports/${idOf(asked)}`)).text.includes('"status":"done"'));
  expect((await ask('GET', `/subjects/exports/${idOf(asked)}/file`)).text).toContain(marks.nin);
  // A file of a person that somebody else must approve, and declines to.
  await done(admin('PATCH', `/apps/${app_id}`, { settings: { approveExport: true } }));
  const again = await done(post('/subjects/export', { ...whom, reason: marks.approval }));
  await waitFor('the export', async () => (await ask('GET', `/subjects/exports/${idOf(again)}`)).text.includes('"status":"done"'));
  const waiting = await waitFor('the approval to be asked for', async () => {
    const answer = await ask('GET', `/subjects/exports/${idOf(again)}/file`);
    return answer.status === 202 && answer;
  });
  const declined = await browser.post(`/api/v1/approvals/${idOf(waiting)}/decline`, { reason: marks.declined });
  expect(declined.status, declined.text).toBe(200);
  // Everything the app holds, as the operator takes it away.
  await done(admin('POST', `/apps/${app_id}/suspend`));
  const whole = await done(admin('GET', `/apps/${app_id}/export`));
  for (const text of [marks.nin!, marks.note!, marks.sheetCell!]) expect.soft(whole.text.includes(text), text).toBe(true);
  await done(admin('POST', `/apps/${app_id}/resume`));
  await waitFor('the app to be back', async () => (await ask('GET', '/wallet')).status === 200);
  // What is stored once all of that has happened, before anything of it goes.
  const wanted = Object.entries({
    ...Object.fromEntries(Object.entries({ ...marks, ...answered }).map(([name, text]) => [name, Buffer.from(text)])),
    portrait,
  });
  const columns = await columnsOf(embeddedServer(data).url);
  const inColumns = (mark: Buffer) =>
    [...columns].flatMap(([column, values]) => (values.some((value) => has(value, mark)) ? [column] : []));
  expect.soft(wanted.flatMap(([name, mark]) => inColumns(mark).map((column) => `${name} in ${column}`))).toEqual([]);
  const inClear = Object.values(clearMarks).flatMap((text) => inColumns(Buffer.from(text)));
  expect.soft([...new Set(inClear)].toSorted()).toEqual(documented());

  expect((await ask('DELETE', `/batches/${batches[1]}`)).status).toBe(202);
  const erased = await done(post('/subjects/erase', { identifiers: [{ type: 'nin', value: marks.rowNin }] }));
  await waitFor('the erasure', async () => (await ask('GET', `/subjects/erasures/${idOf(erased)}`)).text.includes('"status":"done"'));

  // The memory of a process must hold what it works on. A dump of it does not.
  const dumped = dump(confam.pid);
  expect(readFileSync(`/proc/${confam.pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
  const companions = processesMentioning('--companion').filter((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(data));
  expect.soft(companions).toHaveLength(2);
  for (const pid of companions) expect(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
  let isInMemory = false;
  for (const bytes of memoryOf(confam.pid)) isInMemory ||= bytes.includes(marks.nin!);
  expect(isInMemory, 'the search finds what is there').toBe(true);

  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Authorization: admin_key } })).text();
  const whileUp = filesIn(temporary).map((path) => [path, readFileSync(path)] as const);
  confam.interrupt();
  await confam.ended(30_000);

  const places: (readonly [string, Buffer])[] = [
    ['log', Buffer.from(confam.stdout() + confam.stderr())],
    ['metrics', Buffer.from(metrics)],
    ...(dumped ? [['core dump', dumped] as const] : []),
    ...whileUp,
    ...[data, realpathSync(join(data, 'postgres')), temporary, ...(redis ? [redisDir] : [])].flatMap(filesIn).flatMap((path) => {
      const isSmall = statSync(path).size < 512 * 1024 * 1024;
      return isSmall ? [[path, readFileSync(path)] as const] : [];
    }),
  ];
  // The search finds what is there: the address of the endpoint is stored in the clear.
  expect(places.some(([, bytes]) => bytes.includes(callback))).toBe(true);
  expect(places.some(([path]) => path.includes('pg_wal'))).toBe(true);
  const found = places.flatMap(([path, bytes]) =>
    wanted.filter(([, mark]) => has(bytes, mark)).map(([name]) => `${name} in ${path.replace(folder.path, '')}`),
  );
  expect(found).toEqual([]);
}, 300_000);
