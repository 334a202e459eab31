/** The operator's API: apps and their settings, keys and their spending caps, top-ups. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { type AppDetails, capKey, changeSettings, createApp, createKey, readApps, revokeKey, setSuspended } from '../access/apps.ts';
import { WORK_CHANNEL } from '../batches/batch.ts';
import type { appAnswer } from '../contract/apps.ts';
import { appBody, appPatch, appsQuery, keyBody, keyPatch } from '../contract/apps.ts';
import { kobo, naira, showInstant, showInstantOrNull } from '../contract/fields.ts';
import { topUpBody } from '../contract/money.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { topUp, type Wallet } from '../money/ledger.ts';
import type { Service } from '../pipeline/service.ts';
import type { Authentication } from './authenticate.ts';
import { checked, envelope, type Http, jsonBody, refuseBody, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { idCursor, pageOf } from './query.ts';

const noApp = () => new ApiError('resource_not_found', 'There is no such app');

export function adminRoutes(service: Service, authentication: Authentication) {
  const findApp = async (shown: string): Promise<z.infer<typeof appAnswer>> => {
    const id = parseId('app', shown);
    const [app] = id === null ? [] : await readApps(service, { id, before: null, suspended: null, limit: 1 });
    if (!app) throw noApp();
    return showApp(app);
  };
  /** An app that resumes has work waiting: the notification starts it at once. */
  const suspend = async (c: Http, isSuspended: boolean): Promise<Response> => {
    await refuseBody(c);
    const id = parseId('app', c.req.param('id') ?? '');
    if (id === null || !(await setSuspended(service, id, isSuspended))) throw noApp();
    if (!isSuspended) await service.sql.notify(WORK_CHANNEL, '');
    return envelope(c, await findApp(c.req.param('id')!));
  };

  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/admin/apps', authentication.admin, async (c) => {
      const { name, settings } = await jsonBody(c, appBody);
      const app = await createApp(service, name, settings);
      return envelope(c, { id: showId('app', app.id), object: 'app', name, settings, webhook_secret: app.webhookSecret }, 201);
    })
    .get('/api/v1/admin/apps', authentication.admin, async (c) => {
      const { limit, cursor, suspended } = checked(appsQuery, c.req.query());
      const filter = { id: null, before: idCursor('app', cursor), suspended: suspended === undefined ? null : suspended === 'true' };
      const apps = await readApps(service, { ...filter, limit: limit + 1 });
      return envelope(c, pageOf(apps.map(showApp), limit));
    })
    .get('/api/v1/admin/apps/:id', authentication.admin, async (c) => envelope(c, await findApp(c.req.param('id'))))
    .post('/api/v1/admin/apps/:id/suspend', authentication.admin, (c) => suspend(c, true))
    .post('/api/v1/admin/apps/:id/resume', authentication.admin, (c) => suspend(c, false))
    .patch('/api/v1/admin/apps/:id', authentication.admin, async (c) => {
      const { settings } = await jsonBody(c, appPatch);
      const id = parseId('app', c.req.param('id'));
      const changed = id && (await changeSettings(service, id, settings));
      authentication.forget();
      if (!changed) throw noApp();
      return envelope(c, { id: c.req.param('id'), object: 'app', ...changed });
    })
    .post('/api/v1/admin/apps/:id/keys', authentication.admin, async (c) => {
      const { mode, daily_cap } = await jsonBody(c, keyBody);
      const appId = parseId('app', c.req.param('id'));
      const made = appId && (await createKey(service, mode, appId, daily_cap === null ? null : kobo(daily_cap)));
      if (!made) throw noApp();
      return envelope(c, { id: showId('key', made.id), object: 'key', mode, daily_cap, key: made.key }, 201);
    })
    .patch('/api/v1/admin/keys/:id', authentication.admin, async (c) => {
      const { daily_cap } = await jsonBody(c, keyPatch);
      const id = parseId('key', c.req.param('id'));
      const capped = id && (await capKey(service, id, daily_cap === null ? null : kobo(daily_cap)));
      authentication.forget();
      if (!capped) throw new ApiError('resource_not_found', 'There is no such app key, or it was revoked');
      return envelope(c, { id: c.req.param('id'), object: 'key', mode: capped.kind, daily_cap });
    })
    .post('/api/v1/admin/keys/:id/revoke', authentication.admin, async (c) => {
      await refuseBody(c);
      const id = parseId('key', c.req.param('id'));
      const revoked = id !== null && (await revokeKey(service, id));
      authentication.forget();
      if (!revoked) throw new ApiError('resource_not_found', 'There is no such key, or it was already revoked');
      return envelope(c, { id: c.req.param('id'), object: 'key', revoked: true });
    })
    .post('/api/v1/admin/apps/:id/topups', authentication.admin, async (c) => {
      const { amount, mode, note } = await jsonBody(c, topUpBody);
      const appId = parseId('app', c.req.param('id'));
      if (!appId) throw noApp();
      const toppedUp = (wallet: Wallet) =>
        envelope(c, { currency: 'NGX', mode, available: naira(wallet.availableKobo), held: naira(wallet.heldKobo) }, 201);
      const wallet = await topUp(service.sql, { appId, live: mode === 'live' }, kobo(amount), note ?? null, (tx, wallet) =>
        keepAnswer(c, tx, toppedUp(wallet)),
      );
      if (!wallet) throw noApp();
      return toppedUp(wallet);
    });
}

const showApp = (app: AppDetails): z.infer<typeof appAnswer> => ({
  id: showId('app', app.id),
  object: 'app',
  name: app.name,
  settings: { ...app.settings },
  created_at: showInstant(app.createdAt),
  suspended_at: showInstantOrNull(app.disabledAt),
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
