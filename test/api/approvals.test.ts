/** Approvals over HTTP: who may decide, what is carried out and how often, and what happens if things change meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { createKey, revokeKey } from '../../src/access/keys.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type Answer, type BatchEntity, type Client, type Entity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { Browser, PASSWORD, type SessionEntity, signedInAs, tokenIn } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { killConfams, runConfam } from '../setup/process.ts';
import { freshNin } from '../setup/work.ts';

interface Approval {
  id: string;
  object: string;
  action: string;
  status: string;
  target: string;
  amount: number | null;
  terms: Entity;
  asked_by: { kind: string; id: string; name: string | null };
  decided_by: { kind: string; id: string; name: string | null } | null;
  decline_reason: string | null;
  usable_until: string | null;
}
type Waiting = BatchEntity & { approval: string | null };

const CONFIGURED = 'an admin key of the configuration, for tests';
const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1', CONFAM_APPROVALS: 'top_up,prices,app_deletion', CONFAM_ADMIN_KEY: CONFIGURED });
const sql = () => api.service.sql;
afterAll(killConfams);

const APPROVALS = '/api/v1/approvals';
/** Two NINs cost 250 naira; one 125. */
const rows = (count: number) => `nin\n${Array.from({ length: count }, freshNin).join('\n')}\n`;
const LIMIT = { approveStartAboveKobo: 200_00 };
const decide = (browser: Browser, id: string, verb = 'approve', body?: object) =>
  browser.post<Approval>(`${APPROVALS}/${id}/${verb}`, body);

const disable = (personId: string) =>
  api.admin.send('PATCH', `/api/v1/admin/people/${personId}`, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ disabled: true }),
  });

/** An app with an approver and an owner who are signed in. */
async function staffed(settings: object, naira = 100_000) {
  const app = await api.createApp({ settings, naira });
  const [approver, owner] = [await signedInAs(api, app, 'approver'), await signedInAs(api, app, 'owner')];
  return { app, approver, owner };
}

