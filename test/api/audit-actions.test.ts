/** Every action that a route declares: each leaves one entry in the audit, which names who acted, on what and from where. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { packImages } from '../../src/batches/images.ts';
import { type Action, actions, PURPOSES } from '../../src/contract/audit.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type Answer, type BatchEntity, type Entity, type JobEntity, startApi, type TestApi, type TestApp } from '../setup/api.ts';
import { auditEntries, expectWholeAudit } from '../setup/audit.ts';
import { Browser, signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { sealedEarlier } from '../setup/keys.ts';
import { freshNin } from '../setup/work.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-audit-'));
let api: TestApi;
let app: TestApp;
let job: string;
let screening: string;
let batch: string;
let endpoint: string;
let receiver: { delivery: string };
let link: string;
let owner: { browser: Browser; email: string; id: string };
let member: { browser: Browser; email: string; id: string };

const NIN = freshNin();
const PERSON = { name: 'Músá Danjumare Bàlárábẹwà', date_of_birth: '1968-03-14', country: 'NG' };
const ENDPOINTS = '/api/v1/webhooks/endpoints';
const MAPPING = showId('map', newId());

const idOf = (answer: Answer<Entity>): string => answer.body.entity.id as string;

beforeAll(async () => {
  const upstreams = join(folder, 'upstreams.json');
  writeFileSync(upstreams, JSON.stringify({ providers: { registry: { adapter: 'sandbox' } }, records: { nin: ['registry'] } }));
  // Without the models nothing looks for a face in a portrait.
  api = await startApi({ CONFAM_FACE_MODELS: '/nowhere', CONFAM_UPSTREAMS: upstreams });
  app = await api.createApp();
  job = idOf(await app.post('/api/v1/jobs', { check: 'nin_advance', input: { nin: NIN } }));
  screening = idOf(await app.post('/api/v1/jobs', { check: 'aml_screening', input: PERSON }));
  const upload = await app.csv('checks=nin_basic', `nin\n${freshNin()}\n${freshNin()}\nnot a number\n`);
  batch = upload.body.entity.id;
  await app.ended<JobEntity>(`/api/v1/jobs/${job}`);
  await app.ended<JobEntity>(`/api/v1/jobs/${screening}`);
  await app.ended<BatchEntity>(`/api/v1/batches/${batch}`);
  // Nobody listens there; the delivery is what counts.
  endpoint = idOf(await app.post(ENDPOINTS, { url: 'http://127.0.0.1:9/hook', events: ['job.completed'] }));
  const sent = await app.post(`${ENDPOINTS}/${endpoint}/test`);
  receiver = { delivery: idOf(sent) };
  [owner, member] = [await signedInAs(api, app, 'owner'), await signedInAs(api, app, 'operator')];
  link = (await app.post<{ path: string }>(`/api/v1/batches/${batch}/links`, { kind: 'results', expires_in_seconds: 60 })).body.entity.path;
}, 60_000);
afterAll(async () => {
  await expectWholeAudit(api);
  await api.stop();
  rmSync(folder, { recursive: true });
});

interface Deed {
  action: Action;
  /** What is asked, and the id that the entry must name. */
  ask: () => Promise<{ answer: Answer<unknown>; target: string | null }>;
  /** Whose chain; default: the app's. */
  chain?: 'deployment';
  actor?: 'operator' | 'link' | 'person';
  hasSubject?: true;
}

