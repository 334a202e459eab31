/** The operator's API, and what load balancers and monitoring read. */

import { appBody, appPatch, appsQuery, keyBody, keyPatch } from '../../contract/apps.ts';
import { listsAnswer, listVersionsAnswer } from '../../contract/lists.ts';
import { priceBody, topUpBody } from '../../contract/money.ts';
import { lookupAnswer, providersAnswer } from '../../contract/providers.ts';
import { pageQuery, periodQuery } from '../../contract/queries.ts';
import { answer, file, jsonBody, type Operation, queryOf } from './operation.ts';
import { type JsonSchema, listOf, objectOf, refTo, schemaOf } from './schema.ts';

const text = { type: 'string' };
const app = {
  id: text,
  object: { const: 'app' },
  name: text,
  settings: { type: 'object', description: 'As set; others take the default' },
};
const key = { id: text, object: { const: 'key' }, mode: { enum: ['live', 'test'] }, daily_cap: { type: ['number', 'null'] } };
const wallet = { currency: { const: 'NGX' }, mode: { enum: ['live', 'test'] }, available: { type: 'number' }, held: { type: 'number' } };

const common = { tag: 'operator', who: 'admin' } as const;

const admin: Operation[] = [
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps',
    id: 'createApp',
    summary: 'Make an app; its webhook secret is shown this once',
    body: jsonBody(appBody, { name: 'Order system', settings: { dailyCap: 50_000 } }),
    answers: { 201: answer('The app', objectOf({ ...app, webhook_secret: text })) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/apps',
    id: 'listApps',
    summary: 'Apps with their settings, keys and balances, newest first',
    parameters: queryOf(appsQuery),
    answers: { 200: answer('A page', listOf(refTo('App'), true)) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/apps/:id',
    id: 'readApp',
    summary: 'An app with its settings, keys and balances',
    answers: { 200: answer('The app', refTo('App')) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/suspend',
    id: 'suspendApp',
    summary: 'Suspend an app: within a second it starts nothing, reads nothing and is told nothing',
    answers: { 200: answer('The app', refTo('App')) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/resume',
    id: 'resumeApp',
    summary: 'Resume a suspended app: its work and its webhooks go on',
    answers: { 200: answer('The app', refTo('App')) },
  },
  {
    ...common,
    method: 'patch',
    path: '/api/v1/admin/apps/:id',
    id: 'changeApp',
    summary: 'Change settings; null takes the default again',
    body: jsonBody(appPatch, { settings: { dailyCap: null } }),
    answers: { 200: answer('The app', objectOf(app)) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/keys',
    id: 'createKey',
    summary: 'Make a key; it is shown this once',
    body: jsonBody(keyBody, { mode: 'test' }),
    answers: { 201: answer('The key', objectOf({ ...key, key: text })) },
  },
  {
    ...common,
    method: 'patch',
    path: '/api/v1/admin/keys/:id',
    id: 'capKey',
    summary: 'Cap what a key may spend a day',
    body: jsonBody(keyPatch, { daily_cap: 10_000 }),
    answers: { 200: answer('The key', objectOf(key)) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/keys/:id/revoke',
    id: 'revokeKey',
    summary: 'Revoke a key at once',
    answers: { 200: answer('Revoked', objectOf({ id: text, object: { const: 'key' }, revoked: { const: true } })) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/topups',
    id: 'topUp',
    summary: 'Book a payment',
    body: jsonBody(topUpBody, { amount: 100_000, note: 'invoice 17' }),
    answers: { 201: answer('The wallet', objectOf(wallet)) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/prices',
    id: 'agreePrice',
    summary: 'Agree on a price that departs from the list',
    body: jsonBody(priceBody, { check: 'nin_basic', price: 100 }),
    answers: { 201: answer('The agreement', refTo('Agreement')) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/apps/:id/prices',
    id: 'listAgreements',
    summary: 'What was agreed with an app, newest first',
    answers: { 200: answer('All of them', listOf(refTo('Agreement'), false)) },
  },
  {
    ...common,
    method: 'delete',
    path: '/api/v1/admin/apps/:id/prices/:price',
    id: 'endAgreement',
    summary: 'End an agreement now',
    answers: { 200: answer('The agreement', refTo('Agreement')) },
  },
];

const providers: Operation[] = [
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/providers',
    id: 'listProviders',
    summary: 'How the vendors of live keys do: health, budget, latency, errors, spend; and the margin by check and day',
    parameters: queryOf(periodQuery),
    answers: { 200: answer('All of them', schemaOf(providersAnswer, 'output')) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/providers/:name/resume',
    id: 'resumeProvider',
    summary: 'Lift a pause at once: after its account was topped up, or its credentials were put right',
    answers: { 200: answer('Lifted', objectOf({ object: { const: 'provider' }, name: text, paused: { const: false } })) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/jobs/:id/lookups',
    id: 'listLookups',
    summary: 'What vendors were asked for a job or call: for disputes',
    answers: { 200: answer('Oldest first', listOf(schemaOf(lookupAnswer, 'output'), false)) },
  },
  {
    ...common,
    who: 'anyone',
    method: 'post',
    path: '/v1/upstreams/:provider/callback',
    id: 'receiveVendorMessage',
    summary: 'A vendor says what became of a question that it answers later; its signature is checked by its adapter',
    body: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    answers: { 200: answer('Whether a question waits for it', objectOf({ received: { type: 'boolean' } })) },
    errors: ['unauthenticated', 'payload_too_large', 'overloaded'],
  },
];

const lists: Operation[] = [
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/lists',
    id: 'listWatchLists',
    summary: 'How the watch lists of live keys stand: version, age, counts, what was refused',
    answers: { 200: answer('All of them', schemaOf(listsAnswer, 'output')) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/lists/:list/versions',
    id: 'listWatchListVersions',
    summary: 'Every version that a watch list has had, with what it added, changed and removed',
    parameters: queryOf(pageQuery),
    answers: { 200: answer('Newest first', schemaOf(listVersionsAnswer, 'output')) },
  },
];

const state = (description: string, properties: Record<string, JsonSchema>) => ({
  description,
  content: { 'application/json': { schema: objectOf(properties) } },
});
const open = { tag: 'operations', who: 'anyone' } as const;

const operations: Operation[] = [
  {
    ...open,
    method: 'get',
    path: '/healthz',
    id: 'isAlive',
    summary: 'Alive',
    answers: {
      200: state('Alive', { status: { const: 'ok' } }),
      503: state('Its own Postgres is down', { status: { const: 'database down' } }),
    },
  },
  {
    ...open,
    method: 'get',
    path: '/readyz',
    id: 'isReady',
    summary: 'Ready for requests',
    answers: {
      200: state('Ready', { status: { const: 'ready' }, queue: text }),
      503: state('Starting, draining, without its database, or with a disk that is full', { status: text }),
    },
  },
  {
    ...open,
    who: 'admin',
    method: 'get',
    path: '/metrics',
    id: 'readMetrics',
    summary: 'Prometheus metrics; also with CONFAM_METRICS_TOKEN, and without a key on the port of operations',
    answers: { 200: file('Metrics', 'text/plain') },
  },
  {
    ...open,
    method: 'get',
    path: '/openapi.json',
    id: 'readDocument',
    summary: 'This document',
    answers: {
      200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      304: { description: 'Unchanged' },
    },
  },
  {
    ...open,
    method: 'get',
    path: '/docs',
    id: 'browse',
    summary: 'This document, to read and try',
    answers: { 200: file('A page', 'text/html') },
  },
  {
    ...open,
    method: 'get',
    path: '/docs/:file',
    id: 'readPageFile',
    summary: 'Scripts and styles of that page',
    answers: { 200: file('The file', 'text/javascript', 'text/css', 'image/png', 'application/json'), 304: { description: 'Unchanged' } },
  },
];

export const operatorOperations: readonly Operation[] = [...admin, ...providers, ...lists, ...operations];
