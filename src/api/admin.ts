/** The operator's API: apps and their settings, keys and their caps, top-ups. */
import { Hono } from 'hono';
import { capKey, changeSettings, createApp, createKey, revokeKey } from '../accounts.ts';
import { appBody, appPatch, keyBody, keyPatch, kobo, naira, topUpBody } from '../contract.ts';
import { ApiError } from '../errors.ts';
import { parseId, showId } from '../ids.ts';
import { topUp, type Wallet } from '../money/ledger.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { envelope, jsonBody, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';

const noApp = () => new ApiError('resource_not_found', 'There is no such app');

export function adminRoutes(service: Service, authentication: Authentication) {
  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/admin/apps', authentication.admin, async (c) => {
      const { name, settings } = await jsonBody(c, appBody);
      const app = await createApp(service, name, settings);
      return envelope(c, { id: showId('app', app.id), object: 'app', name, settings, webhook_secret: app.webhookSecret }, 201);
    })
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
      if (!capped) throw new ApiError('resource_not_found', 'There is no such key of an app, or it was revoked');
      return envelope(c, { id: c.req.param('id'), object: 'key', mode: capped.kind, daily_cap });
    })
    .post('/api/v1/admin/keys/:id/revoke', authentication.admin, async (c) => {
      const id = parseId('key', c.req.param('id'));
      const revoked = id !== null && (await revokeKey(service, id));
      authentication.forget();
      if (!revoked) throw new ApiError('resource_not_found', 'There is no such key, or it was revoked already');
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