const get = (path: () => string, target: () => string | null) => async () => ({ answer: await app.get(path()), target: target() });
const admin = async (method: string, path: string, body: object | undefined, target: (answer: Answer<Entity>) => string | null) => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const answer = await api.admin.send<Entity>(method, path, sent);
  return { answer, target: target(answer) };
};
const appPath = () => `/api/v1/admin/apps/${app.app}`;
const ownApp = () => app.app;
let key = '';
let made = '';
let clearance = '';
let agreement = '';
const listed = async () => {
  const [before, later] = [await api.service.sandboxLists.inForce(), await api.service.sandboxLists.later()];
  const { list, entry } = later.find((one) => before.every((old) => old.entry.sourceId !== one.entry.sourceId))!;
  return { list, source_id: entry.sourceId, name: entry.names[0]!.text };
};
let monitor = '';
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const asJson = (body: object) => ({ body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
let invited = '';
const by = (method: string, path: () => string, body: object | undefined, target: () => string | null) => async () => ({
  answer: await owner.browser.send(method, path(), body),
  target: target(),
});

let spare: Promise<string> | undefined;
/** A batch that nothing else needs. */
function spareBatch(): Promise<string> {
  spare ??= app.csv('checks=nin_basic', `nin\n${freshNin()}\n`).then(async (made) => {
    await app.ended(`/api/v1/batches/${made.body.entity.id}`);
    return made.body.entity.id;
  });
  return spare;
}

/** What people do about themselves and about each other. */
const PEOPLE: Deed[] = [
  {
    action: 'job.reveal',
    ask: by(
      'POST',
      () => `/api/v1/jobs/${job}/reveal`,
      { purpose: 'review' },
      () => job,
    ),
    actor: 'person',
    hasSubject: true,
  },
  {
    action: 'person.invite',
    async ask() {
      const answer = await owner.browser.post<Entity>('/api/v1/people', { email: 'invited@bank.test', role: 'viewer' });
      invited = idOf(answer);
      return { answer, target: invited };
    },
    actor: 'person',
  },
  {
    action: 'person.role',
    ask: by(
      'PATCH',
      () => `/api/v1/people/${invited}`,
      { role: 'operator' },
      () => invited,
    ),
    actor: 'person',
  },
  {
    action: 'people.read',
    ask: by(
      'GET',
      () => '/api/v1/people',
      undefined,
      () => null,
    ),
    actor: 'person',
  },
  {
    action: 'person.remove',
    ask: by(
      'DELETE',
      () => `/api/v1/people/${invited}`,
      undefined,
      () => invited,
    ),
    actor: 'person',
  },
  {
    action: 'person.change',
    ask: by(
      'PATCH',
      () => '/api/v1/session',
      { name: 'Ada Bello' },
      () => owner.id,
    ),
    actor: 'person',
  },
  {
    action: 'session.begin',
    ask: async () => ({ answer: await new Browser(api).signIn(member.email), target: member.id }),
    actor: 'person',
  },
  {
    action: 'session.end',
    ask: async () => ({ answer: await member.browser.send('DELETE', '/api/v1/sessions'), target: member.id }),
    actor: 'person',
  },
  {
    action: 'person.link',
    ask: () => admin('POST', `/api/v1/admin/people/${member.id}/sign-in-link`, undefined, () => member.id),
    actor: 'operator',
  },
  {
    action: 'person.disable',
    ask: () => admin('PATCH', `/api/v1/admin/people/${member.id}`, { disabled: true }, () => member.id),
    actor: 'operator',
  },
];

const DEEDS: Deed[] = [
  {
    action: 'job.read',
    ask: get(
      () => `/api/v1/jobs/${job}`,
      () => job,
    ),
    hasSubject: true,
  },
  {
    action: 'references.read',
    async ask() {
      await app.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() }, reference: 'of Ada Obi' });
      return { answer: await app.get('/api/v1/jobs?limit=1'), target: null };
    },
  },
  {
    action: 'references.read',
    async ask() {
      const { id } = (await app.csv('checks=nin_basic&map.reference=ref', `nin,ref\n${freshNin()},of Bisi Ade\n`)).body.entity;
      await app.ended(`/api/v1/batches/${id}`);
      return { answer: await app.get('/api/v1/rows?reference=of%20Bisi%20Ade'), target: null };
    },
  },
  {
    action: 'report.read',
    ask: get(
      () => `/api/v1/jobs/${screening}/report`,
      () => screening,
    ),
    hasSubject: true,
  },
  {
    action: 'image.read',
    async ask() {
      const id = parseId('job', job)!;
      const sealed = sealedEarlier(api.service).seal(packImages({ image: picture.toString('base64') }), 'images', id);
      await api.service.sql`update jobs set images = ${sealed}, images_until = now() + interval '1 hour' where id = ${id}`;
      return { answer: await app.get(`/api/v1/jobs/${job}/images/selfie`), target: job };
    },
    hasSubject: true,
  },
  {
    action: 'batch.submit',
    ask: async () => {
      const answer = await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`);
      return { answer, target: answer.body.entity.id };
    },
  },
  {
    action: 'results.read',
    ask: get(
      () => `/api/v1/batches/${batch}/jobs`,
      () => batch,
    ),
  },
  {
    action: 'results.read',
    ask: get(
      () => `/api/v1/batches/${batch}/results?format=jsonl`,
      () => batch,
    ),
  },
  {
    action: 'errors.read',
    ask: get(
      () => `/api/v1/batches/${batch}/errors`,
      () => batch,
    ),
  },
  {
    action: 'link.create',
    ask: async () => ({
      answer: await app.post(`/api/v1/batches/${batch}/links`, { kind: 'errors', expires_in_seconds: 60 }),
      target: batch,
    }),
  },
  {
    action: 'link.read',
    ask: get(
      () => link,
      () => batch,
    ),
    actor: 'link',
  },
  {
    action: 'batch.control',
    ask: async () => {
      const manual = idOf((await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)) as unknown as Answer<Entity>);
      return { answer: await app.post(`/api/v1/batches/${manual}/cancel`), target: manual };
    },
  },
  {
    action: 'batch.hold',
    ask: async () => ({ answer: await app.send('PUT', `/api/v1/batches/${await spareBatch()}/legal-hold`), target: await spareBatch() }),
  },
  {
    action: 'batch.release',
    ask: async () => ({ answer: await app.send('DELETE', `/api/v1/batches/${await spareBatch()}/legal-hold`), target: await spareBatch() }),
  },
  {
    action: 'batch.delete',
    ask: async () => ({ answer: await app.send('DELETE', `/api/v1/batches/${await spareBatch()}`), target: await spareBatch() }),
  },
  {
    action: 'job.delete',
    async ask() {
      const spare = idOf(await app.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } }));
      await app.ended(`/api/v1/jobs/${spare}`);
      return { answer: await app.send('DELETE', `/api/v1/jobs/${spare}`), target: spare };
    },
  },
  {
    action: 'subject.export',
    async ask() {
      const answer = await app.post<Entity>('/api/v1/subjects/export', { identifiers: [{ type: 'nin', value: NIN }] });
      return { answer, target: idOf(answer) };
    },
  },
  ...(['places', 'file'] as const).map(
    (what): Deed => ({
      action: what === 'places' ? 'subject.places' : 'subject.read',
      async ask() {
        const id = idOf(await app.post<Entity>('/api/v1/subjects/export', { identifiers: [{ type: 'nin', value: freshNin() }] }));
        await waitFor(
          'the export',
          async () => (await app.get<{ status: string }>(`/api/v1/subjects/exports/${id}`)).body.entity.status === 'done',
        );
        return { answer: await app.get<Entity>(`/api/v1/subjects/exports/${id}/${what}`), target: id };
      },
    }),
  ),
  {
    action: 'subject.erase',
    async ask() {
      const answer = await app.post<Entity>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: freshNin() }] });
      return { answer, target: idOf(answer) };
    },
  },
  {
    action: 'subject.hold',
    async ask() {
      const answer = await app.post<Entity>('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: freshNin() }] });
      return { answer, target: idOf(answer) };
    },
  },
  {
    action: 'subject.release',
    async ask() {
      const held = idOf(await app.post<Entity>('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: freshNin() }] }));
      return { answer: await app.send('DELETE', `/api/v1/subjects/holds/${held}`), target: held };
    },
  },
  {
    action: 'reasons.read',
    async ask() {
      await heldWithReason();
      return { answer: await app.get('/api/v1/subjects/holds?limit=1'), target: null };
    },
  },
  {
    action: 'reasons.read',
    async ask() {
      const target = await heldWithReason();
      return { answer: await app.get(`/api/v1/subjects/holds/${target}`), target };
    },
  },
  {
    action: 'reasons.read',
    async ask() {
      await askedWithReason();
      return { answer: await app.get('/api/v1/approvals?limit=1'), target: null };
    },
  },
  {
    action: 'reasons.read',
    async ask() {
      const target = await askedWithReason();
      return { answer: await app.get(`/api/v1/approvals/${target}`), target };
    },
  },
  {
    action: 'reasons.read',
    async ask() {
      const body = { purpose: 'support', reason: 'Ada Obi has called' };
      expect((await owner.browser.post(`/api/v1/jobs/${job}/reveal`, body)).status).toBe(200);
      return { answer: await app.get(`/api/v1/jobs/${job}/reveals`), target: job };
    },
    hasSubject: true,
  },
  {
    action: 'mapping.save',
    async ask() {
      const answer = await app.send<Entity>('PUT', `/api/v1/mappings/${MAPPING}`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ mapping: { nin: 'Figure' } }),
      });
      return { answer, target: MAPPING };
    },
  },
  {
    action: 'mapping.delete',
    ask: async () => ({ answer: await app.send('DELETE', `/api/v1/mappings/${MAPPING}`), target: MAPPING }),
  },
  {
    action: 'consent.withdraw',
    async ask() {
      const answer = await app.post<Entity>('/api/v1/consents/withdrawals', { reference: 'C-17' });
      return { answer, target: idOf(answer) };
    },
  },
  {
    action: 'clearance.create',
    async ask() {
      const { name, ...of } = await listed();
      const answer = await app.post<Entity>('/api/v1/aml/clearances', { name, ...of, reason: 'another person', cleared_by: 'Ada' });
      clearance = idOf(answer);
      return { answer, target: clearance };
    },
    hasSubject: true,
  },
  {
    action: 'clearance.read',
    ask: get(
      () => '/api/v1/aml/clearances',
      () => null,
    ),
  },
  {
    action: 'clearance.revoke',
    ask: async () => ({ answer: await app.send('DELETE', `/api/v1/aml/clearances/${clearance}`), target: clearance }),
    hasSubject: true,
  },
  {
    action: 'monitor.read',
    async ask() {
      const { name } = await listed();
      expect((await app.post('/api/v1/aml/screening', { name, monitor: true })).status).toBe(200);
      const found = await app.get<{ data: { id: string }[] }>('/api/v1/aml/monitors');
      monitor = found.body.entity.data[0]!.id;
      return { answer: await app.get(`/api/v1/aml/monitors/${monitor}`), target: monitor };
    },
  },
  {
    action: 'monitor.end',
    ask: async () => ({ answer: await app.send('DELETE', `/api/v1/aml/monitors/${monitor}`), target: monitor }),
    hasSubject: true,
  },
  {
    action: 'portrait.enrol',
    ask: async () => ({
      answer: await app.send('PUT', `/api/v1/sandbox/portraits/nin/${NIN}`, { headers: { 'Content-Type': 'image/png' }, body: picture }),
      target: null,
    }),
    hasSubject: true,
  },
  {
    action: 'portrait.read',
    ask: get(
      () => `/api/v1/sandbox/portraits/nin/${NIN}`,
      () => null,
    ),
    hasSubject: true,
  },
  {
    action: 'portrait.read',
    ask: get(
      () => '/api/v1/sandbox/portraits',
      () => null,
    ),
  },
  {
    action: 'portrait.remove',
    ask: async () => ({ answer: await app.send('DELETE', `/api/v1/sandbox/portraits/nin/${NIN}`), target: null }),
    hasSubject: true,
  },
  {
    action: 'webhook.create',
    async ask() {
      const answer = await app.post<Entity>(ENDPOINTS, { url: 'http://127.0.0.1:9/other', events: ['batch.completed'] });
      made = idOf(answer);
      return { answer, target: made };
    },
  },
  {
    action: 'webhook.update',
    ask: async () => ({
      answer: await app.send('PATCH', `${ENDPOINTS}/${made}`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ url: 'http://127.0.0.1:9/third' }),
      }),
      target: made,
    }),
  },
  { action: 'webhook.rotate', ask: async () => ({ answer: await app.post(`${ENDPOINTS}/${made}/rotate`), target: made }) },
  { action: 'webhook.delete', ask: async () => ({ answer: await app.send('DELETE', `${ENDPOINTS}/${made}`), target: made }) },
  {
    action: 'webhook.resend',
    ask: async () => ({ answer: await app.post(`/api/v1/webhooks/deliveries/${receiver.delivery}/redeliver`), target: receiver.delivery }),
  },
  {
    action: 'webhook.resend',
    ask: async () => ({
      answer: await app.post(`${ENDPOINTS}/${endpoint}/replay`, { since: new Date(Date.now() - 60_000).toISOString() }),
      target: endpoint,
    }),
  },
  {
    action: 'audit.read',
    ask: get(
      () => '/api/v1/audit?limit=1',
      () => null,
    ),
  },
  {
    action: 'audit.read',
    ask: () => admin('GET', '/api/v1/admin/audit?limit=1', undefined, () => null),
    chain: 'deployment',
    actor: 'operator',
  },
  { action: 'app.settings', ask: () => admin('PATCH', appPath(), { settings: { weight: 2 } }, ownApp), actor: 'operator' },
  { action: 'app.suspend', ask: () => admin('POST', `${appPath()}/suspend`, undefined, ownApp), actor: 'operator' },
  { action: 'app.resume', ask: () => admin('POST', `${appPath()}/resume`, undefined, ownApp), actor: 'operator' },
  {
    action: 'key.create',
    async ask() {
      const asked = await admin('POST', `${appPath()}/keys`, { mode: 'test' }, idOf);
      key = asked.target!;
      return asked;
    },
    actor: 'operator',
  },
  { action: 'key.change', ask: () => admin('PATCH', `/api/v1/admin/keys/${key}`, { daily_cap: 7 }, () => key), actor: 'operator' },
  {
    action: 'key.rotate',
    async ask() {
      const own = idOf(await app.post('/api/v1/keys', { name: 'Ada' }));
      return { answer: await app.post(`/api/v1/keys/${own}/rotate`), target: own };
    },
  },
  {
    action: 'link.revoke',
    async ask() {
      const revoked = idOf(await app.post(`/api/v1/batches/${batch}/links`, { kind: 'errors', expires_in_seconds: 60 }));
      return { answer: await app.post(`/api/v1/links/${revoked}/revoke`), target: revoked };
    },
  },
  { action: 'key.revoke', ask: () => admin('POST', `/api/v1/admin/keys/${key}/revoke`, undefined, () => key), actor: 'operator' },
  {
    action: 'wallet.topup',
    ask: () => admin('POST', `${appPath()}/topups`, { amount: 5, mode: 'test', note: 'for Ada' }, ownApp),
    actor: 'operator',
  },
  {
    action: 'app.prices',
    async ask() {
      const asked = await admin('POST', `${appPath()}/prices`, { check: 'nin_basic', price: 100 }, idOf);
      agreement = asked.target!;
      return asked;
    },
    actor: 'operator',
  },
  { action: 'app.prices', ask: () => admin('DELETE', `${appPath()}/prices/${agreement}`, undefined, () => agreement), actor: 'operator' },
  ...[
    { verb: 'approve', action: 'approval.approve' as const },
    { verb: 'decline', action: 'approval.decline' as const },
  ].map(
    ({ verb, action }): Deed => ({
      action,
      async ask() {
        const { id } = (await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`)).body.entity;
        await app.ended(`/api/v1/batches/${id}`);
        await api.admin.send('PATCH', appPath(), asJson({ settings: { approveExport: true } }));
        const approval = (await app.get<{ id: string }>(`/api/v1/batches/${id}/results`)).body.entity.id;
        await api.admin.send('PATCH', appPath(), asJson({ settings: { approveExport: false } }));
        const body = verb === 'decline' ? { reason: 'not now' } : undefined;
        return { answer: await owner.browser.post(`/api/v1/approvals/${approval}/${verb}`, body), target: approval };
      },
      actor: 'person',
    }),
  ),
  { action: 'review.read', ask: () => review('GET', '') },
  { action: 'review.assign', ask: () => review('POST', '/assign', { assignee: null }) },
  { action: 'review.comment', ask: () => review('POST', '/comment', { text: 'Ada Obi was asked' }) },
  { action: 'review.decide', ask: () => review('POST', '/decide', { decision: 'approve', reason: 'Ada Obi was here' }) },
  ...PEOPLE,
  {
    action: 'provider.pause',
    ask: () => admin('POST', '/api/v1/admin/providers/registry/pause', { minutes: 1 }, () => 'registry'),
    chain: 'deployment',
    actor: 'operator',
  },
  {
    action: 'provider.resume',
    ask: () => admin('POST', '/api/v1/admin/providers/registry/resume', undefined, () => 'registry'),
    chain: 'deployment',
    actor: 'operator',
  },
];

