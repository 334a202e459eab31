/** What requests leave in the audit: one entry for each read of personal data and each change, with who, what and from where; and who may read it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resumeApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import { verifyAudit } from '../../src/access/audit/verify.ts';
import { routes } from '../../src/api/routes.ts';
import { packImages } from '../../src/batches/images.ts';
import { type Action, actions, PURPOSES } from '../../src/contract/audit.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { sealAudit } from '../../src/pipeline/sweep.ts';
import {
  type Answer,
  type BatchEntity,
  type Entity,
  type JobEntity,
  openClient,
  startApi,
  type TestApi,
  type TestApp,
} from '../setup/api.ts';
import { Authenticator } from '../setup/authenticator.ts';
import { Browser, PASSWORD, signedInAs, tokenIn } from '../setup/browser.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { sealedEarlier } from '../setup/keys.ts';
import { freshNin } from '../setup/work.ts';

interface Entry {
  app: string | null;
  seq: number;
  live: boolean | null;
  actor: { kind: string; id: string };
  address: string | null;
  action: Action;
  target: string | null;
  subject: string | null;
  purpose: string | null;
  request_id: string | null;
  outcome: string;
  code: string | null;
  detail: Entity | null;
}
interface Page {
  data: Entry[];
  has_more: boolean;
  next_cursor: string | null;
}

const folder = mkdtempSync(join(tmpdir(), 'confam-audit-'));
let api: TestApi;
let app: TestApp;
let other: TestApp;
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

/** Entries of the app, or of the deployment, newest first. */
const entries = async (query = '', of: string | null = app.app) =>
  (await api.admin.get<Page>(`/api/v1/admin/audit?app=${of ?? 'deployment'}&${query}`)).body.entity.data;
const newest = async (of?: string | null) => (await entries('limit=1', of)).at(0)!;
const idOf = (answer: Answer<Entity>): string => answer.body.entity.id as string;

beforeAll(async () => {
  const upstreams = join(folder, 'upstreams.json');
  writeFileSync(upstreams, JSON.stringify({ providers: { registry: { adapter: 'sandbox' } }, records: { nin: ['registry'] } }));
  // Without the models nothing looks for a face in a portrait.
  api = await startApi({ CONFAM_FACE_MODELS: '/nowhere', CONFAM_UPSTREAMS: upstreams });
  [app, other] = [await api.createApp(), await api.createApp()];
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
  await sealAudit(api.service);
  expect((await verifyAudit(api.service)).problems).toEqual([]);
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
    const before = await newest(chain);
    const { answer, target } = await deed.ask();
    expect(answer.status, answer.text).toBeLessThan(300);
    const [entry, ...rest] = (await entries('limit=10', chain)).filter(
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
    const [entry] = await entries('', idOf(answer));
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
    const found = await entries('', left);
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

test('a list that shows no reference leaves no entry', async () => {
  await app.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } });
  const before = (await newest()).seq;
  for (const path of ['jobs?limit=1', 'rows?reference=nobody', 'reviews?job=none', 'reviews', 'batches'])
    expect((await app.get(`/api/v1/${path}`)).status, path).toBe(200);
  expect((await newest()).seq).toBe(before);
});

