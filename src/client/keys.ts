/** The app's API keys. */
import type { z } from 'zod';
import type { keyAnswer, keyPatch, keysQuery, newKeyAnswer, ownKeyBody, rotateBody } from '../contract/keys.ts';
import type { Scope } from '../contract/scopes.ts';
import { at } from './paths.ts';
import { keyOf, type ListQuery, type OwnKey, type Page, type Transport } from './transport.ts';

export type Key = z.infer<typeof keyAnswer>;
/** With the key itself, which no later answer contains. */
export type NewKey = z.infer<typeof newKeyAnswer>;
export type KeyTerms = z.input<typeof ownKeyBody>;
export type { Scope };

type KeysQuery = ListQuery<z.input<typeof keysQuery>>;

const KEYS = 'api/v1/keys';

export const keyCalls = ({ send, items }: Transport) => ({
  page: (query: KeysQuery = {}, signal?: AbortSignal) => send<Page<Key>>('GET', KEYS, { query, signal }),
  all: (query: KeysQuery = {}, signal?: AbortSignal) => items<Key>(KEYS, query, signal),
  create: (body: KeyTerms, options: OwnKey = {}) => send<NewKey>('POST', KEYS, { body, headers: keyOf(options) }),
  change: (id: string, body: z.input<typeof keyPatch>) => send<Key>('PATCH', at(KEYS, id), { body }),
  rotate: (id: string, body: z.input<typeof rotateBody> = {}, options: OwnKey = {}) =>
    send<NewKey>('POST', at(KEYS, id, 'rotate'), { body, headers: keyOf(options) }),
  revoke: (id: string) => send<Key>('POST', at(KEYS, id, 'revoke')),
});