/** A legal hold with a reason that names somebody. */
const heldWithReason = async () =>
  idOf(
    await app.post<Entity>('/api/v1/subjects/holds', {
      identifiers: [{ type: 'nin', value: freshNin() }],
      reason: 'A letter of Ada Obi',
    }),
  );

/** An approval for which the reason of whoever asks may name somebody. */
async function askedWithReason(): Promise<string> {
  const { id } = (await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
  await app.ended(`/api/v1/jobs/${id}`);
  await api.admin.send('PATCH', appPath(), asJson({ settings: { approveReveal: true } }));
  const body = { purpose: 'support', reason: 'Ada Obi has called' };
  const asked = await owner.browser.post<{ id: string }>(`/api/v1/jobs/${id}/reveal`, body);
  await api.admin.send('PATCH', appPath(), asJson({ settings: { approveReveal: false } }));
  expect(asked.status, asked.text).toBe(202);
  return asked.body.entity.id;
}

let opened: Promise<string> | undefined;

/** A request about a case, which the first one opens. */
async function review(method: 'GET' | 'POST', verb: string, body?: Entity) {
  opened ??= openReview();
  const target = await opened;
  return { answer: await app.send(method, `/api/v1/reviews/${target}${verb}`, body && asJson(body)), target };
}

async function openReview(): Promise<string> {
  await api.admin.send('PATCH', appPath(), asJson({ settings: { reviews: { amlLevel: 'LOW' } } }));
  return waitFor('a case', async () => {
    const job = idOf(await app.post('/api/v1/jobs', { check: 'aml_screening', input: PERSON }));
    await app.ended(`/api/v1/jobs/${job}`);
    return (await app.get<{ data: { id: string }[] }>(`/api/v1/reviews?job=${job}`)).body.entity.data[0]?.id;
  });
}

describe('every action that a route declares', () => {
  const seen = new Set<Action>(['app.create']);

  test.each(DEEDS.map((deed, at) => [`${deed.action} (${at + 1})`, deed] as const))('%s leaves one entry', async (_, deed) => {
    const chain = deed.chain === 'deployment' ? null : app.app;
    const [before] = await auditEntries(api, chain, 'limit=1');
    const { answer, target } = await deed.ask();
    expect(answer.status, answer.text).toBeLessThan(300);
    const [entry, ...rest] = (await auditEntries(api, chain, 'limit=10')).filter(
      ({ seq, request_id }) => seq > (before?.seq ?? 0) && request_id === answer.headers.get('x-request-id'),
    );
    expect(rest).toEqual([]);
    const actor = deed.actor ?? 'key';
    expect(entry).toMatchObject({
      app: chain,
      action: deed.action,
      target,
      outcome: 'allowed',
      code: null,
      address: '127.0.0.1',
      actor: {
        kind: actor,
        id: {
          key: app.keyId,
          operator: expect.stringMatching(/^key_/),
          link: expect.stringMatching(/^lnk_/),
          person: expect.stringMatching(/^per_/),
        }[actor],
      },
    });
    expect(entry!.subject === null).toBe(deed.hasSubject !== true);
    seen.add(deed.action);
  });

  test('an app that is created begins its chain with that', async () => {
    const answer = await api.admin.post<Entity>('/api/v1/admin/apps', { name: 'New' });
    const [entry] = await auditEntries(api, idOf(answer));
    expect(entry).toMatchObject({ seq: 1, action: 'app.create', target: idOf(answer), actor: { kind: 'operator' } });
  });

  test('an app that leaves has its export and its deletion in its chain', async () => {
    const left = idOf(await api.admin.post<Entity>('/api/v1/admin/apps', { name: 'Old' }));
    for (const [method, verb] of [
      ['POST', 'suspend'],
      ['GET', 'export'],
      ['POST', 'deletion'],
    ] as const)
      expect((await api.admin.send(method, `/api/v1/admin/apps/${left}/${verb}`)).status).toBeLessThan(300);
    const found = await auditEntries(api, left);
    for (const action of ['app.export', 'app.delete'] as const) {
      expect(found.filter((entry) => entry.action === action)).toMatchObject([
        { target: left, outcome: 'allowed', actor: { kind: 'operator', id: expect.stringMatching(/^key_/) } },
      ]);
      seen.add(action);
    }
  });

  test('is one of those above', () => {
    const declared = routes.flatMap(({ audit }) =>
      audit === undefined || 'none' in audit ? [] : 'read' in audit ? [audit.read] : [audit.change],
    );
    expect([...new Set(declared)].filter((action) => !seen.has(action))).toEqual([]);
  });

  test('and every route declares one, or why it has none', () => {
    const undeclared = routes.filter(({ audit }) => audit === undefined || ('none' in audit && audit.none.length < 6));
    expect(undeclared.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

test('docs/audit.md lists every action and purpose, and no other', () => {
  const document = readFileSync(join(packageRoot(), 'docs/audit.md'), 'utf8');
  const listed = [...document.matchAll(/^\| `([a-z]+\.[a-z]+)` \| (.+) \|$/gm)].map(([, action, meaning]) => [action, meaning]);
  expect(Object.fromEntries(listed)).toEqual(actions);
  expect(document).toContain(PURPOSES.map((purpose) => `\`${purpose}\``).join(', '));
});
