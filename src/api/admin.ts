/** The operator's API: apps and their settings, top-ups. `admin-keys.ts` has their keys. */
import type { z } from 'zod';
import { type AppDetails, changeSettings, createApp, readApps, resumeApp, suspendApp } from '../access/apps.ts';
import type { Author } from '../access/audit/append.ts';
import { topUpOf } from '../approvals/approvals.ts';
import { WORK_CHANNEL } from '../batches/batch.ts';
import { unknownLists } from '../checks/read-input.ts';
import type { appAnswer } from '../contract/apps.ts';
import { appBody, appPatch, appsQuery } from '../contract/apps.ts';
import { kobo, naira, showInstant, showInstantOrNull } from '../contract/fields.ts';
import { topUpBody } from '../contract/money.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { topUp, type Wallet } from '../money/ledger.ts';
import type { Service } from '../pipeline/service.ts';
import { askAdministrator, waitsForApproval } from './asking.ts';
import { authorOf } from './audited.ts';
import { envelope, invalid } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer } from './openapi/operation.ts';
import { objectOf, pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';

const APPS = '/api/v1/admin/apps';

const common = { tag: 'operator', who: 'admin' } as const;

const text = { type: 'string' };
const app = {
  id: text,
  object: { const: 'app' },
  name: text,
  settings: { type: 'object', description: 'Settings that were changed; the rest have their defaults' },
};
const wallet = { currency: { const: 'NGX' }, mode: { enum: ['live', 'test'] }, available: { type: 'number' }, held: { type: 'number' } };

const noApp = () => new ApiError('resource_not_found', 'There is no such app');

async function findApp(service: Service, shown: string): Promise<z.infer<typeof appAnswer>> {
  const id = parseId('app', shown);
  const [found] = id === null ? [] : await readApps(service, { id, limit: 1 });
  if (!found) throw noApp();
  return showApp(found);
}

async function suspend(service: Service, shown: string, by: Author): Promise<z.infer<typeof appAnswer>> {
  const id = parseId('app', shown);
  if (id === null || !(await suspendApp(service, id, by))) throw noApp();
  return findApp(service, shown);
}

/** The notification starts work that waits. */
async function resume(service: Service, shown: string, by: Author): Promise<z.infer<typeof appAnswer>> {
  const id = parseId('app', shown);
  if (id === null || !(await resumeApp(service, id, by))) throw noApp();
  await service.sql.notify(WORK_CHANNEL, '');
  return findApp(service, shown);
}

const appRoutes = [
  route({
    ...common,
    method: 'post',
    path: APPS,
    id: 'createApp',
    audit: { change: 'app.create' },
    summary: 'Create an app; its webhook secret is shown only now',
    body: { schema: appBody, example: { name: 'Order system', settings: { dailyCap: 50_000 } } },
    answers: { 201: answer('The app', objectOf({ ...app, webhook_secret: text })) },
    async handle(c, { service, body: { name, settings } }) {
      refuseUnknownLists(service, settings);
      const made = await createApp(service, name, settings, authorOf(c));
      return envelope(c, { id: showId('app', made.id), object: 'app', name, settings, webhook_secret: made.webhookSecret }, 201);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: APPS,
    id: 'listApps',
    audit: { none: 'shows nobody' },
    summary: 'Apps with their settings, keys and balances, newest first',
    query: appsQuery,
    answers: { 200: answer('A page', pageOf(refTo('App'))) },
    async handle(c, { service, query: { limit, cursor, name, suspended } }) {
      const id = name === null ? null : parseId('app', name);
      const filter = {
        id,
        name: id === null ? name : null,
        before: idCursor('app', cursor),
        suspended: suspended === undefined ? null : suspended === 'true',
      };
      const apps = await readApps(service, { ...filter, limit: limit + 1 });
      return envelope(c, pageById(apps.map(showApp), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${APPS}/:id`,
    id: 'readApp',
    audit: { none: 'shows nobody' },
    summary: 'An app with its settings, keys and balances',
    answers: { 200: answer('The app', refTo('App')) },
    handle: async (c, { service, params }) => envelope(c, await findApp(service, params.id)),
  }),
  route({
    ...common,
    method: 'post',
    path: `${APPS}/:id/suspend`,
    id: 'suspendApp',
    audit: { change: 'app.suspend' },
    summary: 'Suspend an app: within a second its requests are refused, and its work and webhooks stop',
    answers: { 200: answer('The app', refTo('App')) },
    handle: async (c, { service, params }) => envelope(c, await suspend(service, params.id, authorOf(c))),
  }),
  route({
    ...common,
    method: 'post',
    path: `${APPS}/:id/resume`,
    id: 'resumeApp',
    audit: { change: 'app.resume' },
    summary: 'Resume a suspended app: its work and webhooks continue',
    answers: { 200: answer('The app', refTo('App')) },
    handle: async (c, { service, params }) => envelope(c, await resume(service, params.id, authorOf(c))),
  }),
  route({
    ...common,
    method: 'patch',
    path: `${APPS}/:id`,
    id: 'changeApp',
    audit: { change: 'app.settings' },
    summary: 'Change settings; null restores the default',
    body: { schema: appPatch, example: { settings: { dailyCap: null } } },
    answers: { 200: answer('The app', objectOf(app)) },
    async handle(c, { service, forgetKeys, params, body: { settings } }) {
      refuseUnknownLists(service, settings);
      const id = parseId('app', params.id);
      const changed = id && (await service.sql.begin((tx) => changeSettings(tx, id, settings, authorOf(c))));
      forgetKeys();
      if (!changed) throw noApp();
      return envelope(c, { id: params.id, object: 'app', ...changed });
    },
  }),
];

/** Throws `invalid_request` if a list exists neither live nor in the sandbox: every screening of the app would then be refused. */
function refuseUnknownLists({ router }: Service, { amlLists }: { amlLists?: string[] | null }): void {
  const [live, test] = [router.watchLists(true), router.watchLists(false)];
  // A provider that knows other lists is asked itself.
  if (!amlLists || live === null || test === null) return;
  const message = unknownLists(amlLists, [...live, ...test]);
  if (message) throw invalid([{ path: 'settings.amlLists', message, rule: 'invalid_value' }]);
}

const topUpRoute = route({
  ...common,
  method: 'post',
  path: `${APPS}/:id/topups`,
  id: 'topUp',
  audit: { change: 'wallet.topup' },
  summary: 'Record a payment',
  body: { schema: topUpBody, example: { amount: 100_000, note: 'invoice 17' } },
  answers: { 201: answer('The wallet', objectOf(wallet)), 202: waitsForApproval },
  async handle(c, { service, params, body }) {
    const { amount, mode, note } = body;
    const appId = parseId('app', params.id);
    if (!appId) throw noApp();
    if (service.config.CONFAM_APPROVALS.includes('top_up')) return askAdministrator(c, service, topUpOf(appId, body));
    const toppedUp = (made: Wallet) =>
      envelope(c, { currency: 'NGX', mode, available: naira(made.availableKobo), held: naira(made.heldKobo) }, 201);
    const made = await topUp(service.sql, { appId, live: mode === 'live' }, kobo(amount), note ?? null, {
      by: authorOf(c),
      accepted: (tx, topped) => keepAnswer(c, tx, toppedUp(topped)),
    });
    if (!made) throw noApp();
    return toppedUp(made);
  },
});

export const adminRoutes = [...appRoutes, topUpRoute];

const showApp = (app: AppDetails): z.infer<typeof appAnswer> => ({
  id: showId('app', app.id),
  object: 'app',
  name: app.name,
  settings: { ...app.settings },
  created_at: showInstant(app.createdAt),
  suspended_at: showInstantOrNull(app.disabledAt),
  deleted_at: showInstantOrNull(app.deletedAt),
  keys: app.keys.map((key) => ({
    id: showId('key', key.id),
    object: 'key',
    mode: key.kind,
    hint: key.hint,
    daily_cap: key.dailyCapKobo === null ? null : naira(key.dailyCapKobo),
    created_at: showInstant(key.createdAt),
    revoked_at: showInstantOrNull(key.revokedAt),
  })),
  wallets: app.wallets.map(({ live, availableKobo, heldKobo }) => ({
    currency: 'NGX',
    mode: live ? 'live' : 'test',
    available: naira(availableKobo),
    held: naira(heldKobo),
  })),
});
