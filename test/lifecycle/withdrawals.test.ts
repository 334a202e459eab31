/** Withdrawn consents: what is refused under their reference, what ends, and what goes on. */
import { describe, expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Sql, Tx } from '../../src/foundation/context.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { withdrawConsent } from '../../src/lifecycle/withdrawals.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, openClient, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
const consent = (reference: string, more: object = {}) => ({
  reference,
  purpose: 'onboarding',
  obtained_at: '2025-11-21T09:30:00Z',
  ...more,
});
const header = (reference: string) => ({ Consent: JSON.stringify(consent(reference)) });
const asked = (reference: string) => `consent=${encodeURIComponent(JSON.stringify(consent(reference)))}`;

interface Withdrawn {
  id: string;
  monitors_ended: number;
  naming: { count: number; complete: boolean };
}

async function withdraw(app: Client, reference: string) {
  const answer = await app.post<Withdrawn>('/api/v1/consents/withdrawals', { reference });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.entity;
}

test('calls, jobs, quotes and uploads under the reference are refused; under others, and in other apps and modes, they are not', async () => {
  const [app, other] = [await api.createApp(), await api.createApp()];
  const path = () => `/api/v1/kyc/nin?nin=${freshNin()}`;
  expect((await app.get(path(), header('C-1'))).status).toBe(200);
  const wallet = await app.wallet();
  const first = await withdraw(app, 'C-1');
  expect((await withdraw(app, 'C-1')).id).toBe(first.id);
  const job = (reference: string) => app.job({ check: 'nin_basic', input: { nin: freshNin() }, consent: consent(reference) });
  const csv = { 'Content-Type': 'text/csv' };
  const refused = [
    await app.get(path(), header('C-1')),
    await job('C-1'),
    await app.csv(`checks=nin_basic&${asked('C-1')}`, `nin\n${freshNin()}\n`),
    await app.post(`/api/v1/batches/quote?checks=nin_basic&${asked('C-1')}`, `nin\n${freshNin()}\n`, csv),
  ];
  for (const { status, body, text } of refused) {
    expect([status, body.code]).toEqual([422, 'consent_withdrawn']);
    expect(text).not.toContain('C-1');
  }
  expect(await app.wallet()).toEqual(wallet);
  expect((await app.get(path(), header('C-2'))).status).toBe(200);
  expect((await app.get(path())).status).toBe(200);
  expect((await job('C-2')).status).toBe(202);
  expect((await other.get(path(), header('C-1'))).status).toBe(200);
  const [entry] = (await app.get<{ data: Entity[] }>('/api/v1/audit?action=consent.withdraw&limit=1')).body.entity.data;
  expect(entry).toMatchObject({ target: first.id, detail: { monitors: 0 } });
  expect((await app.get<{ data: Entity[] }>('/api/v1/consents/withdrawals')).body.entity.data.map(({ id }) => id)).toEqual([first.id]);
  const [stored] = await api.service.sql`select encode(reference, 'escape') as text from consent_withdrawals limit 1`;
  expect(stored!.text).not.toContain('C-1');
});

test('a withdrawal names who withdrew first, however often it is repeated, until that month of the audit is dropped', async () => {
  const app = await api.createApp();
  interface Withdrawal {
    withdrawn_by: { kind: string; id: string; name: string | null } | null;
  }
  const made = (await app.post<{ id: string; key: string }>('/api/v1/keys', { name: 'the second one' })).body.entity;
  const second = openClient(api.url, app.app, made.key);
  const withdrawn = async (client: Client) =>
    (await client.post<Withdrawal>('/api/v1/consents/withdrawals', { reference: 'C-9' })).body.entity;
  const first = { kind: 'key', id: made.id, name: 'the second one' };
  expect((await withdrawn(second)).withdrawn_by).toEqual(first);
  expect((await withdrawn(app)).withdrawn_by).toEqual(first);
  const listed = async () => (await app.get<{ data: Withdrawal[] }>('/api/v1/consents/withdrawals')).body.entity.data;
  expect(await listed()).toEqual([expect.objectContaining({ withdrawn_by: first })]);
  // As one of an earlier month, of whose audit only the repetitions are left.
  await api.service.sql`update consent_withdrawals set withdrawn_at = now() - interval '40 days' where app_id = ${parseId('app', app.app)}`;
  expect(await listed()).toEqual([expect.objectContaining({ withdrawn_by: null })]);
});

