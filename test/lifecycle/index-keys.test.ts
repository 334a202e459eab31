/** A change of the index key, on one database: what was stored by the old key is found by the new one, protects and is carried on, and the old key may go. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealHeads, verifyAudit } from '../../src/access/audit/verify.ts';
import { claimKey } from '../../src/access/idempotency.ts';
import { openMisses } from '../../src/access/misses.ts';
import { ensurePerson, findAccount } from '../../src/access/people/accounts.ts';
import { beginAttempt } from '../../src/access/people/attempts.ts';
import { newRecoveryCodes, useRecoveryCode } from '../../src/access/people/recovery-codes.ts';
import { type ClearanceRequest, readClearances } from '../../src/aml/clearances.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import { checkIndexKeys } from '../../src/doctor/stores.ts';
import { openDeployed } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { openIndexer } from '../../src/foundation/index-keys.ts';
import { recordset } from '../../src/foundation/recordset.ts';
import { marksOf } from '../../src/lifecycle/data-subjects.ts';
import { carryHoldsOn } from '../../src/lifecycle/holds.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { sweepRetention } from '../../src/lifecycle/retention.ts';
import { INDEXED, renewIndexes } from '../../src/lifecycle/rotation/reindex.ts';
import { type BatchEntity, type Client, type JobEntity, openClient, startApi, type TestApi, type TestApp } from '../setup/api.ts';
import { asOwner, createDatabase, type TestDatabase, waitFor } from '../setup/database.ts';
import { digestOf, listed, putVersion } from '../setup/lists.ts';
import { freshNin, never } from '../setup/work.ts';

const next = newSecretKey();
let database: TestDatabase;
let api: TestApi;
let app: TestApp;
/** With a monitor and a batch by the first key, and later without data keys. */
let closing: TestApp;
let first: string;

/** The service as it is after a restart with these settings. */
async function restart(indexKey: string): Promise<void> {
  await api?.stop();
  api = await startApi({ CONFAM_INDEX_KEY: indexKey }, database);
  if (app) {
    const [test, live] = [app.key, app.live.key];
    app = { ...openClient(api.url, app.app, test), live: openClient(api.url, app.app, live), keyId: app.keyId };
  }
}