describe('the start of a batch above the amount', () => {
  test('an upload is accepted, holds nothing and waits; an approval starts it once', async () => {
    const { app, approver } = await staffed(LIMIT);
    const uploaded = await app.csv('checks=nin_basic', rows(2));
    expect(uploaded.status, uploaded.text).toBe(202);
    const batch = uploaded.body.entity as Waiting;
    expect(batch).toMatchObject({ status: 'awaiting_start', approval: expect.stringMatching(/^apr_/), hold_amount: 0, quote_amount: 250 });
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
    const asked = (await app.get<Approval>(`${APPROVALS}/${batch.approval}`)).body.entity;
    expect(asked).toMatchObject({
      object: 'approval',
      action: 'start_batch',
      status: 'pending_approval',
      target: batch.id,
      amount: 250,
      asked_by: { kind: 'key', id: app.keyId },
      decided_by: null,
    });
    // Asking again is the same approval, whoever asks.
    const again = await approver.browser.post<Approval>(`/api/v1/batches/${batch.id}/start`);
    expect([again.status, again.body.entity.id]).toEqual([202, batch.approval]);
    const overviewOf = async (browser: Browser) => (await browser.get<{ approvals: object }>('/api/v1/overview')).body.entity.approvals;
    expect(await overviewOf(approver.browser)).toEqual({ waiting: 1, own: 0 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => decide(approver.browser, batch.approval!)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 200)!.body.entity).toMatchObject({
      status: 'approved',
      decided_by: { kind: 'person', id: approver.id, name: 'Ada Obi' },
    });
    const ended = await app.ended<Waiting>(`/api/v1/batches/${batch.id}`);
    expect(ended).toMatchObject({ status: 'completed', billed_amount: 250, approval: null });
    expect(await app.wallet()).toMatchObject({ available: 99_750, held: 0 });
  });

  test.each([
    ['approve', undefined],
    ['decline', { reason: 'Wrong file' }],
  ])('somebody who loses the role while their decision to %s waits decides nothing', async (verb, body) => {
    const { app, approver, owner } = await staffed(LIMIT);
    const batch = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
    let decision: Promise<Answer<Approval>> | undefined;
    await sql().begin(async (tx) => {
      await tx`select 1 from batches where id = ${parseId('bat', batch.id)} for update`;
      decision = decide(approver.browser, batch.approval!, verb, body);
      // Until it waits for this transaction.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect((await owner.browser.send('PATCH', `/api/v1/people/${approver.id}`, { role: 'operator' })).status).toBe(200);
    });
    expect([(await decision!).status, (await decision!).body.code]).toEqual([403, 'forbidden']);
    const approval = (await app.get<Approval>(`${APPROVALS}/${batch.approval}`)).body.entity;
    expect([approval.status, approval.decided_by]).toEqual(['pending_approval', null]);
  });

  test('whoever asked withdraws it without the right to decide; nobody else without that right does', async () => {
    const { app, approver } = await staffed(LIMIT);
    const [asker, colleague] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'operator')];
    const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
    const asked = (await asker.browser.post<Approval>(`/api/v1/batches/${id}/start`)).body.entity;
    const reason = { reason: 'Wrong file' };
    const byColleague = await decide(colleague.browser, asked.id, 'decline', reason);
    expect([byColleague.status, byColleague.body.error]).toEqual([403, 'You may not decide this']);
    expect((await decide(asker.browser, asked.id)).status).toBe(403);
    const withdrawn = await decide(asker.browser, asked.id, 'decline', reason);
    expect(withdrawn.status, withdrawn.text).toBe(200);
    expect(withdrawn.body.entity).toMatchObject({ status: 'declined', decided_by: { id: asker.id }, decline_reason: 'Wrong file' });
    expect((await decide(approver.browser, asked.id)).status).toBe(409);
    expect((await app.get<Waiting>(`/api/v1/batches/${id}`)).body.entity).toMatchObject({ status: 'awaiting_start', approval: null });
  });

  test('below it nobody is asked, and the history begins with the wait', async () => {
    const { app } = await staffed(LIMIT);
    const small = (await app.csv('checks=nin_basic', rows(1))).body.entity as Waiting;
    expect(small).toMatchObject({ status: 'queued', approval: null, hold_amount: 125 });
    expect((await app.get<{ data: object[] }>(`${APPROVALS}?status=pending_approval`)).body.entity.data).toEqual([]);
  });

  test('a manual start waits too', async () => {
    const { app } = await staffed(LIMIT);
    const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
    const asked = await app.post<Approval>(`/api/v1/batches/${id}/start`);
    expect([asked.status, asked.body.entity.action, asked.headers.get('location')]).toEqual([
      202,
      'start_batch',
      `${APPROVALS}/${asked.body.entity.id}`,
    ]);
    expect((await app.get<Waiting>(`/api/v1/batches/${id}`)).body.entity).toMatchObject({
      status: 'awaiting_start',
      approval: asked.body.entity.id,
    });
  });

  test('without money nothing is decided, and with it the same approval starts the batch', async () => {
    const { app, approver } = await staffed(LIMIT, 200);
    const poor = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
    expect((await decide(approver.browser, poor.approval!)).body.code).toBe('insufficient_funds');
    expect((await app.get<Approval>(`${APPROVALS}/${poor.approval}`)).body.entity.status).toBe('pending_approval');
    await topUp(sql(), { appId: parseId('app', app.app)!, live: false }, 100_00, null);
    expect((await decide(approver.browser, poor.approval!)).status).toBe(200);
  });

  test('is void once its batch is canceled: nobody can approve it, nothing starts, and the audit has it', async () => {
    const { app, approver, owner } = await staffed(LIMIT);
    const batch = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
    await app.post(`/api/v1/batches/${batch.id}/cancel`);
    expect((await app.get<Approval>(`${APPROVALS}/${batch.approval}`)).body.entity).toMatchObject({ status: 'void', decided_by: null });
    expect((await decide(approver.browser, batch.approval!)).status).toBe(409);
    const { data } = (await owner.browser.get<{ data: Entity[] }>('/api/v1/audit?action=approval.void')).body.entity;
    expect(data).toMatchObject([{ target: batch.approval, actor: { id: app.keyId } }]);
    expect((await app.ended<Waiting>(`/api/v1/batches/${batch.id}`)).status).toBe('canceled');
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  test('is void once its deadline passes, and once it starts because the amount was raised', async () => {
    const { app, owner } = await staffed(LIMIT);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const late = (await app.csv(`checks=nin_basic&expires_at=${soon}`, rows(2))).body.entity as Waiting;
    await sql()`update batches set expires_at = now() where id = ${parseId('bat', late.id)}`;
    const statusOf = async (id: string) => (await app.get<Waiting>(`/api/v1/batches/${id}`)).body.entity.status;
    await waitFor('the deadline', async () => (await statusOf(late.id)) === 'expired');
    expect((await app.get<Approval>(`${APPROVALS}/${late.approval}`)).body.entity.status).toBe('void');
    const raised = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
    await sql()`update apps set settings = settings - 'approveStartAboveKobo' where id = ${parseId('app', app.app)}`;
    await waitFor('the setting', async () => (await owner.browser.post(`/api/v1/batches/${raised.id}/start`)).status === 200);
    expect((await app.get<Approval>(`${APPROVALS}/${raised.approval}`)).body.entity.status).toBe('void');
  });

  test('declined or expired, it can be asked for anew', async () => {
    const { app, approver, owner } = await staffed(LIMIT);
    const batch = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
    const declined = await decide(approver.browser, batch.approval!, 'decline', { reason: 'Wrong file' });
    expect(declined.body.entity).toMatchObject({ status: 'declined', decline_reason: 'Wrong file' });
    const of = async () => (await app.get<Waiting>(`/api/v1/batches/${batch.id}`)).body.entity;
    expect(await of()).toMatchObject({ status: 'awaiting_start', approval: null });
    const second = (await app.post<Approval>(`/api/v1/batches/${batch.id}/start`)).body.entity;
    expect(second.id).not.toBe(batch.approval);
    await sql()`update approvals set expires_at = now() where id = ${parseId('apr', second.id)}`;
    expect((await decide(approver.browser, second.id)).status).toBe(409);
    expect((await app.get<Approval>(`${APPROVALS}/${second.id}`)).body.entity.status).toBe('expired');
    // The running sweeper ends it, and frees the batch.
    await waitFor('the sweeper', async () => {
      const [{ status }] = await sql()<[{ status: string }]>`select status from approvals where id = ${parseId('apr', second.id)}`;
      return status === 'expired';
    });
    expect(await of()).toMatchObject({ status: 'awaiting_start', approval: null });
    const { data: entries } = (await owner.browser.get<{ data: Entity[] }>('/api/v1/audit?action=approval.expire')).body.entity;
    expect(entries).toMatchObject([{ target: second.id, actor: { kind: 'system' } }]);
    const third = (await app.post<Approval>(`/api/v1/batches/${batch.id}/start`)).body.entity;
    expect((await decide(approver.browser, third.id)).status).toBe(200);
    const listed = (await app.get<{ data: Approval[] }>(`${APPROVALS}?target=${batch.id}`)).body.entity.data;
    expect(listed.map(({ status }) => status)).toEqual(['approved', 'expired', 'declined']);
  });
});