test('the answer counts what names the reference, exactly as it is written', async () => {
  const [app, other] = [await api.createApp(), await api.createApp()];
  const job = { check: 'nin_basic', input: { nin: freshNin() }, consent: consent('C-7a') };
  expect((await app.job(job)).status).toBe(202);
  expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`, header('C-7a'))).status).toBe(200);
  expect((await app.csv(`checks=nin_basic&start=manual&${asked('C-7a')}`, `nin\n${freshNin()}\n`)).status).toBe(202);
  expect((await app.job({ ...job, consent: undefined })).status).toBe(202);
  for (const mistyped of ['C-7A', 'c-7a', 'C-7']) expect((await withdraw(app, mistyped)).naming).toEqual({ count: 0, complete: true });
  expect((await withdraw(other, 'C-7a')).naming.count).toBe(0);
  expect((await withdraw(app.live, 'C-7a')).naming.count).toBe(0);
  expect((await withdraw(app, 'C-7a')).naming).toEqual({ count: 3, complete: true });
});

test('rows that wait fail, free of charge, and can not be retried into a look-up', async () => {
  const app = await api.createApp();
  const made = (await app.csv(`checks=nin_basic&start=manual&${asked('C-3')}`, `nin\n${freshNin()}\n${freshNin()}\n`)).body.entity;
  await withdraw(app, 'C-3');
  const path = `/api/v1/batches/${made.id}`;
  await app.post(`${path}/start`);
  const codes = async () => {
    const batch = await app.ended<BatchEntity>(path);
    const lines = (await app.get(`${path}/results?format=jsonl`)).text.trimEnd().split('\n');
    return [batch.counts.failed, batch.billed_amount, lines.filter((line) => line.includes('"consent_withdrawn"')).length];
  };
  expect(await codes()).toEqual([2, 0, 2]);
  expect((await app.post(`${path}/retry`)).status).toBeLessThan(300);
  expect(await codes()).toEqual([2, 0, 2]);
});

test('monitors under it end, of calls, jobs and rows; others stay', async () => {
  const app = await api.createApp();
  const screen = async (name: string, reference: string) => {
    const { id } = (await app.job({ check: 'aml_screening', input: { name, monitor: true }, consent: consent(reference) })).body.entity;
    await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
  };
  await screen('Ada Obi', 'C-4');
  await screen('Emeka Obi', 'C-5');
  const call = await app.post('/api/v1/aml/screening', { name: 'Bisi Ojo', monitor: true }, header('C-4'));
  expect(call.status, call.text).toBe(200);
  const batch = (await app.csv(`checks=aml_screening&${asked('C-4')}`, 'name,monitor\nNgozi Eze,true\n')).body.entity;
  await app.ended(`/api/v1/batches/${batch.id}`);
  // As one of an earlier release, which did not keep the consent with the monitor.
  await api.service
    .sql`update aml_monitors set consent = null where id = (select id from aml_monitors where consent is not null order by id limit 1)`;
  expect((await withdraw(app, 'C-4')).monitors_ended).toBe(3);
  const { data } = (await app.get<{ data: { name: string; ended_at: string | null }[] }>('/api/v1/aml/monitors')).body.entity;
  expect(data.map(({ ended_at }) => ended_at !== null).sort()).toEqual([false, true, true, true]);
  expect((await withdraw(app, 'C-4')).monitors_ended).toBe(0);
});

describe.each(['call', 'job'] as const)('a screening (%s) that settles while its consent is withdrawn leaves no monitor', (kind) => {
  const owned = (app: Client) => ({ appId: parseId('app', app.app)!, live: false });

  /** Ends once the screening is settled. */
  async function screen(app: Client, reference: string): Promise<void> {
    const input = { name: 'Ada Obi', monitor: true };
    if (kind === 'call') {
      const answer = await app.post('/api/v1/aml/screening', input, header(reference));
      expect(answer.status, answer.text).toBe(200);
    } else {
      const made = await app.job({ check: 'aml_screening', input, consent: consent(reference) });
      expect(made.status, made.text).toBe(202);
      await app.ended<JobEntity>(`/api/v1/jobs/${made.body.entity.id}`);
    }
  }

  /** Until something waits for an advisory lock, which others use at times too, or `unless` is over. Keeps a transaction of `sql` from being idle. */
  async function untilWaiting(sql: Sql | Tx, unless: Promise<unknown>): Promise<void> {
    let isOver = false;
    unless.finally(() => {
      isOver = true;
    });
    await waitFor('a lock', async () => {
      const [waiting] = await sql`
        select 1 from pg_locks l join pg_database d on d.oid = l.database
        where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
      return isOver || waiting;
    });
  }

  const active = async (app: Client) =>
    (await app.get<{ data: { ended_at: string | null }[] }>('/api/v1/aml/monitors')).body.entity.data.filter(
      ({ ended_at }) => ended_at === null,
    );

  test('after the withdrawal', async () => {
    const app = await api.createApp();
    let screening = Promise.resolve();
    await withdrawConsent(api.service, owned(app), 'C-7', bySystem('test'), async (tx) => {
      screening = screen(app, 'C-7');
      await untilWaiting(tx, screening);
    });
    await screening;
    expect(await active(app)).toEqual([]);
  });

  test('before the withdrawal', async () => {
    const app = await api.createApp();
    await screen(app, 'C-8');
    // The next settlement stops at the usage of the day, before it writes the monitor.
    const { screening, withdrawal } = await api.service.sql.begin(async (tx) => {
      await tx`select 1 from usage_days where app_id = ${owned(app).appId} for update`;
      const screening = screen(app, 'C-7');
      await waitFor('the settlement', async () => {
        const [stopped] = await tx`select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`;
        return stopped;
      });
      const withdrawal = withdraw(app, 'C-7');
      await untilWaiting(tx, withdrawal);
      return { screening, withdrawal };
    });
    await Promise.all([screening, withdrawal]);
    expect(await active(app)).toEqual([]);
  });
});