beforeAll(async () => {
  database = await createDatabase();
  first = database.config().CONFAM_INDEX_KEY!;
  await restart(first);
  app = await api.createApp();
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const [held, person, gone] = [freshNin(), freshNin(), freshNin()];
const screened = { name: 'Tamunokuro Ebiware Sotonye', date_of_birth: '1971-05-06', country: 'NG' };
const consent = { reference: 'form-9', purpose: 'onboarding', obtained_at: '2025-01-02T00:00:00Z' };
const other = { ...consent, reference: 'form-10' };
const LIST = 'un_sc';
const entry = listed('T.1', 'Tamunokuro Sotonye');

const call = (who: Client, nin: string, headers = {}) => who.get(`/api/v1/kyc/nin?nin=${nin}`, headers);
const withdrawn = (reference: string) => app.post<{ id: string }>('/api/v1/consents/withdrawals', { reference });
const replay = (nin: string) =>
  app.post('/api/v1/jobs', { check: 'nin_basic', input: { nin }, reference: 'once' }, { 'Idempotency-Key': 'nightly 1' });
const jobsOf = async (reference: string) =>
  (await app.get<{ data: JobEntity[] }>(`/api/v1/jobs?reference=${reference}`)).body.entity.data.map(({ id }) => id);
const batchesOf = async (reference: string) =>
  (await app.get<{ data: BatchEntity[] }>(`/api/v1/batches?reference=${reference}`)).body.entity.data.map(({ id }) => id);

async function upload(query: string, text: string, who = app): Promise<string> {
  const made = await who.csv(`checks=nin_basic&${query}`, text);
  expect(made.status, made.text).toBe(202);
  return (await who.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`)).id;
}

interface Signed {
  receipt: string;
  signature: string;
}

interface Erasure extends Signed {
  id: string;
  status: string;
  counts: Record<string, number>;
  kept: Record<string, number>;
}

async function erase(...identifiers: object[]): Promise<Erasure> {
  return erased((await app.post<Erasure>('/api/v1/subjects/erase', { identifiers })).body.entity.id);
}

const erased = (id: string): Promise<Erasure> =>
  waitFor('the erasure', async () => {
    const { entity } = (await app.get<Erasure>(`/api/v1/subjects/erasures/${id}`)).body;
    return entity.status === 'done' && entity;
  });

/** Deletes another app. Returns its certificate. */
async function certified(): Promise<Signed> {
  const path = `/api/v1/admin/apps/${(await api.createApp({ naira: 0 })).app}`;
  expect((await api.admin.post(`${path}/suspend`)).status).toBe(200);
  expect((await api.admin.post(`${path}/deletion`, {})).status).toBe(202);
  return waitFor('the deletion', async () => {
    const { status, certificate, signature } = (
      await api.admin.get<{ status: string; certificate: string; signature: string }>(`${path}/deletion`)
    ).body.entity;
    return status === 'done' && { receipt: certificate, signature };
  });
}

/** A file that a thread reads (`upload-threads.ts`). Lines of delimiters are blank and do not count. */
const large = (nin: string): string => `nin,note\n${nin},x\n${',\n'.repeat(150 * 1024)}`;

/** How many answers for a file the cache is said to have. */
async function cachedFor(text: string): Promise<number> {
  const answer = await app.post<BatchEntity>('/api/v1/batches/quote?checks=nin_basic', text, { 'Content-Type': 'text/csv' });
  expect(answer.status, answer.text).toBe(200);
  return (answer.body.entity.counts as unknown as { expected_cache_hits: number }).expected_cache_hits;
}

async function found(nin: string): Promise<Record<string, number>> {
  const { id } = (
    await app.post<{ id: string }>('/api/v1/subjects/export', { identifiers: [{ type: 'nin', value: nin }], reason: 'asked' })
  ).body.entity;
  return waitFor('the export', async () => {
    const { entity } = (await app.get<{ status: string; counts: Record<string, number> }>(`/api/v1/subjects/exports/${id}`)).body;
    return entity.status === 'done' && entity.counts;
  });
}

/** Hashes by the first key, by table. */
async function byFirstKey(): Promise<Record<string, number>> {
  const { sql } = api.service;
  const left: Record<string, number> = {};
  for (const { table, columns, where = 'true' } of [...INDEXED, { table: 'aml_monitors', columns: ['subject'] }]) {
    const is = columns.map((column) => `octet_length(t.${column}) = 32`).join(' or ');
    const [row] = await sql.unsafe<{ n: number }[]>(`select count(*)::int as n from ${table} t where ${where} and (${is})`);
    if (row!.n > 0) left[table] = (left[table] ?? 0) + row!.n;
  }
  return left;
}

interface Clearance {
  id: string;
  reason: string;
}

const clear = (reason: string) =>
  app.live.post<Clearance>('/api/v1/aml/clearances', {
    ...screened,
    list: LIST,
    source_id: 'T.1',
    reason,
    cleared_by: 'Ibinabo (compliance)',
  });
const clearances = async () =>
  (await app.live.get<{ data: Clearance[] }>('/api/v1/aml/clearances?source_id=T.1')).body.entity.data.map(({ reason }) => reason);

/** Whether a screening of the person, as it would be now, knows the entry as cleared. */
async function isCleared(): Promise<boolean> {
  const check = knownCheck('aml_screening');
  const request: ClearanceRequest = {
    appId: parseId('app', app.app)!,
    live: true,
    subjects: api.service.cipher.indexes('subject', check.family, check.subject(screened)),
    matches: [{ list: LIST, sourceId: 'T.1', digest: digestOf(entry) }],
  };
  return (await readClearances(api.service, [request]))[0]![0] !== null;
}

const screen = async (who = app) => {
  const { id } = (await who.job({ check: 'aml_screening', input: { ...screened, monitor: true }, consent: other })).body.entity;
  await who.ended(`/api/v1/jobs/${id}`);
  return id;
};
const monitorsOf = async (job: string) =>
  (await app.get<{ data: { id: string }[] }>(`/api/v1/aml/monitors?job=${job}`)).body.entity.data.map(({ id }) => id);
const isValid = async ({ receipt, signature }: Signed, who: Client = app, path = '/api/v1/subjects/receipts') =>
  (await who.post<{ valid: boolean }>(path, { receipt, signature })).body.entity.valid;
const isValidToOperator = (signed: Signed) => isValid(signed, api.admin, '/api/v1/admin/receipts');

interface Stored {
  once: string;
  batch: string;
  receipt: Erasure;
  certificate: Signed;
  link: string;
  cursor: string;
  codes: string[];
  personId: string;
  screening: string;
  monitors: string[];
  fingerprint: string;
}
let old: Stored;
const preview = async () =>
  (
    await app.post<{ fingerprint: string; saved_mapping: object | null }>('/api/v1/batches/preview?checks=nin_basic', 'nin,note\n1,2\n', {
      'Content-Type': 'text/csv',
    })
  ).body.entity;

test('every column with a hash that lasts is known to the re-indexing', async () => {
  const columns = await asOwner(
    database.url,
    (sql) => sql<{ name: string }[]>`
    select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.atttypid = 'bytea'::regtype
      and (a.attname ~ '(^|_)index$' or a.attname in ('subject', 'reference', 'consent', 'key') or c.relname = 'recovery_codes')`,
  );
  const known = INDEXED.flatMap(({ table, columns: named }) => named.map((column) => `${table}.${column}`));
  const others = {
    sealedAnew: ['aml_monitors.subject'],
    chained: ['audit_entries.subject'],
    shortLived: [
      'cache_records.key',
      'cache_records.subject',
      'pending_lookups.key',
      'pending_lookups.subject',
      'pending_lookups.ticket_index',
      'idempotency_keys.key',
      'miss_counts.key',
      'sign_in_failures.key',
    ],
    // Digests of API keys, counted for a minute.
    noHash: ['request_counts.key'],
  };
  const named = new Set([...known, ...Object.values(others).flat()]);
  expect(columns.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  expect(columns.length).toBeGreaterThan(15);
});

test('the first key alone, as every deployment has it', async () => {
  const { service } = api;
  await putVersion(service, LIST, [entry]);
  expect((await call(app, person)).body.cached).toBe(false);
  for (const nin of [held, gone]) await call(app, nin);
  const batch = await upload('reference=march', `nin,note\n${person},a\n${held},b\n${freshNin()},${person}\n`);
  closing = await api.createApp();
  await screen(closing);
  await upload('', `nin\n${freshNin()}\n`, closing);
  await markRows(service, never, { restless: true });
  const once = (await replay(person)).body.entity.id as string;
  await app.ended(`/api/v1/jobs/${once}`);
  await app.ended(`/api/v1/jobs/${(await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity.id}`);
  expect((await withdrawn(consent.reference)).status).toBe(200);
  const hold = await app.post('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: held }], reason: 'Suit 17' });
  expect(hold.status, hold.text).toBe(201);
  const screening = await screen();
  const cleared = await clear('first');
  expect(cleared.status, cleared.text).toBe(201);
  const personId = await service.sql.begin((tx) => ensurePerson(service, tx, 'ada@bank.example'));
  const codes = await newRecoveryCodes(service, personId);
  const receipt = await erase({ type: 'nin', value: gone });
  await sealHeads(service);
  const link = (await app.post<{ path: string }>(`/api/v1/batches/${batch}/links`, { kind: 'results', expires_in_seconds: 600 })).body
    .entity.path;
  const cursor = (await app.get<{ next_cursor: string }>('/api/v1/jobs?limit=1')).body.entity.next_cursor;
  const { fingerprint } = await preview();
  const certificate = await certified();
  old = { once, batch, receipt, certificate, link, cursor, codes, personId, screening, monitors: await monitorsOf(screening), fingerprint };
  expect(old.monitors).toHaveLength(1);
  // No id in what it made.
  expect(await copies()).toEqual([1]);
  expect(Object.keys(await byFirstKey()).sort()).toEqual(
    ['aml_clearances', 'aml_monitors', 'batches', 'consent_withdrawals', 'jobs', 'people', 'recovery_codes'].sort(),
  );
});

const copies = async () =>
  (await api.service.sql<{ id: string }[]>`select id from data_keys where id < '00000000-0000-8000-8000-000000000100' order by id`).map(
    ({ id }) => Number(id.slice(-2)),
  );

/** Everything that the first key made is found and counts. */
async function expectFound(calls: number): Promise<void> {
  expect((await call(app, person)).body.cached).toBe(true);
  expect(await jobsOf('once')).toEqual([old.once]);
  expect(await batchesOf('march')).toEqual([old.batch]);
  expect((await call(app, freshNin(), { Consent: JSON.stringify(consent) })).body.code).toBe('consent_withdrawn');
  expect(await found(person)).toMatchObject({ jobs: 1, calls, rows: 2 });
  expect(await monitorsOf(old.screening)).toEqual(old.monitors);
  expect(await isCleared()).toBe(true);
  expect(await findAccount(api.service, 'Ada@bank.example')).toMatchObject({ id: old.personId });
  expect(await useRecoveryCode(api.service, old.personId, old.codes.pop()!)).not.toBeNull();
  for (const signed of [old.receipt, old.certificate]) {
    expect(await isValidToOperator(signed)).toBe(true);
    expect(await isValidToOperator({ ...signed, receipt: signed.receipt.replace('finished', 'ended') })).toBe(false);
  }
  expect(await isValid(old.receipt)).toBe(true);
  expect(await cachedFor(large(person))).toBe(1);
  expect((await preview()).fingerprint).toBe(old.fingerprint);
  expect((await verifyAudit(api.service)).problems).toEqual([]);
}

test('a single wrong key refuses the start, `confam doctor` says the same, and a database of an earlier release gets its copy', async () => {
  const open = (indexKey: string) => openDeployed(database.config({ CONFAM_INDEX_KEY: indexKey }), database.url);
  const wrong = newSecretKey();
  const refusal = 'CONFAM_INDEX_KEY: its key 1 is not the key 1 with which this database was indexed';
  await expect(open(wrong)).rejects.toThrow(refusal);
  expect(await checkIndexKeys(api.service.sql, database.config({ CONFAM_INDEX_KEY: wrong }))).toMatchObject({
    state: 'broken',
    says: refusal,
  });
  await api.service.sql`delete from data_keys where id < '00000000-0000-8000-8000-000000000100'`;
  await (await open(first)).close();
  expect(await copies()).toEqual([1]);
  await expect(open(wrong)).rejects.toThrow(refusal);
});

test('with a new key first, everything that the old key made is found, replayed and protects', async () => {
  await restart(`2:${next},1:${first}`);
  expect(await copies()).toEqual([1, 2]);
  await expectFound(2);
  const again = await replay(person);
  expect([again.body.entity.id, again.headers.get('idempotency-replayed')]).toEqual([old.once, 'true']);
  expect((await replay(freshNin())).body.code).toBe('idempotency_mismatch');
  expect((await app.get(old.link)).status).toBe(200);
  expect((await app.get(`/api/v1/jobs?limit=1&cursor=${old.cursor}`)).status).toBe(200);
  // What must be unique stays so.
  expect((await withdrawn(consent.reference)).status).toBe(200);
  const { sql } = api.service;
  expect(await sql`select 1 from consent_withdrawals`).toHaveLength(1);
  expect(await sql.begin((tx) => ensurePerson(api.service, tx, 'ADA@bank.example'))).toBe(old.personId);
  const job = await screen();
  expect(await monitorsOf(job)).toEqual(old.monitors);
  expect(await sql`select 1 from aml_monitors where app_id = ${parseId('app', app.app)!}`).toHaveLength(1);
  expect((await clear('second')).status).toBe(201);
  expect(await clearances()).toEqual(['second']);
});

test('a hold by the old key protects what the new key made', async () => {
  await call(app, held);
  expect(await erase({ type: 'nin', value: held })).toMatchObject({ counts: {}, kept: { calls: 2, rows: 1 } });
  await carryHoldsOn(api.service);
  expect(await heldCalls()).toEqual({ old: 1, new: 1 });
});

/** Calls that retention leaves alone, by the key of their subject. */
const heldCalls = async () =>
  (
    await api.service.sql<{ old: number; new: number }[]>`
      select count(*) filter (where octet_length(j.subject) = 32)::int as old, count(*) filter (where octet_length(j.subject) = 33)::int as new
      from jobs j join subject_holds h on j.subject = any(h.subjects) where j.batch_id is null and j.input is null`
  )[0]!;

test('a missing or wrong key refuses the start by its id, and `confam doctor` says the same', async () => {
  const open = (indexKey: string) => openDeployed(database.config({ CONFAM_INDEX_KEY: indexKey }), database.url);
  await expect(open(`2:${newSecretKey()},1:${first}`)).rejects.toThrow(
    'CONFAM_INDEX_KEY: its key 2 is not the key 2 with which this database was indexed',
  );
  await expect(open(newSecretKey())).rejects.toThrow('CONFAM_INDEX_KEY: its key 1 is not the key 1');
  await expect(open(`4:${newSecretKey()},2:${next}`)).rejects.toThrow('CONFAM_INDEX_KEY: key 3 is missing');
  const doctor = (indexKey: string) => checkIndexKeys(api.service.sql, database.config({ CONFAM_INDEX_KEY: indexKey }));
  expect(await doctor(`2:${next},1:${first}`)).toMatchObject({
    state: 'note',
    says: expect.stringContaining('key 2 is the current one, 1 beside it'),
  });
  expect(await doctor(`4:${newSecretKey()}`)).toMatchObject({ state: 'broken', says: expect.stringContaining('key 3 is missing') });
  const fresh = await createDatabase();
  await expect(openDeployed(fresh.config({ CONFAM_INDEX_KEY: `2:${next}` }), fresh.url)).rejects.toThrow('key 1 is missing');
  await fresh.drop();
  // Without the keys that wrap its copies.
  const lost = { CONFAM_INDEX_KEY: `2:${next}`, CONFAM_KEYS: `2:${newSecretKey()}` };
  await expect(openDeployed(database.config(lost), database.url)).rejects.toThrow(
    'key 1 is not in it, and the copy in the database does not open',
  );
  await expect(openDeployed(database.config({ ...lost, CONFAM_KEYS: `1:${newSecretKey()}` }), database.url)).rejects.toThrow(
    'CONFAM_KEYS: its key 1 is not the one that this database was sealed with',
  );
});

test('while processes have different settings, each finds what the others write, and nothing is accepted or forgiven twice', async () => {
  const settings = { CONFAM_MISSES_PER_SUBJECT: '2' };
  const before = database.openContext({ ...settings, CONFAM_INDEX_KEY: `1:${first},2:${next}` });
  const after = database.openContext({ ...settings, CONFAM_INDEX_KEY: `2:${next},1:${first}` });
  try {
    const id = await after.sql.begin((tx) => ensurePerson(after, tx, 'bisi@bank.example'));
    expect(await findAccount(before, 'bisi@bank.example')).toMatchObject({ id });

    const owner = { appId: parseId('app', app.app)!, live: false };
    for (let i = 0; i < 10; i++) {
      const claims = await Promise.all([before, after, before, after].map((ctx) => claimKey(ctx, { ...owner, key: `both ${i}` })));
      expect(claims.map(({ state }) => state).sort()).toEqual(['claimed', 'in_progress', 'in_progress', 'in_progress']);
      for (const claimed of claims) if (claimed.state === 'claimed') await claimed.claim.release();
    }

    const claimant = { network: '192.0.2.7', email: 'bisi@bank.example', browser: null };
    for (let i = 0; i < 10; i++) await beginAttempt(before, claimant);
    await expect(beginAttempt(after, claimant)).rejects.toMatchObject({ code: 'rate_limited' });

    const [check, input] = [knownCheck('nin_basic'), { nin: freshNin() }];
    for (const ctx of [before, after]) {
      const misses = await openMisses(ctx);
      const attempt = misses.begin({ ...owner, settings: {} }, check, input, 'call');
      await attempt.missed();
      attempt.end();
      if (ctx === after) expect(() => misses.begin({ ...owner, settings: {} }, check, input, 'call')).toThrow('Too many look-ups');
      await misses.close();
    }
  } finally {
    await Promise.all([before.close(), after.close()]);
  }
});

test('stored hashes are carried on; then the old key goes from the settings and everything is found as before', async () => {
  const { sql } = api.service;
  // Deleted, and not purged yet: nothing of it can be opened.
  const closed = parseId('app', closing.app)!;
  await sql`update apps set deleted_at = now() where id = ${closed}`;
  await sql`delete from data_keys where app_id = ${closed}`;
  const done = await renewIndexes(api.service, never);
  expect(done.faults).toEqual([]);
  expect(done.renewed).toMatchObject({ app_deletions: 1, erasures: 1 });
  expect(await byFirstKey()).toEqual({ aml_monitors: 1 });
  await sql`delete from aml_monitors where app_id = ${closed}`;
  const marked = await sql<{ appId: string }[]>`
    select distinct b.app_id from row_marks m join batches b on b.id = m.batch_id where m.bucket < 1 << 24`;
  expect(marked.map(({ appId }) => appId)).toEqual([closed]);
  expect((await renewIndexes(api.service, never)).renewed).toEqual({});

  await restart(`2:${next}`);
  expect(await copies()).toEqual([1, 2]);
  expect(await checkIndexKeys(api.service.sql, api.service.config)).toMatchObject({
    state: 'ok',
    says: 'key 2 is the current one, 1 kept in the database',
  });
  await expectFound(3);
  expect((await app.get(old.link)).body.code).toBe('link_invalid');
  expect(await clearances()).toEqual(['second']);
  expect(await erase({ type: 'nin', value: held })).toMatchObject({ kept: { calls: 2, rows: 1 } });
  expect(await erase({ type: 'nin', value: person })).toMatchObject({ counts: { jobs: 1, calls: 3, rows: 2, cached_answers: 1 } });
  expect((await call(app, person)).body.cached).toBe(false);
  await sweepRetention(api.service, never, 4_000);
  expect(await heldCalls()).toEqual({ old: 0, new: 2 });
  expect(await api.service.sql`select 1 from jobs where batch_id is null and input is null and subject is not null`).toHaveLength(2);
});

test('erasures that a journal by the old key repeats are worked on together, and each finds its own', async () => {
  const { sql } = api.service;
  const people = [freshNin(), freshNin()];
  for (const nin of [...people, people[0]!]) await call(app, nin);
  await upload('', large(people[1]!));
  await markRows(api.service, never, { restless: true });
  const owner = { appId: parseId('app', app.app)!, live: false };
  const before = openIndexer(first);
  const rows = people.map((value) => ({ id: newId(), marks: JSON.stringify(marksOf(before, owner, [{ type: 'nin', value }])) }));
  await sql`
    insert into erasures (id, app_id, live, marks, journaled_at) select id, ${owner.appId}, ${owner.live}, marks::jsonb, now()
    from ${recordset(sql, rows, { id: ['uuid', (r) => r.id], marks: ['text', (r) => r.marks] })} t`;
  const [one, other] = await Promise.all(rows.map(({ id }) => erased(showId('ers', id))));
  // Whom an answer kept for a day names is not known: the first of them has all of those.
  expect(one!.counts).toEqual({ calls: 2, cached_answers: 1, kept_answers: 1 });
  expect(other!.counts).toEqual({ calls: 1, rows: 1, cached_answers: 1 });
  expect(await isValid(one!)).toBe(true);
});
