/** An app's own keys, by a key that may manage them (scope `keys`), which never makes one that may do more than itself. */
import { changeKey, createKey, readKey, readKeys, revokeKey } from '../access/keys.ts';
import { keyPatch, keysQuery, ownKeyBody, rotateBody, type StoredKey, showKey, termsOf } from '../contract/keys.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { answerRotation, keyIsOver, ownTerms, refuseChange, refuseExcess, showNew } from './key-rules.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

const KEYS = '/api/v1/keys';

const common = { tag: 'keys', who: 'app', scope: 'keys' } as const;

const noKey = () => new ApiError('resource_not_found', 'There is no such key');

async function findKey(c: Http, { service }: Pick<Tools, 'service'>): Promise<StoredKey> {
  const id = parseId('key', c.req.param('id') ?? '');
  const key = id === null ? null : await readKey(service.sql, { id, holder: callerOf(c) });
  if (!key) throw noKey();
  return key;
}

export const keyRoutes = [
  route({
    ...common,
    method: 'get',
    path: KEYS,
    id: 'listOwnKeys',
    audit: { none: 'shows nobody' },
    summary: 'The app’s keys of your key’s mode, newest first',
    query: keysQuery,
    answers: { 200: answer('A page', pageOf(refTo('Key'))) },
    async handle(c, { service, query: { limit, cursor, name, active } }) {
      const filter = { before: idCursor('key', cursor), limit: limit + 1, name, isActive: active };
      const keys = await readKeys(service, callerOf(c), filter);
      return envelope(c, pageById(keys.map(showKey), limit));
    },
  }),
  route({
    ...common,
    method: 'post',
    path: KEYS,
    id: 'createOwnKey',
    audit: { change: 'key.create' },
    summary: 'Create a key that may do no more than yours; it is shown only now',
    body: { schema: ownKeyBody, example: { name: 'Nightly upload', scopes: ['batches:write', 'results:read'] }, isOptional: true },
    answers: { 201: answer('The key', refTo('NewKey')) },
    async handle(c, { service, body }) {
      const { appId, live } = callerOf(c);
      const wanted = { ...ownTerms(c), name: null, ...termsOf(body) };
      refuseExcess(c, wanted);
      const made = await createKey(service, live ? 'live' : 'test', appId, wanted, authorOf(c));
      return envelope(c, await showNew(service, made!), 201);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${KEYS}/:id`,
    id: 'readOwnKey',
    audit: { none: 'shows nobody' },
    summary: 'One of the app’s keys',
    find: findKey,
    answers: { 200: answer('The key', refTo('Key')) },
    handle: (c, { found }) => envelope(c, showKey(found)),
  }),
  route({
    ...common,
    method: 'patch',
    path: `${KEYS}/:id`,
    id: 'changeOwnKey',
    audit: { change: 'key.change' },
    summary: 'Change what a key may do, within what yours may',
    find: findKey,
    body: { schema: keyPatch, example: { addresses: ['203.0.113.0/24'] } },
    answers: { 200: answer('The key', refTo('Key')) },
    errors: ['conflict'],
    async handle(c, { service, forgetKeys, found, body }) {
      const sent = termsOf(body);
      refuseChange(c, found, sent);
      const changed = await changeKey(service, found.id, sent, authorOf(c));
      forgetKeys();
      if (!changed) throw keyIsOver();
      return envelope(c, showKey(changed));
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${KEYS}/:id/rotate`,
    id: 'rotateOwnKey',
    audit: { change: 'key.rotate' },
    summary: 'Replace a key with a new one; the old one keeps working for a while',
    find: findKey,
    body: { schema: rotateBody, example: { overlap_seconds: 3600 }, isOptional: true },
    answers: { 201: answer('The new key', refTo('NewKey')) },
    errors: ['conflict'],
    handle: (c, { found, body, ...tools }) => answerRotation(c, tools, { id: found.id, holder: callerOf(c) }, body.overlap_seconds),
  }),
  route({
    ...common,
    method: 'post',
    path: `${KEYS}/:id/revoke`,
    id: 'revokeOwnKey',
    audit: { change: 'key.revoke' },
    summary: 'Revoke a key; it is refused everywhere within a second',
    find: findKey,
    answers: { 200: answer('The key', refTo('Key')) },
    errors: ['conflict'],
    async handle(c, { service, forgetKeys, found }) {
      const revoked = await revokeKey(service, found.id, authorOf(c), callerOf(c));
      forgetKeys();
      if (!revoked) throw keyIsOver();
      return envelope(c, showKey((await readKey(service.sql, { id: found.id }))!));
    },
  }),
];