describe('who decides', () => {
  test('nobody decides on his own request, and no key decides', async () => {
    const { app, approver, owner } = await staffed(LIMIT);
    const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
    const asked = (await approver.browser.post<Approval>(`/api/v1/batches/${id}/start`)).body.entity;
    expect(asked.asked_by).toEqual({ kind: 'person', id: approver.id, name: 'Ada Obi' });
    expect((await decide(approver.browser, asked.id)).status).toBe(403);
    const byKey = await app.post(`${APPROVALS}/${asked.id}/approve`);
    expect([byKey.status, byKey.body.code]).toEqual([403, 'forbidden']);
    const operator = await signedInAs(api, app, 'operator');
    expect((await decide(operator.browser, asked.id)).status).toBe(403);
    const stranger = await staffed(LIMIT);
    expect((await decide(stranger.owner.browser, asked.id)).status).toBe(404);
    expect((await decide(owner.browser, asked.id)).status).toBe(200);
  });

  test('nor on what was asked for with a key that he made, or that such a key made', async () => {
    const { app, approver, owner } = await staffed(LIMIT);
    const made = (await owner.browser.post<{ id: string; key: string }>('/api/v1/keys', { name: 'Mine' })).body.entity;
    const own = openClient(api.url, app.app, made.key);
    const childKey = (await own.post<{ id: string; key: string }>('/api/v1/keys', { name: 'Of mine' })).body.entity;
    const rotated = (await own.post<{ key: string }>(`/api/v1/keys/${childKey.id}/rotate`)).body.entity;
    for (const client of [own, openClient(api.url, app.app, childKey.key), openClient(api.url, app.app, rotated.key)]) {
      const batch = (await client.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
      expect((await decide(owner.browser, batch.approval!)).body.error).toContain('a key that you made');
      expect((await decide(approver.browser, batch.approval!)).status).toBe(200);
    }
  });
});

describe('a person whom a key let in', () => {
  const refusal = 'The key that asked for this has invited you, or given you your role; somebody else must approve it';
  let people = 0;
  /** Somebody whom a key or an owner has invited, and who has signed in. */
  async function invited(app: TestApp, by: Pick<Client, 'post'> | Browser, role: string) {
    const made = await by.post<{ id: string; link: string }>('/api/v1/people', { email: `let-in-${++people}@bank.test`, role });
    expect(made.status, made.text).toBe(201);
    const browser = new Browser(api);
    await browser.post('/api/v1/session/link', { token: tokenIn(made.body.entity.link), password: PASSWORD });
    browser.app = app.app;
    return { browser, id: made.body.entity.id };
  }
  const waiting = async (client: Client) => ((await client.csv('checks=nin_basic', rows(2))).body.entity as Waiting).approval!;
  const keyOf = async (app: TestApp, maker: Pick<Client, 'post'>) => {
    const { id, key } = (await maker.post<{ id: string; key: string }>('/api/v1/keys', {})).body.entity;
    return { ...openClient(api.url, app.app, key), id };
  };

  test('does not approve what it asks for, before or after, nor what a key asks for that took its place', async () => {
    const { app, approver, owner } = await staffed(LIMIT);
    const before = await waiting(app);
    const theirs = await invited(app, app, 'approver');
    const raised = await invited(app, owner.browser, 'operator');
    const patch = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ role: 'approver' }) };
    expect((await app.send('PATCH', `/api/v1/people/${raised.id}`, patch)).status).toBe(200);
    const after = await waiting(app);
    // Nobody vouches for themselves.
    const owning = await invited(app, owner.browser, 'viewer');
    const owned = { ...patch, body: JSON.stringify({ role: 'owner' }) };
    expect((await app.send('PATCH', `/api/v1/people/${owning.id}`, owned)).status).toBe(200);
    expect((await owning.browser.send('PATCH', `/api/v1/people/${owning.id}`, { role: 'owner' })).status).toBe(200);
    for (const [asked, { browser }] of [
      [before, theirs],
      [after, theirs],
      [after, raised],
      [after, owning],
    ] as const) {
      const refused = await decide(browser, asked);
      expect([refused.status, refused.body.error]).toEqual([403, refusal]);
    }
    // An owner who gives the role again vouches for them.
    expect((await owner.browser.send('PATCH', `/api/v1/people/${raised.id}`, { role: 'approver' })).status).toBe(200);
    expect((await decide(raised.browser, after)).status).toBe(200);
    expect((await decide(approver.browser, before)).status).toBe(200);
    const rotated = (await owner.browser.post<{ key: string }>(`/api/v1/keys/${app.keyId}/rotate`)).body.entity;
    const later = await waiting(openClient(api.url, app.app, rotated.key));
    expect((await decide(theirs.browser, later)).body.error).toBe(refusal);
    expect((await decide(theirs.browser, later, 'decline', { reason: 'Not me' })).status).toBe(200);
  });

  test('does not approve what the maker of that key asks for, and approves what any other key and any person does', async () => {
    const { app, owner } = await staffed(LIMIT);
    const child = await keyOf(app, app);
    const grandchild = await keyOf(app, child);
    const theirs = await invited(app, grandchild, 'approver');
    for (const client of [app, child, grandchild])
      expect((await decide(theirs.browser, await waiting(client))).body.error, client.key).toBe(refusal);
    const other = await keyOf(app, owner.browser);
    const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
    const byOwner = (await owner.browser.post<Approval>(`/api/v1/batches/${id}/start`)).body.entity;
    for (const asked of [await waiting(other), byOwner.id]) expect((await decide(theirs.browser, asked)).status).toBe(200);
  });

  test('an owner who invited the approver submits, and the approver approves', async () => {
    const { app, owner } = await staffed(LIMIT);
    const colleague = await invited(app, owner.browser, 'approver');
    const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
    const asked = [
      (await owner.browser.post<Approval>(`/api/v1/batches/${id}/start`)).body.entity.id,
      await waiting(await keyOf(app, owner.browser)),
      await waiting(app),
    ];
    for (const one of asked) expect((await decide(colleague.browser, one)).status).toBe(200);
  });
});

