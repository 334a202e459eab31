/** The end of an app: what is in the way, its file, its deletion over HTTP, the certificate. `purge-app.test.ts` has its steps. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { inviteToApp } from '../../src/access/people/links.ts';
import { ask } from '../../src/approvals/approvals.ts';
import { packImages } from '../../src/batches/images.ts';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { WALLED_TABLES } from '../../src/foundation/wall-tables.ts';
import { suspendDeletedApps } from '../../src/lifecycle/journal.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { addHits } from '../setup/screening.ts';
import { freshNin } from '../setup/work.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-app-deletion-'));
const journal = join(folder, 'erasures.jsonl');
const api = useApi({ CONFAM_ERASURE_JOURNAL: journal });
afterAll(() => rmSync(folder, { recursive: true }));

interface Deletion {
  status: string;
  counts: Record<string, number>;
  certificate: string | null;
  signature: string | null;
  finished_at: string | null;
}

const admin = (app: TestApp, path: string) => `/api/v1/admin/apps/${app.app}${path}`;
const remove = (app: TestApp, body: object = {}) => api.admin.post<Deletion>(admin(app, '/deletion'), body);
const suspend = async (app: TestApp) => expect((await api.admin.post(admin(app, '/suspend'))).status).toBe(200);
const deleted = (app: TestApp) =>
  waitFor('the deletion', async () => {
    const { entity } = (await api.admin.get<Deletion>(admin(app, '/deletion'))).body;
    return entity.status === 'done' && entity;
  });

async function fileOf(app: TestApp) {
  const file = await api.admin.get(admin(app, '/export'));
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return file.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { object: string });
}

/** Work of every kind, over HTTP, about people whose numbers nobody else asks for. */
async function appWithData(): Promise<{ app: TestApp; batch: string; job: string; nins: string[] }> {
  const app = await api.createApp();
  const appId = parseId('app', app.app)!;
  await topUp(api.service.sql, { appId, live: true }, 5_000_00, null);
  await inviteToApp(api.service, { email: `${app.app}@example.com`, appId, role: 'owner' });
  await app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook' });
  const nins = Array.from({ length: 40 }, freshNin);
  const made = await app.csv('checks=nin_advance&reference=loan-7', `nin,note\n${nins.map((nin) => `${nin},x`).join('\n')}\nnobody,y\n`);
  const batch = (await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`)).id;
  const asked = (await app.job({ check: 'nin_advance', input: { nin: nins[0] }, reference: 'r-1' })).body.entity;
  const job = (await app.ended<JobEntity>(`/api/v1/jobs/${asked.id}`)).id;
  await app.get(`/api/v1/kyc/nin/advance?nin=${nins[1]}`);
  const screened = (await app.job({ check: 'aml_screening', input: { name: 'Ada Obi', monitor: true } })).body.entity;
  await app.ended(`/api/v1/jobs/${screened.id}`);
  await app.post('/api/v1/consents/withdrawals', { reference: 'C-17' });
  return { app, batch, job, nins };
}

/** Tables that still have rows of the app, as the wall declares whose they are. */
async function tablesOf(app: TestApp): Promise<string[]> {
  const appId = parseId('app', app.app)!;
  const own = Object.entries(WALLED_TABLES).flatMap(([table, { kind, ...walled }]) =>
    kind === 'tenant' ? [[table, (walled as { column: string }).column] as const] : [],
  );
  const found: string[] = [];
  for (const [table, column] of own)
    if ((await api.service.sql.unsafe(`select 1 from ${table} where ${column} = $1 limit 1`, [appId])).length > 0) found.push(table);
  return found.sort();
}

/** Books and proofs, and rows without personal data. */
const KEPT = [
  'api_keys',
  'app_deletions',
  'apps',
  'audit_entries',
  'audit_heads',
  'audit_seals',
  'batches',
  'deletions',
  'holds',
  'lanes',
  'ledger_entries',
  'usage_days',
  'wallets',
];

test('an app is exported, deleted and certified; its keys end at once, its books stay, others notice nothing', async () => {
  const { app, batch, job, nins } = await appWithData();
  const other = await api.createApp();

  expect((await api.admin.get(admin(app, '/export'))).status).toBe(409);
  const refused = await remove(app);
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect(refused.body.details.map(({ path, rule }) => `${path} ${rule}`)).toEqual(['app suspended', 'balance required']);
  await suspend(app);

  const lines = await fileOf(app);
  const of = (object: string) => lines.filter((line) => line.object === object);
  expect(lines.at(-1)).toEqual({ object: 'end', lines: lines.length - 1 });
  expect(of('app_export')[0]).toMatchObject({ app: { id: app.app, name: 'Test' } });
  expect(of('person')).toMatchObject([{ email: `${app.app}@example.com`, role: 'owner' }]);
  expect(of('key')).toHaveLength(2);
  expect(of('wallet')).toMatchObject([{ mode: 'live', available: 5_000 }, { mode: 'test' }]);
  expect(of('wallet_entry').length).toBeGreaterThan(4);
  expect(of('job').find(({ id }) => id === job)).toMatchObject({ reference: 'r-1', submitted: { nin: nins[0] }, result: { nin: nins[0] } });
  expect(of('call')).toHaveLength(1);
  expect(of('batch')).toMatchObject([{ id: batch, reference: 'loan-7', columns: ['nin', 'note'] }]);
  expect(of('row').map(({ submitted }) => (submitted as { value: string }[])[0]!.value)).toEqual(nins);
  expect((of('row')[0]!.jobs as JobEntity[])[0]!.result).toMatchObject({ nin: nins[0] });
  expect(of('row_to_correct')).toMatchObject([{ batch, row: 41 }]);
  expect(of('aml_monitor')).toMatchObject([{ name: 'Ada Obi' }]);
  expect(of('consent_withdrawal')).toMatchObject([{ id: expect.stringMatching(/^wdr_/), live: false, withdrawn_by: { kind: 'key' } }]);

  expect((await remove(app)).body.error).toContain('the live wallet has ₦5,000');
  const asked = await remove(app, { balance: 'refunded' });
  expect([asked.status, asked.body.entity.status]).toEqual([202, 'running']);

  for (const client of [app, app.live]) expect((await client.get('/api/v1/wallet')).status).toBe(401);
  expect((await api.admin.get(admin(app, '/export'))).status).toBe(404);
  for (const verb of ['resume', 'suspend']) expect((await api.admin.post(admin(app, `/${verb}`))).status).toBe(404);
  expect((await api.admin.post(admin(app, '/keys'), { mode: 'test' })).status).toBe(404);
  expect((await api.admin.post(admin(app, '/topups'), { amount: 5 })).status).toBe(404);
  expect((await api.admin.get(admin(app, ''))).body.entity).toMatchObject({ id: app.app, deleted_at: expect.any(String) });
  expect((await other.get('/api/v1/wallet')).status).toBe(200);

  const { certificate, signature, counts } = await deleted(app);
  expect(counts).toMatchObject({ api_keys: 2, people: 1, members: 1, batches: 1, jobs: 2, calls: 1, monitors: 1, consent_withdrawals: 1 });
  expect(JSON.parse(certificate!)).toMatchObject({
    object: 'deletion_certificate',
    app: app.app,
    deleted: { batches: 1, jobs_of_batches: 40, jobs: 2, calls: 1, webhook_endpoints: 1 },
    balance: { amount: 5_000, became: 'refunded' },
  });
  expect(JSON.parse(certificate!).kept).toContainEqual({
    what: expect.stringContaining('ledger'),
    why: expect.stringContaining('note of a top-up'),
  });
  for (const nin of nins) expect(certificate).not.toContain(nin);
  for (const word of ['Obi', 'example.com', 'loan-7']) expect(certificate).not.toContain(word);
  expect((await tablesOf(app)).filter((table) => !KEPT.includes(table))).toEqual([]);
  const verdict = (receipt: string) => api.admin.post<{ valid: boolean }>('/api/v1/admin/receipts', { receipt, signature });
  expect((await verdict(certificate!)).body.entity.valid).toBe(true);
  expect((await verdict(certificate!.replace('refunded', 'written_off'))).body.entity.valid).toBe(false);
  // Whoever has a key of another app can have it checked as well, like the receipt of an erasure.
  expect((await other.post<{ valid: boolean }>('/api/v1/subjects/receipts', { receipt: certificate, signature })).body.entity.valid).toBe(
    true,
  );

  // Asked again: the same deletion. The audit has it once, with the export and the refund.
  expect((await remove(app)).body.entity.certificate).toBe(certificate);
  const audit = await api.admin.get<{ data: { action: string }[] }>(`/api/v1/admin/audit?app=${app.app}&limit=100`);
  const actions = audit.body.entity.data.map(({ action }) => action);
  expect(actions.filter((action) => ['app.delete', 'app.export', 'wallet.refund', 'wallet.writeoff'].includes(action)).sort()).toEqual([
    'app.delete',
    'app.export',
    'wallet.refund',
    'wallet.writeoff',
  ]);

  // A backup from before would bring it back: the journal says so, and whoever restores it gets it suspended.
  expect(readFileSync(journal, 'utf8')).toContain(app.app);
  await api.service.sql`update apps set deleted_at = null, disabled_at = null where id = ${parseId('app', app.app)!}`;
  expect(await suspendDeletedApps(api.service, journal)).toEqual([parseId('app', app.app)]);
  await api.service.sql`update apps set deleted_at = now() where id = ${parseId('app', app.app)!}`;
});

test('the file also has pictures of rows, every hit of a monitor, clearances that ended, and reasons', async () => {
  const { service } = api;
  const app = await api.createApp();
  const appId = parseId('app', app.app)!;
  const made = await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  const [row] = await service.sql<{ id: string }[]>`select id from jobs where batch_id = ${parseId('bat', batch.id)}`;
  const sealer = await service.cipher.sealer({ appId, batchId: parseId('bat', batch.id)! });
  const selfie = Buffer.from('a picture').toString('base64');
  const images = sealer.seal(packImages({ selfie_image: selfie }), 'images', row!.id);
  await service.sql`update jobs set images = ${images}, images_until = now() + interval '1 day' where id = ${row!.id}`;

  const listed = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
  const asked = (await app.job({ check: 'aml_screening', input: { ...listed, monitor: true } })).body.entity;
  const screened = await app.ended<JobEntity>(`/api/v1/jobs/${asked.id}`);
  const [hit] = screened.result!.hits as { list: string; source_id: string }[];
  const note = { list: hit!.list, source_id: hit!.source_id, reason: 'Another birth date', cleared_by: 'Ibinabo' };
  const clearances: string[] = [];
  for (let twice = 0; twice < 2; twice++)
    clearances.push((await app.post<{ id: string }>('/api/v1/aml/clearances', { ...listed, ...note })).body.entity.id);
  await app.send('DELETE', `/api/v1/aml/clearances/${clearances[1]}`);
  const [monitor] = (await app.get<{ data: { id: string }[] }>('/api/v1/aml/monitors')).body.entity.data;
  await addHits(service, appId, monitor!.id, 130);
  const { id: hold } = (
    await app.post<{ id: string }>('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: freshNin() }], reason: 'Suit 17' })
  ).body.entity;
  await app.send('DELETE', `/api/v1/subjects/holds/${hold}`);
  const request = { appId, live: false, action: 'reveal', target: showId('job', row!.id), reason: 'A complaint' } as const;
  await service.sql.begin((tx) => ask(service, tx, bySystem('test'), request));
  await service.sql.begin((tx) => ask(service, tx, bySystem('test'), { ...request, live: null, action: 'change_settings', reason: 'Why' }));

  await suspend(app);
  const lines = await fileOf(app);
  const of = (object: string) => lines.filter((line) => line.object === object);
  expect(of('row')[0]!.jobs).toMatchObject([{ pictures: { selfie_image: selfie } }]);
  expect(of('aml_monitor_hit').map((line) => line.source_id)).toEqual(Array.from({ length: 130 }, (_, n) => `Q${129 - n}`));
  expect(of('aml_monitor_hit')[0]).toMatchObject({ monitor: monitor!.id, name: 'Namesake 129' });
  expect(of('clearance').map(({ id, revoked_at }) => [id, revoked_at])).toEqual(
    clearances.toReversed().map((id) => [id, expect.any(String)]),
  );
  expect(of('subject_hold')).toMatchObject([{ id: hold, reason: 'Suit 17', lifted_at: expect.any(String) }]);
  expect(of('approval').map(({ reason }) => reason)).toEqual(['Why', 'A complaint']);
});

test('open work and legal holds are in the way, each by its name', async () => {
  const app = await api.createApp();
  const made = await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`);
  const batch = made.body.entity.id;
  await app.send('PUT', `/api/v1/batches/${batch}/legal-hold`);
  const held = await app.post<{ id: string }>('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: freshNin() }] });
  await suspend(app);
  const refused = await remove(app);
  expect(refused.status).toBe(409);
  expect(refused.body.error).toBe(
    `The app cannot be deleted yet: batches have not ended: ${batch}; batches are under a legal hold: ${batch}; a person is under a legal hold`,
  );
  // Canceling its work is asked for; the holds stay in the way.
  const canceled = await remove(app, { cancel_work: true });
  expect(canceled.body.details.map(({ path, rule }) => `${path} ${rule}`)).toEqual(['batches legal_hold', 'subjects legal_hold']);
  await api.admin.post(admin(app, '/resume'));
  await waitFor('the app', async () => (await app.get('/api/v1/wallet')).status === 200);
  await app.send('DELETE', `/api/v1/batches/${batch}/legal-hold`);
  await app.send('DELETE', `/api/v1/subjects/holds/${held.body.entity.id}`);
  await suspend(app);
  expect((await remove(app)).status).toBe(202);
  expect((await api.admin.get(admin(await api.createApp(), '/deletion'))).status).toBe(404);
});