test('look-ups are reported by purpose, basis and check, with filters and as CSV', async () => {
  const app = await api.createApp();
  const say = (purpose: string, more: object = {}) => ({ ...consent('C-9', more), purpose });
  const call = (about: object | null) =>
    app.get(`/api/v1/kyc/nin?nin=${freshNin()}`, about === null ? {} : { Consent: JSON.stringify(about) });
  for (const about of [say('onboarding'), say('onboarding'), say('loan', { basis: 'contract' }), null])
    expect((await call(about)).status).toBe(200);
  const made = await app.job({ check: 'nin_basic', input: { nin: freshNin() }, consent: say('onboarding') });
  await app.ended(`/api/v1/jobs/${made.body.entity.id}`);
  for (const checks of ['nin_basic', 'nin_basic,nin_advance']) {
    const query = `checks=${checks}&consent=${encodeURIComponent(JSON.stringify(say('review, monthly')))}`;
    const batch = (await app.csv(query, `nin\n${freshNin()}\n00000000001\n`)).body.entity;
    await app.ended(`/api/v1/batches/${batch.id}`);
  }
  const report = async (query = '') => (await app.get<{ data: object[] }>(`/api/v1/consents/lookups?${query}`)).body.entity.data;
  const onboarding = { purpose: 'onboarding', basis: 'consent', check: 'nin_basic', lookups: 3, found: 3, not_found: 0 };
  await waitFor('the calls', async () => (await report()).some((row) => JSON.stringify(row) === JSON.stringify(onboarding)));
  expect(await report()).toEqual([
    { purpose: 'loan', basis: 'contract', check: 'nin_basic', lookups: 1, found: 1, not_found: 0 },
    onboarding,
    { purpose: 'review, monthly', basis: 'consent', check: 'nin_advance', lookups: 2, found: 1, not_found: 1 },
    { purpose: 'review, monthly', basis: 'consent', check: 'nin_basic', lookups: 4, found: 2, not_found: 2 },
    { purpose: null, basis: null, check: 'nin_basic', lookups: 1, found: 1, not_found: 0 },
  ]);
  expect(await report('purpose=onboarding')).toEqual([onboarding]);
  expect(await report('basis=contract&check=nin_basic')).toHaveLength(1);
  expect(await report('purpose=')).toHaveLength(1);
  expect(await report('from=2020-01-01&to=2020-02-01')).toEqual([]);
  expect((await app.live.get<{ data: object[] }>('/api/v1/consents/lookups')).body.entity.data).toEqual([]);
  const csv = (await app.get('/api/v1/consents/lookups?format=csv')).text.replace('\ufeff', '').trimEnd().split(/\r?\n/);
  expect(csv).toContain('"review, monthly",consent,nin_advance,2,1,1');
  expect(csv).toHaveLength(6);
  expect((await app.get('/api/v1/consents/lookups?from=yesterday')).status).toBe(400);
});

test('another lawful basis may be named, and only one of the law', async () => {
  const app = await api.createApp();
  const path = `/api/v1/kyc/nin?nin=${freshNin()}`;
  const named = (basis: string) => ({ Consent: JSON.stringify(consent('C-6', { basis })) });
  expect((await app.get(path, named('legal_obligation'))).status).toBe(200);
  const refused = await app.get(path, named('curiosity'));
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
});