describe('somebody who may no longer ask', () => {
  const settings = { ...LIMIT, approveExport: true, approveReveal: true };
  /** A start that `client` asks for, and one that a colleague asks for. */
  async function starts(app: TestApp, client: Pick<Client, 'post'> | Browser) {
    const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
    const asked = (await client.post<Approval>(`/api/v1/batches/${id}/start`)).body.entity;
    expect(asked.action).toBe('start_batch');
    const other = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
    return { batch: id, asked: asked.id, other: other.approval! };
  }
  const statusAfter = async (decider: Browser, id: string) => (await decide(decider, id)).body.entity.status;

  test.each([
    ['removed', (owner: Browser, id: string) => owner.send('DELETE', `/api/v1/people/${id}`)],
    ['demoted', (owner: Browser, id: string) => owner.send('PATCH', `/api/v1/people/${id}`, { role: 'viewer' })],
    ['disabled', (_: Browser, id: string) => disable(id)],
  ] as const)('%s: what they asked for is void and starts nothing, and what others asked for works', async (_, end) => {
    const { app, approver, owner } = await staffed(settings);
    const operator = await signedInAs(api, app, 'operator');
    const { batch, asked, other } = await starts(app, operator.browser);
    const { id: done } = (await app.csv('checks=nin_basic', rows(1))).body.entity;
    await app.ended(`/api/v1/batches/${done}`);
    const exported = (await operator.browser.get<Approval>(`/api/v1/batches/${done}/results`)).body.entity;
    expect(exported.action).toBe('export');
    expect((await end(owner.browser, operator.id)).status).toBeLessThan(300);
    const decided = (await decide(approver.browser, asked)).body.entity;
    expect(decided).toMatchObject({ status: 'void', decided_by: { id: approver.id }, usable_until: null });
    const left = (await app.get<Waiting>(`/api/v1/batches/${batch}`)).body.entity;
    expect(left).toMatchObject({ status: 'awaiting_start', approval: null });
    expect((await decide(approver.browser, exported.id)).body.entity).toMatchObject({ status: 'void', usable_until: null });
    const deeds = (await owner.browser.get<{ data: Entity[] }>('/api/v1/audit?action=approval.approve')).body.entity.data;
    expect(deeds).toMatchObject([
      { target: exported.id, detail: { status: 'void' } },
      { target: asked, detail: { status: 'void' } },
    ]);
    expect(await statusAfter(approver.browser, other)).toBe('approved');
    // Somebody who still may asks for the same start anew.
    const again = (await app.post<Approval>(`/api/v1/batches/${batch}/start`)).body.entity;
    expect(await statusAfter(approver.browser, again.id)).toBe('approved');
  });

  test('one whose role still has the scope is not affected, nor is an owner who has become an operator for a start', async () => {
    const { app, approver, owner } = await staffed(settings);
    const leaving = await signedInAs(api, app, 'owner');
    const { asked } = await starts(app, leaving.browser);
    const loosened = await leaving.browser.send<Approval>('PATCH', '/api/v1/settings', { approvals: { reveal: false } });
    expect(loosened.status).toBe(202);
    await owner.browser.send('PATCH', `/api/v1/people/${leaving.id}`, { role: 'operator' });
    expect(await statusAfter(approver.browser, asked)).toBe('approved');
    expect(await statusAfter(approver.browser, loosened.body.entity.id)).toBe('void');
    const now = (await app.get<{ approvals: Entity }>('/api/v1/settings')).body.entity;
    expect(now.approvals.reveal).toBe(true);
  });

  test('a key that was revoked, has expired or has lost the scope; one that was rotated still counts', async () => {
    const { app, approver, owner } = await staffed(settings);
    const made = async () => {
      const { id, key } = (await owner.browser.post<{ id: string; key: string }>('/api/v1/keys', { name: 'Nightly' })).body.entity;
      const asked = ((await openClient(api.url, app.app, key).csv('checks=nin_basic', rows(2))).body.entity as Waiting).approval!;
      return { path: `/api/v1/keys/${id}`, id: parseId('key', id)!, asked };
    };
    const [revoked, expired, narrowed, rotated, same] = [await made(), await made(), await made(), await made(), await made()];
    expect((await owner.browser.post(`${revoked.path}/revoke`)).status).toBe(200);
    await sql()`update api_keys set expires_at = now() where id = ${expired.id}`;
    expect((await owner.browser.send('PATCH', narrowed.path, { scopes: ['results:read'] })).status).toBe(200);
    const successor = (await owner.browser.post<{ id: string }>(`${rotated.path}/rotate`, { overlap_seconds: 0 })).body.entity;
    for (const { asked } of [revoked, expired, narrowed]) expect(await statusAfter(approver.browser, asked)).toBe('void');
    for (const { asked } of [rotated, same]) expect(await statusAfter(approver.browser, asked)).toBe('approved');
    expect(successor.id).toMatch(/^key_/);
  });
});

