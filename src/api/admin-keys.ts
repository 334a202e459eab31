/** The operator's API: the keys of every app, and admin keys. */
import { changeKey, createKey, readKey, readKeys, revokeKey, UNRESTRICTED } from '../access/keys.ts';
import { adminKeyBody, keyBody, keyPatch, keysQuery, rotateBody, type StoredKey, showKey, termsOf } from '../contract/keys.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { authorOf } from './audited.ts';
import { checked, envelope, type Http } from './http.ts';
import { answerRotation, ownTerms, refuseChange, refuseExcess, showNew } from './key-rules.ts';
import { answer } from './openapi/operation.ts';
import { objectOf, pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

const KEYS = '/api/v1/admin/keys';

const common = { tag: 'operator', who: 'admin' } as const;

async function findAdminKey(c: Http, { service }: Pick<Tools, 'service'>): Promise<StoredKey> {
  const id = parseId('key', c.req.param('id') ?? '');
  const key = id === null ? null : await readKey(service.sql, { id, holder: 'deployment' });
  if (!key) throw new ApiError('resource_not_found', 'There is no such admin key');
  return key;
}

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
      return envelope(c, await showNew(service, made), 201);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: KEYS,
    id: 'listAdminKeys',
    audit: { none: 'shows nobody' },
    summary: 'Admin keys, newest first',
    query: keysQuery,
    answers: { 200: answer('A page', pageOf(refTo('AdminKey'))) },
    async handle(c, { service, query: { limit, cursor, name, active } }) {
      const filter = { before: idCursor('key', cursor), limit: limit + 1, name, isActive: active };
      const keys = await readKeys(service, 'deployment', filter);
      return envelope(c, pageById(keys.map(showKey), limit));
    },
  }),
  route({
    ...common,
    method: 'post',
    path: KEYS,
    id: 'createAdminKey',
    audit: { change: 'key.create' },
    summary: 'Create an admin key; it is shown only now',
    body: { schema: adminKeyBody, example: { name: 'Provisioning', addresses: ['203.0.113.0/24', '127.0.0.1'] }, isOptional: true },
    answers: { 201: answer('The key', refTo('NewAdminKey')) },
    async handle(c, { service, body }) {
      const wanted = { ...ownTerms(c), name: null, ...termsOf(body) };
      refuseExcess(c, wanted);
      const made = await createKey(service, 'admin', null, wanted, authorOf(c));
      return envelope(c, await showNew(service, made!), 201);
    },
  }),
  route({
    ...common,
    method: 'patch',
    path: `${KEYS}/:id`,
    id: 'capKey',
    audit: { change: 'key.change' },
    summary: 'Change what a key may do, and cap its daily spending; of an admin key, its name, addresses and expiry',
    body: { schema: keyPatch, example: { daily_cap: 10_000 } },
    answers: { 200: answer('The key', { oneOf: [refTo('Key'), refTo('AdminKey')] }) },
    async handle(c, { service, forgetKeys, params, body }) {
      const id = parseId('key', params.id);
      const key = id === null ? null : await readKey(service.sql, { id });
      const sent = termsOf(body);
      if (key?.kind === 'admin') {
        checked(adminKeyBody, body);
        refuseChange(c, key, sent);
      }
      const changed = key && (await changeKey(service, key.id, sent, authorOf(c)));
      forgetKeys();
      if (!changed) throw new ApiError('resource_not_found', 'There is no such key, or it has expired, or was revoked or rotated');
      return envelope(c, showKey(changed));
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${KEYS}/:id/rotate`,
    id: 'rotateAdminKey',
    audit: { change: 'key.rotate' },
    summary: 'Replace an admin key with a new one; the old one keeps working for a while',
    find: findAdminKey,
    body: { schema: rotateBody, example: { overlap_seconds: 3600 }, isOptional: true },
    answers: { 201: answer('The new key', refTo('NewAdminKey')) },
    errors: ['conflict'],
    handle: (c, { found, body, ...tools }) => answerRotation(c, tools, { id: found.id, holder: 'deployment' }, body.overlap_seconds),
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
