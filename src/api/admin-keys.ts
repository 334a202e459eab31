/** The operator's API: the keys of every app. */
import { changeKey, createKey, readKey, revokeKey, UNRESTRICTED } from '../access/keys.ts';
import { keyBody, keyPatch, showKey, termsOf } from '../contract/keys.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { authorOf } from './audited.ts';
import { envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { objectOf, refTo } from './openapi/schema.ts';
import { route } from './route.ts';

const KEYS = '/api/v1/admin/keys';

const common = { tag: 'operator', who: 'admin' } as const;

export const adminKeyRoutes = [
  route({
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/keys',
    id: 'createKey',
    audit: { change: 'key.create' },
    summary: 'Create a key; it is shown only now',
    body: { schema: keyBody, example: { mode: 'test' } },
    answers: { 201: answer('The key', refTo('NewKey')) },
    async handle(c, { service, params, body: { mode, ...sent } }) {
      const appId = parseId('app', params.id);
      const made = appId && (await createKey(service, mode, appId, { ...UNRESTRICTED, ...termsOf(sent) }, authorOf(c)));
      if (!made) throw new ApiError('resource_not_found', 'There is no such app');
      return envelope(c, { ...showKey((await readKey(service.sql, { id: made.id }))!), key: made.key }, 201);
    },
  }),
  route({
    ...common,
    method: 'patch',
    path: `${KEYS}/:id`,
    id: 'capKey',
    audit: { change: 'key.change' },
    summary: 'Change what a key may do, and cap its daily spending',
    body: { schema: keyPatch, example: { daily_cap: 10_000 } },
    answers: { 200: answer('The key', refTo('Key')) },
    async handle(c, { service, forgetKeys, params, body }) {
      const id = parseId('key', params.id);
      const changed = id && (await changeKey(service, id, termsOf(body), authorOf(c)));
      forgetKeys();
      if (!changed) throw new ApiError('resource_not_found', 'There is no such app key, or it has expired or was revoked');
      return envelope(c, showKey(changed));
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${KEYS}/:id/revoke`,
    id: 'revokeKey',
    audit: { change: 'key.revoke' },
    summary: 'Revoke a key at once',
    answers: {
      200: answer('Revoked', objectOf({ id: { type: 'string' }, object: { const: 'key' }, revoked: { const: true } })),
    },
    async handle(c, { service, forgetKeys, params }) {
      const id = parseId('key', params.id);
      const revoked = id !== null && (await revokeKey(service, id, authorOf(c)));
      forgetKeys();
      if (!revoked) throw new ApiError('resource_not_found', 'There is no such key, or it was already revoked');
      return envelope(c, { id: params.id, object: 'key', revoked: true });
    },
  }),
];