describe('an export', () => {
  const ended = async (app: TestApp) => {
    const { id } = (await app.csv('checks=nin_basic', rows(1))).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    return id;
  };

  test('waits, and is then open to whoever asked, for that batch, for an hour', async () => {
    const { app, approver } = await staffed({ approveExport: true });
    const operator = await signedInAs(api, app, 'operator');
    const [id, other] = [await ended(app), await ended(app)];
    const path = `/api/v1/batches/${id}/results`;
    const asked = await operator.browser.get<Approval>(path);
    expect([asked.status, asked.body.entity.action, asked.body.entity.target]).toEqual([202, 'export', id]);
    expect(asked.text).not.toContain('firstname');
    expect((await operator.browser.get<Approval>(path)).body.entity.id).toBe(asked.body.entity.id);
    const decided = await decide(approver.browser, asked.body.entity.id);
    const left = Date.parse(decided.body.entity.usable_until!) - Date.now();
    expect(left).toBeGreaterThan(3_500_000);
    expect(left).toBeLessThanOrEqual(3_601_000);
    const file = await operator.browser.get(path);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    for (const [browser, elsewhere] of [
      [operator.browser, `/api/v1/batches/${other}/results`],
      [approver.browser, path],
    ] as const)
      expect((await browser.get(elsewhere)).status).toBe(202);
    await sql()`update approvals set usable_until = now() where id = ${parseId('apr', asked.body.entity.id)}`;
    expect((await operator.browser.get(path)).status).toBe(202);
  });

  test('opens no other file and no link: each is asked for and approved by itself', async () => {
    const { app, approver } = await staffed({ approveExport: true });
    const { browser } = await signedInAs(api, app, 'operator');
    const id = await ended(app);
    const [results, errors, links] = ['results', 'errors', 'links'].map((name) => `/api/v1/batches/${id}/${name}`) as [
      string,
      string,
      string,
    ];
    const link = (kind: string, expires_in_seconds: number) =>
      browser.post<Approval & { expires_at: string }>(links, { kind, expires_in_seconds });
    const asked = (await browser.get<Approval>(errors)).body.entity;
    expect(asked.terms).toEqual({ kind: 'errors' });
    // A download by the console, which makes a link for a minute, is the same.
    expect((await link('errors', 60)).body.entity.id).toBe(asked.id);
    await decide(approver.browser, asked.id);
    expect([(await browser.get(errors)).status, (await link('errors', 60)).status]).toEqual([200, 201]);
    expect([(await browser.get(results)).status, (await link('results', 60)).status, (await link('errors', 61)).status]).toEqual([
      202, 202, 202,
    ]);
    const forAnHour = (await link('results', 3600)).body.entity;
    expect(forAnHour.terms).toEqual({ kind: 'results', link_seconds: 3600 });
    await decide(approver.browser, forAnHour.id);
    expect([(await browser.get(results)).status, (await link('errors', 3600)).status]).toEqual([200, 201]);
    expect((await link('results', 3601)).status).toBe(202);
    // It works for as long as was approved, also if it is made late in the hour.
    await sql()`update approvals set usable_until = now() + interval '1 minute' where id = ${parseId('apr', forAnHour.id)}`;
    const made = await link('results', 3600);
    expect(made.status).toBe(201);
    expect(Date.parse(made.body.entity.expires_at)).toBeGreaterThan(Date.now() + 3_590_000);
  });

  test('by a key waits as well, and what is asked for is no read in the audit', async () => {
    const { app, approver } = await staffed({ approveExport: true });
    const id = await ended(app);
    const path = `/api/v1/batches/${id}/errors`;
    const asked = await app.get<Approval>(path);
    expect(asked.status).toBe(202);
    await decide(approver.browser, asked.body.entity.id);
    expect((await app.get(path)).status).toBe(200);
    const found = await api.admin.get<{ data: { action: string; actor: { id: string } }[] }>(`/api/v1/admin/audit?app=${app.app}&limit=3`);
    expect(found.body.entity.data.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['errors.read', app.keyId],
      ['approval.approve', approver.id],
      ['approval.ask', app.keyId],
    ]);
  });
});

test('the settings: people of the app tighten them, loosening needs a second person, keys change nothing', async () => {
  const { app, approver, owner } = await staffed({});
  const patch = (browser: Browser, approvals: object) =>
    browser.send<Approval & { approvals: Entity }>('PATCH', '/api/v1/settings', { approvals });
  const tightened = await patch(owner.browser, { batch_start_above_kobo: 100_00, export: true });
  expect([tightened.status, tightened.body.entity.approvals]).toEqual([
    200,
    { batch_start_above_kobo: 100_00, reveal: false, export: true },
  ]);
  expect((await patch(approver.browser, { export: false })).status).toBe(403);
  const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ approvals: { export: false } }) };
  expect((await app.send('PATCH', '/api/v1/settings', json)).status).toBe(403);
  const asked = await patch(owner.browser, { batch_start_above_kobo: null });
  expect([asked.status, asked.body.entity.action, asked.body.entity.terms]).toEqual([
    202,
    'change_settings',
    { approvals: { batch_start_above_kobo: null } },
  ]);
  const now = async () => (await app.get<{ approvals: Entity }>('/api/v1/settings')).body.entity.approvals;
  expect(await now()).toEqual({ batch_start_above_kobo: 100_00, reveal: false, export: true });
  expect((await decide(approver.browser, asked.body.entity.id)).status).toBe(200);
  expect(await now()).toEqual({ batch_start_above_kobo: null, reveal: false, export: true });
  expect((await patch(owner.browser, { reveals: true })).status).toBe(400);
});