test('nor does one that shows no reason, or hides it from whoever asks', async () => {
  const hold = await other.post<Entity>('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: freshNin() }] });
  const { id } = (await other.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
  await other.ended(`/api/v1/jobs/${id}`);
  const asker = await signedInAs(api, other, 'operator');
  expect((await asker.browser.post(`/api/v1/jobs/${id}/reveal`, { purpose: 'support' })).status).toBe(200);
  await api.admin.send('PATCH', `/api/v1/admin/apps/${other.app}`, asJson({ settings: { approveReveal: true } }));
  const asked = await asker.browser.post<Entity>(`/api/v1/jobs/${id}/reveal`, { purpose: 'legal', reason: 'Bisi Ade has called' });
  expect(asked.status, asked.text).toBe(202);
  const viewer = await signedInAs(api, other, 'viewer');
  const before = (await newest(other.app)).seq;
  for (const path of ['subjects/holds', `subjects/holds/${idOf(hold)}`, `jobs/${id}/reveals`])
    expect((await other.get(`/api/v1/${path}`)).status, path).toBe(200);
  for (const path of ['approvals', `approvals/${idOf(asked)}`])
    expect((await viewer.browser.get(`/api/v1/${path}`)).text, path).not.toContain('Bisi Ade');
  expect((await newest(other.app)).seq).toBe(before);
});

test('a download of many rows is one entry', async () => {
  const rows = Array.from({ length: 500 }, () => freshNin()).join('\n');
  const { id } = (await app.csv('checks=nin_basic', `nin\n${rows}\n`)).body.entity;
  await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
  const file = await app.get(`/api/v1/batches/${id}/results`);
  expect(file.text.trimEnd().split('\n')).toHaveLength(501);
  const found = await entries(`object=${id}`);
  expect(found.map(({ action }) => action)).toEqual(['results.read', 'batch.submit']);
});

test('a job that is over leaves an entry although nothing was found', async () => {
  const asked = await app.job({ check: 'nin_basic', input: { nin: '00000000001' }, reference: 'of Ada Obi' });
  const { id } = asked.body.entity;
  await app.ended(`/api/v1/jobs/${id}`);
  const read = await app.get<JobEntity>(`/api/v1/jobs/${id}`);
  expect(read.body.entity).toMatchObject({ outcome: 'not_found', result: null, reference: 'of Ada Obi' });
  expect(await newest()).toMatchObject({ action: 'job.read', target: id, request_id: read.body.meta.request_id });
});

test('a job that is not over, and an answer that has not changed, leave nothing', async () => {
  const count = async () => (await newest()).seq;
  const slow = await app.job({ check: 'nin_basic', input: { nin: '00000000004' } });
  const early = await count();
  expect((await app.get<JobEntity>(`/api/v1/jobs/${slow.body.entity.id}`)).body.entity.status).not.toBe('completed');
  expect(await count()).toBe(early);
  const read = await app.get(`/api/v1/jobs/${job}`);
  const before = await count();
  expect((await app.get(`/api/v1/jobs/${job}`, { 'If-None-Match': read.headers.get('etag')! })).status).toBe(304);
  expect((await app.get(`/api/v1/batches/${batch}`)).status).toBe(200);
  expect(await count()).toBe(before);
});

describe('a kept answer that is read again leaves an entry', () => {
  const repeat = async (path: string, body: unknown) => {
    const headers = { 'Idempotency-Key': `repeated ${freshNin()}` };
    const first = await app.post<Entity>(path, body, headers);
    expect(first.status, first.text).toBeLessThan(300);
    const before = (await newest()).seq;
    const again = await app.post<Entity>(path, body, { ...headers, 'Audit-Purpose': 'support' });
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    const [entry, ...older] = await entries('limit=2');
    expect(older[0]!.seq).toBe(before);
    expect(entry).toMatchObject({
      action: 'answer.read',
      outcome: 'allowed',
      purpose: 'support',
      address: '127.0.0.1',
      actor: { kind: 'key', id: app.keyId },
      request_id: again.headers.get('x-request-id'),
    });
    return { again, entry: entry! };
  };

  test('with the job, batch or endpoint that the request made', async () => {
    const { again, entry } = await repeat('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } });
    expect(entry.target).toBe(idOf(again));
  });

  test('with the record of a single call', async () => {
    const { entry } = await repeat('/api/v1/aml/screening', PERSON);
    const [record] = await api.service.sql<{ checkId: string; subject: Buffer }[]>`
      select check_id, subject from jobs where id = ${parseId('job', entry.target!)} and app_id = ${parseId('app', app.app)}`;
    expect(record).toMatchObject({ checkId: 'aml_screening' });
  });

  test('without a target if nothing was made', async () => {
    const { entry } = await repeat('/api/v1/consents/withdrawals', { reference: 'repeated' });
    expect(entry.target).toBeNull();
  });
});

describe('a refused attempt', () => {
  test('at another app’s job is in the audit of who tried', async () => {
    expect((await other.get(`/api/v1/jobs/${job}`)).status).toBe(404);
    expect(await newest(other.app)).toMatchObject({
      action: 'job.read',
      target: job,
      outcome: 'refused',
      code: 'resource_not_found',
      actor: { id: other.keyId },
    });
    const [mine] = await entries(`object=${job}&action=job.read&limit=1`);
    expect(mine!.outcome).toBe('allowed');
  });

  test('of a key with another app’s id, and of an app’s key at the operator’s routes, is recorded', async () => {
    const wrong = openClient(api.url, other.app, app.key);
    expect((await wrong.get(`/api/v1/jobs/${job}`)).status).toBe(401);
    expect(await newest()).toMatchObject({ action: 'job.read', outcome: 'refused', code: 'unauthenticated' });
    expect((await openClient(api.url, '', app.key).post(`${appPath()}/suspend`)).status).toBe(403);
    expect(await newest()).toMatchObject({
      action: 'app.suspend',
      outcome: 'refused',
      code: 'forbidden',
      actor: { kind: 'key', id: app.keyId },
    });
  });

  test('with a key that nobody has is not: there is nobody to record', async () => {
    const before = [await newest(), await newest(null)].map(({ seq }) => seq);
    expect((await openClient(api.url, app.app, 'cf_test_wrong').get(`/api/v1/jobs/${job}`)).status).toBe(401);
    // The operator's own look at the audit is recorded in the deployment's chain.
    expect((await newest()).seq).toBe(before[0]);
    expect((await entries('limit=5&action=job.read', null)).length).toBe(0);
  });

  test('with an invalid link is in the deployment’s audit', async () => {
    expect((await app.get('/api/v1/links/bm90aGluZw.x')).status).toBe(403);
    const [entry] = await entries('action=link.read&limit=1', null);
    expect(entry).toMatchObject({ outcome: 'refused', code: 'link_invalid', target: null });
  });

  test('names in a path never reach the audit', async () => {
    expect((await app.get('/api/v1/jobs/Ada%20Obi%2070123456789')).status).toBe(404);
    expect(await newest()).toMatchObject({ action: 'job.read', target: null, outcome: 'refused' });
  });
});

describe('the audit over HTTP', () => {
  test('shows a key its own app and mode, and nothing of others', async () => {
    await app.live.get('/api/v1/aml/clearances');
    const [test, live] = [await app.get<Page>('/api/v1/audit?limit=1000'), await app.live.get<Page>('/api/v1/audit?limit=1000')];
    for (const page of [test, live]) expect(new Set(page.body.entity.data.map((entry) => entry.app))).toEqual(new Set([app.app]));
    expect(new Set(test.body.entity.data.map((entry) => entry.live))).toEqual(new Set([false, null]));
    expect(new Set(live.body.entity.data.map((entry) => entry.live))).toEqual(new Set([true, null]));
    expect((await other.get<Page>(`/api/v1/audit?object=${batch}`)).body.entity.data).toEqual([]);
    expect((await app.get('/api/v1/admin/audit')).status).toBe(403);
  });

  test('filters, and pages by cursor', async () => {
    const refused = (await app.get<Page>('/api/v1/audit?outcome=refused')).body.entity.data;
    expect(new Set(refused.map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
    await app.get(`/api/v1/jobs/${job}`, { 'Audit-Purpose': 'complaint' });
    const complaints = (await app.get<Page>('/api/v1/audit?purpose=complaint')).body.entity.data;
    expect(new Set(complaints.map(({ purpose }) => purpose))).toEqual(new Set(['complaint']));
    expect((await app.get('/api/v1/audit?outcome=maybe')).status).toBe(400);
    const only = (await app.get<Page>(`/api/v1/audit?action=job.read&object=${job}&actor=${app.keyId}`)).body.entity.data;
    expect(only.length).toBeGreaterThan(0);
    expect(new Set(only.map(({ action, target }) => `${action} ${target}`))).toEqual(new Set([`job.read ${job}`]));
    const first = (await app.get<Page>('/api/v1/audit?action=results.read&limit=1')).body.entity;
    const second = (await app.get<Page>(`/api/v1/audit?action=results.read&limit=1&cursor=${first.next_cursor}`)).body.entity;
    expect(second.data[0]!.seq).toBeLessThan(first.data[0]!.seq);
    expect((await app.get(`/api/v1/audit?cursor=${first.next_cursor!.slice(0, -2)}`)).status).toBe(400);
    expect((await app.get('/api/v1/audit?action=nothing')).status).toBe(400);
  });

  test('comes as CSV', async () => {
    const csv = await app.get('/api/v1/audit?format=csv&action=job.read');
    const [head, ...lines] = csv.text.trimEnd().split('\r\n');
    expect(head).toBe(
      'app,seq,at,live,address,action,target,subject,purpose,request_id,outcome,code,detail,previous,hash,actor_kind,actor_id',
    );
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toContain(',job.read,');
  });

  test('keeps the purpose that a request states, out of a fixed list', async () => {
    expect((await app.get(`/api/v1/jobs/${job}`, { 'Audit-Purpose': 'complaint' })).status).toBe(200);
    expect(await newest()).toMatchObject({ action: 'job.read', purpose: 'complaint' });
    expect((await app.get(`/api/v1/jobs/${job}`, { 'Audit-Purpose': 'about Ada' })).body.code).toBe('invalid_request');
  });

  test('has an address exactly where there was a request', async () => {
    const { sql } = api.service;
    await resumeApp(api.service, parseId('app', other.app)!, bySystem('restore'));
    const kinds = await sql<{ kind: string; addressed: boolean }[]>`
      select distinct actor_kind as kind, address is not null as addressed from audit_entries where actor_id <> 'cli' order by 1`;
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        { kind: 'key', addressed: true },
        { kind: 'system', addressed: false },
      ]),
    );
    for (const { kind, addressed } of kinds) expect([kind, addressed]).toEqual([kind, kind !== 'system']);
  });

  test('holds the address that a trusted proxy tells', async () => {
    const behind = await startApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const client = await behind.createApp();
      await client.get('/api/v1/aml/clearances', { 'X-Forwarded-For': '2001:db8::7' });
      const page = await client.get<Page>('/api/v1/audit?action=clearance.read');
      expect(page.body.entity.data[0]!.address).toBe('2001:db8::7');
    } finally {
      await behind.stop();
    }
  });
});

test('a read whose entry cannot be written is refused, and nothing of it goes out', async () => {
  await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads rename to audit_heads_away`);
  try {
    const answer = await app.get(`/api/v1/jobs/${job}`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(NIN);
    expect((await app.get(`/api/v1/batches/${batch}/results`)).status).toBe(500);
  } finally {
    await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads_away rename to audit_heads`);
  }
  await waitFor('reads to work again', async () => (await app.get(`/api/v1/jobs/${job}`)).status === 200);
});