test('a change of settings is void if what it changes has changed meanwhile, and is made if something else has', async () => {
  const { app, approver, owner } = await staffed({ approveReveal: true, approveExport: true });
  const patch = (body: object) => owner.browser.send<Approval & { status: string }>('PATCH', '/api/v1/settings', body);
  const now = async () => (await app.get<{ approvals: Entity }>('/api/v1/settings')).body.entity.approvals;
  const asked = await patch({ approvals: { export: false } });
  const stale = await patch({ approvals: { export: false, batch_start_above_kobo: 5 } });
  expect([asked.status, stale.status]).toEqual([202, 202]);
  expect((await patch({ approvals: { batch_start_above_kobo: 1 }, reveal_needs_reason: true })).status).toBe(200);
  const approved = async (of: typeof asked) => (await decide(approver.browser, of.body.entity.id)).body.entity.status;
  expect(await approved(stale)).toBe('void');
  expect(await now()).toEqual({ batch_start_above_kobo: 1, reveal: true, export: true });
  expect(await approved(asked)).toBe('approved');
  expect(await now()).toEqual({ batch_start_above_kobo: 1, reveal: true, export: false });
});

test('what one key asks for leaves room for everybody else, and what waits in one mode for what concerns both', async () => {
  const { app, approver, owner } = await staffed(LIMIT);
  const first = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
  const copies = (more: number, asker: string) => sql()`
    insert into approvals (id, app_id, live, action, target, asked_kind, asked_id, asked_person, request, about, expires_at)
    select gen_random_uuid(), app_id, live, action, target, asked_kind, ${asker}, asked_person, ${asker} || n, about, expires_at
    from approvals, generate_series(1, ${more}::int) n where id = ${parseId('apr', first.approval!)!}`;
  await copies(499, app.keyId);
  const refused = await app.csv('checks=nin_basic', rows(2));
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('at most 500 requests of one key or person')]);
  const { id } = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
  expect((await approver.browser.post(`/api/v1/batches/${id}/start`)).status).toBe(202);
  await copies(499, 'key_of_another');
  expect(
    (await approver.browser.post(`/api/v1/batches/${(await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity.id}/start`))
      .status,
  ).toBe(409);
  const loosened = await owner.browser.send<Approval>('PATCH', '/api/v1/settings', { approvals: { batch_start_above_kobo: null } });
  expect([loosened.status, loosened.body.entity.action]).toEqual([202, 'change_settings']);
});

test('endpoints hear of a request and of its decision, without names or reasons', async () => {
  const { app, approver } = await staffed(LIMIT);
  const endpoint = await app.post<{ id: string }>('/api/v1/webhooks/endpoints', {
    url: 'http://127.0.0.1:9/hook',
    events: ['approval.requested', 'approval.decided'],
  });
  expect(endpoint.status, endpoint.text).toBe(201);
  const batch = (await app.csv('checks=nin_basic', rows(2))).body.entity as Waiting;
  await decide(approver.browser, batch.approval!, 'decline', { reason: 'Ada must not see this' });
  const events = await sql()<
    { type: string; data: Entity }[]
  >`select type, data from events where app_id = ${parseId('app', app.app)} order by id`;
  expect(events.map(({ type, data }) => [type, data.id, data.status])).toEqual([
    ['approval.requested', batch.approval, 'pending_approval'],
    ['approval.decided', batch.approval, 'declined'],
  ]);
  expect(JSON.stringify(events)).not.toMatch(/Ada/);
});

describe('administrators', () => {
  let [first, second]: { browser: Browser; id: string }[] = [];
  let app: TestApp;
  async function administrator(email: string, by: Pick<Client, 'post'> | Browser = api.admin) {
    const browser = new Browser(api);
    const invited = await by.post<{ id: string; link: string }>('/api/v1/admin/people', { email, administrator: true });
    await browser.post<SessionEntity>('/api/v1/session/link', {
      token: tokenIn(invited.body.entity.link),
      password: PASSWORD,
      name: 'Bisi Ade',
    });
    return { browser, id: invited.body.entity.id };
  }
  beforeAll(async () => {
    [first, second] = [await administrator('first@bank.test'), await administrator('second@bank.test')];
    app = await api.createApp();
  });
  const pay = (client: Pick<Client, 'post'> | Browser, amount = 5_000) =>
    client.post<Approval>(`/api/v1/admin/apps/${app.app}/topups`, { amount, mode: 'test', note: 'invoice 17' });
  const decideAdmin = (browser: Browser, { body }: Answer<Approval>, verb = 'approve', reason?: object) =>
    browser.post<Approval>(`/api/v1/admin/approvals/${body.entity.id}/${verb}`, reason);

  test('a top-up waits for a second administrator, and is made once', async () => {
    const asked = await pay(first!.browser);
    expect([asked.status, asked.body.entity.action, asked.body.entity.amount]).toEqual([202, 'top_up', 5_000]);
    expect((await app.wallet()).available).toBe(100_000);
    expect((await decideAdmin(first!.browser, asked)).status).toBe(403);
    expect((await api.admin.post(`/api/v1/admin/approvals/${asked.body.entity.id}/approve`)).status).toBe(403);
    const people = await signedInAs(api, app, 'owner');
    expect((await decide(people.browser, asked.body.entity.id)).status).toBe(404);
    const answers = await Promise.all([1, 2, 3].map(() => decideAdmin(second!.browser, asked)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await app.wallet()).available).toBe(105_000);
    const missing = await first!.browser.post(`/api/v1/admin/apps/${app.app.replace(/.{4}$/, 'ffff')}/topups`, { amount: 1 });
    expect(missing.status).toBe(404);
  });

  test('an administrator whom an admin key has invited does not approve what that key asks for', async () => {
    const made = openClient(api.url, '', (await createKey(api.service, 'admin', null))!.key);
    for (const key of [made, openClient(api.url, '', CONFIGURED)]) {
      const [theirs, asked] = [await administrator(`of-${key.key.length}@bank.test`, key), await pay(key)];
      const refused = await decideAdmin(theirs.browser, asked);
      expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('has invited you')]);
      const colleague = await administrator(`by-${theirs.id}@bank.test`, theirs.browser);
      expect((await decideAdmin(colleague.browser, asked, 'decline', { reason: 'A test' })).status).toBe(200);
      expect((await decideAdmin(theirs.browser, await pay(first!.browser), 'decline', { reason: 'A test' })).status).toBe(200);
      expect((await decideAdmin(colleague.browser, await pay(key, 1))).status).toBe(200);
    }
  });

  test('the command line asks too, and adds nothing by itself', async () => {
    const database = new URL(api.service.databaseUrl);
    database.searchParams.delete('role');
    const { CONFAM_KEYS = '', CONFAM_INDEX_KEY = '' } = api.service.config;
    const environment = { DATABASE_URL: database.toString(), CONFAM_KEYS, CONFAM_INDEX_KEY, CONFAM_LOG_LEVEL: 'silent' };
    const topUp = (of: string) => runConfam(['apps', 'topup', of, '70.50', '--test'], { ...environment, CONFAM_APPROVALS: 'top_up' });
    const before = (await app.wallet()).available;
    const { code, stdout, stderr } = await topUp(app.app);
    expect([code, stderr]).toEqual([0, '']);
    const { approval, status } = JSON.parse(stdout) as { approval: string; status: string };
    expect(status).toBe('pending_approval');
    expect((await app.wallet()).available).toBe(before);
    const decided = await first!.browser.post<Approval>(`/api/v1/admin/approvals/${approval}/approve`);
    expect(decided.body.entity).toMatchObject({
      status: 'approved',
      action: 'top_up',
      amount: 70.5,
      asked_by: { kind: 'operator', id: 'cli' },
    });
    expect((await app.wallet()).available).toBe(before + 70.5);
    expect((await topUp(app.app.replace(/.{4}$/, 'ffff'))).stderr).toContain('there is no such app');
  }, 60_000);

  test('what an administrator who was disabled, or an admin key that was revoked, has asked for is void', async () => {
    const leaving = await administrator('leaving@bank.test');
    const key = (await createKey(api.service, 'admin', null))!;
    const before = (await app.wallet()).available;
    const asked = [await pay(leaving.browser), await pay(openClient(api.url, '', key.key))];
    expect((await disable(leaving.id)).status).toBe(200);
    await revokeKey(api.service, key.id, bySystem('test'));
    for (const one of asked) expect((await decideAdmin(second!.browser, one)).body.entity.status).toBe('void');
    expect((await app.wallet()).available).toBe(before);
  });

  test('the work of an app goes on if whoever asked to delete it was disabled', async () => {
    const staying = await api.createApp();
    const leaving = await administrator('deleter@bank.test');
    const batch = (await staying.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity.id;
    await first!.browser.post(`/api/v1/admin/apps/${staying.app}/suspend`);
    const asked = await leaving.browser.post<Approval>(`/api/v1/admin/apps/${staying.app}/deletion`, { cancel_work: true });
    expect(asked.status, asked.text).toBe(202);
    expect((await disable(leaving.id)).status).toBe(200);
    expect((await decideAdmin(second!.browser, asked)).body.entity.status).toBe('void');
    const [{ status }] = await sql()<[{ status: string }]>`select status from batches where id = ${parseId('bat', batch)}`;
    expect(status).toBe('awaiting_start');
  });

  test('an admin key asks, with an Idempotency-Key only once', async () => {
    const path = `/api/v1/admin/apps/${app.app}/topups`;
    const send = () => api.admin.post<Approval>(path, { amount: 7, mode: 'test' }, { 'Idempotency-Key': 'top-7' });
    const [one, again] = [await send(), await send()];
    expect(again.body.entity.id).toBe(one.body.entity.id);
    expect(one.body.entity.asked_by.kind).toBe('operator');
    const declined = await decideAdmin(second!.browser, one, 'decline', { reason: 'No payment came in' });
    expect(declined.body.entity.status).toBe('declined');
  });

  test('an app is deleted when a second administrator approves it, and its work is canceled then', async () => {
    const leaving = await api.createApp();
    const wallet = { appId: parseId('app', leaving.app)!, live: true };
    await topUp(api.service.sql, wallet, 5_000_00, null);
    const batch = (await leaving.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity.id;
    const path = `/api/v1/admin/apps/${leaving.app}`;
    const terms = { balance: 'refunded', cancel_work: true };
    const send = (body: object = terms) => first!.browser.post<Approval>(`${path}/deletion`, body);
    expect((await send()).body.details.map(({ rule }) => rule)).toEqual(['suspended']);
    expect((await first!.browser.post(`${path}/suspend`)).status).toBe(200);
    expect((await send({})).body.details.map(({ path: at, rule }) => `${at} ${rule}`)).toEqual(['batches ended', 'balance required']);

    const asked = await send();
    expect([asked.status, asked.body.entity]).toMatchObject([202, { action: 'delete_app', target: leaving.app, amount: 5_000, terms }]);
    expect((await send()).body.entity.id).toBe(asked.body.entity.id);
    const statusOf = async () =>
      (await api.service.sql<{ status: string }[]>`select status from batches where id = ${parseId('bat', batch)}`)[0]!.status;
    const isDeleted = async () => (await api.admin.get(`${path}/deletion`)).status === 200;
    expect((await decideAdmin(first!.browser, asked)).status).toBe(403);
    expect([await statusOf(), await isDeleted()]).toEqual(['awaiting_start', false]);

    // Another amount than the one that was to be paid back.
    await topUp(api.service.sql, wallet, 1_00, null);
    expect((await decideAdmin(second!.browser, asked)).body.entity.status).toBe('void');
    expect([await statusOf(), await isDeleted()]).toEqual(['awaiting_start', false]);

    const again = await send();
    expect(again.body.entity.amount).toBe(5_001);
    expect((await decideAdmin(second!.browser, again)).body.entity.status).toBe('approved');
    expect(await isDeleted()).toBe(true);
    expect((await first!.browser.get('/api/v1/admin/approvals')).status).toBe(200);
    const deletion = (await first!.browser.post<{ object: string }>(`${path}/deletion`, terms)).body.entity;
    expect(deletion.object).toBe('app_deletion');
    const deeds = await api.service.sql<{ action: string }[]>`
      select action from audit_entries where app_id = ${wallet.appId} and action in ('approval.ask', 'approval.approve', 'app.delete', 'batch.control') order by seq`;
    expect(deeds.map(({ action }) => action)).toEqual([
      'approval.ask',
      'approval.approve',
      'approval.ask',
      'batch.control',
      'app.delete',
      'approval.approve',
    ]);
  });

  test('a deletion that is declined while its work is being canceled cancels no more of it', async () => {
    const leaving = await api.createApp();
    const submit = async () => (await leaving.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity.id;
    const batches = [await submit(), await submit()];
    const path = `/api/v1/admin/apps/${leaving.app}`;
    await first!.browser.post(`${path}/suspend`);
    const asked = await first!.browser.post<Approval>(`${path}/deletion`, { cancel_work: true });
    expect(asked.status, asked.text).toBe(202);
    let approved: ReturnType<typeof decideAdmin>;
    await api.service.sql.begin(async (tx) => {
      // Canceling the first batch waits for this transaction.
      await tx`select 1 from batches where id = ${parseId('bat', batches[0]!)} for update`;
      approved = decideAdmin(second!.browser, asked);
      // Time for it to get there.
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await decideAdmin(first!.browser, asked, 'decline', { reason: 'They stay' })).body.entity.status).toBe('declined');
    });
    expect((await approved!).status).toBe(409);
    const statuses = await api.service.sql<{ status: string }[]>`
      select status from batches where id = any(${batches.map((id) => parseId('bat', id)!)}::uuid[]) order by id`;
    expect(statuses.map(({ status }) => status)).toEqual(['canceled', 'awaiting_start']);
  });

  test('nor one whose approver loses the right meanwhile', async () => {
    const leaving = await api.createApp();
    const submit = async () => (await leaving.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity.id;
    const batches = [await submit(), await submit()];
    const path = `/api/v1/admin/apps/${leaving.app}`;
    await first!.browser.post(`${path}/suspend`);
    const asked = await first!.browser.post<Approval>(`${path}/deletion`, { cancel_work: true });
    const approver = await administrator('approver-who-leaves@bank.test');
    let approved: ReturnType<typeof decideAdmin>;
    await api.service.sql.begin(async (tx) => {
      // Canceling the first batch waits for this transaction.
      await tx`select 1 from batches where id = ${parseId('bat', batches[0]!)} for update`;
      approved = decideAdmin(approver.browser, asked);
      // Time for it to get there.
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await disable(approver.id)).status).toBe(200);
    });
    expect((await approved!).status).toBe(403);
    const statuses = await api.service.sql<{ status: string }[]>`
      select status from batches where id = any(${batches.map((id) => parseId('bat', id)!)}::uuid[]) order by id`;
    expect(statuses.map(({ status }) => status)).toEqual(['canceled', 'awaiting_start']);
  });

  test('a price changes when it is approved, unless it has changed meanwhile', async () => {
    const path = `/api/v1/admin/apps/${app.app}/prices`;
    const price = async () =>
      (await app.get<{ data: { check: string; price: number }[] }>('/api/v1/prices')).body.entity.data.find(
        ({ check }) => check === 'nin_basic',
      )!.price;
    const asked = await first!.browser.post<Approval>(path, { check: 'nin_basic', price: 90 });
    const rival = await first!.browser.post<Approval>(path, { check: 'nin_basic', price: 80 });
    expect([asked.status, asked.body.entity.terms.price]).toEqual([202, 90]);
    expect((await decideAdmin(second!.browser, asked)).body.entity.status).toBe('approved');
    expect(await price()).toBe(90);
    expect((await decideAdmin(second!.browser, rival)).body.entity.status).toBe('void');
    expect(await price()).toBe(90);
    const [agreement] = (await api.admin.get<{ data: { id: string }[] }>(path)).body.entity.data;
    const ending = await first!.browser.send<Approval>('DELETE', `${path}/${agreement!.id}`);
    expect(ending.status).toBe(202);
    expect(await price()).toBe(90);
    expect((await decideAdmin(second!.browser, ending)).body.entity.status).toBe('approved');
    expect(await price()).toBe(125);
    const listed = await first!.browser.get<{ data: Approval[] }>('/api/v1/admin/approvals?action=change_prices&limit=2');
    expect(listed.body.entity.data.map(({ status }) => status)).toEqual(['approved', 'void']);
  });
});