test('a change whose entry cannot be written is undone', async () => {
  await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads rename to audit_heads_away`);
  const topUp = () => api.admin.post(`${appPath()}/topups`, { amount: 3, mode: 'test' });
  const before = await app.wallet();
  try {
    expect((await topUp()).status).toBe(500);
  } finally {
    await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads_away rename to audit_heads`);
  }
  expect(await app.wallet()).toEqual(before);
  expect(await api.drift()).toBe(0);
});

test('docs/audit.md lists every action and purpose, and no other', () => {
  const document = readFileSync(join(packageRoot(), 'docs/audit.md'), 'utf8');
  const listed = [...document.matchAll(/^\| `([a-z]+\.[a-z]+)` \| (.+) \|$/gm)].map(([, action, meaning]) => [action, meaning]);
  expect(Object.fromEntries(listed)).toEqual(actions);
  expect(document).toContain(PURPOSES.map((purpose) => `\`${purpose}\``).join(', '));
});

describe('what people do about themselves', () => {
  interface Own extends Entry {
    app: string | null;
  }
  const own = async (id: string, query = '') =>
    (await api.admin.get<{ data: Own[] }>(`/api/v1/admin/audit?object=${id}&limit=50&${query}`)).body.entity.data;

  test('a failed sign-in is kept for a known account, without its address, and a sign-in names how', async () => {
    const [person, before] = [await signedInAs(api, other, 'viewer'), await entries('', other.app)];
    expect((await new Browser(api).signIn(person.email, 'wrong')).status).toBe(401);
    expect((await new Browser(api).signIn('nobody@bank.test', 'wrong')).status).toBe(401);
    const failed = await waitFor('the entry', async () =>
      (await entries('limit=1', other.app)).find(({ outcome }) => outcome === 'refused'),
    );
    expect(failed).toMatchObject({
      action: 'session.begin',
      target: person.id,
      actor: { kind: 'anonymous', id: 'unknown' },
      code: 'unauthenticated',
    });
    expect((await new Browser(api).signIn(person.email)).status).toBe(200);
    const [began] = await entries('limit=1', other.app);
    expect(began).toMatchObject({
      action: 'session.begin',
      outcome: 'allowed',
      actor: { kind: 'person', id: person.id },
      detail: { method: 'password' },
    });
    // One failed, one succeeded; the unknown address left none.
    expect((await entries('', other.app)).length).toBe(before.length + 2);
    expect(JSON.stringify(await own(person.id))).not.toContain(person.email);
  });

  test('so is one with a passkey or with a link; the metric counts each', async () => {
    const person = await signedInAs(api, await api.createApp(), 'viewer');
    const authenticator = new Authenticator('http://localhost:0');
    const { options } = (await person.browser.post<{ options: never }>('/api/v1/session/passkeys/options')).body.entity;
    const passkey = authenticator.create(options);
    expect((await person.browser.post('/api/v1/session/passkeys', { name: 'Phone', passkey })).status).toBe(201);
    const wrong = async () =>
      (await api.service.metrics.failedSignIns.get()).values.find(({ labels }) => labels.reason === 'wrong_password');
    const before = (await wrong())?.value ?? 0;
    const byPasskey = async (from: Authenticator) => {
      const challenge = await new Browser(api).post<{ options: never }>('/api/v1/session/passkey');
      return new Browser(api).post('/api/v1/session', { passkey: from.get(challenge.body.entity.options) });
    };
    const byLink = async () => {
      const { link } = (await api.admin.post<{ link: string }>(`/api/v1/admin/people/${person.id}/sign-in-link`)).body.entity;
      return new Browser(api).post('/api/v1/session/link', { token: tokenIn(link), code: '000000' });
    };
    // A copy of the authenticator counts signatures that the original has made already.
    await api.service.sql`update passkeys set counter = 1000 where person_id = ${parseId('per', person.id)}`;
    for (const refused of [await byPasskey(authenticator), await byLink()]) expect(refused.status).toBe(401);
    expect((await byPasskey(new Authenticator('http://localhost:0'))).status).toBe(401);
    const failed = async () => (await own(person.id, 'action=session.begin')).filter(({ outcome }) => outcome === 'refused');
    await waitFor('both entries', async () => (await failed()).length === 2);
    expect(new Set((await failed()).map(({ actor }) => actor.kind))).toEqual(new Set(['anonymous']));
    expect((await wrong())!.value).toBe(before + 3);
  });

  test('somebody of two apps leaves an entry in both; password, factors and sessions all leave theirs', async () => {
    const person = await signedInAs(api, app, 'viewer');
    const second = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: person.email, app: other.app, role: 'viewer' });
    const { browser } = person;
    await browser.post('/api/v1/session/link', { token: second.body.entity.link.split('#')[1] });
    await browser.send('PUT', '/api/v1/session/password', { password: 'another long password', current_password: PASSWORD });
    const { secret } = (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity;
    const confirmed = await browser.post('/api/v1/session/totp/confirm', { code: new TOTP({ secret }).generate() });
    expect(confirmed.status, confirmed.text).toBe(200);
    await browser.send('DELETE', '/api/v1/session/totp');
    await browser.send('DELETE', '/api/v1/session');
    for (const of of [app, other]) {
      const left = (await own(person.id, `app=${of.app}`)).map(({ action, detail }) => [action, detail]);
      expect(left).toEqual(
        expect.arrayContaining([
          ['person.accept', null],
          ['person.change', { changed: 'password' }],
          ['person.change', { added: 'totp' }],
          ['person.change', { replaced: 'recovery_codes' }],
          ['person.change', { removed: 'totp' }],
          ['session.end', { session: expect.stringMatching(/^ses_/) }],
        ]),
      );
    }
    expect(JSON.stringify(await own(person.id))).not.toContain(PASSWORD);
  });
});
