/** The operator's API, and the paths for load balancers and monitoring. */

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
  settings: { type: 'object', description: 'Settings that were changed; the rest have their defaults' },
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
    summary: 'Create an app; its webhook secret is shown only now',
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
    summary: 'Suspend an app: within a second its requests are refused, and its work and webhooks stop',
    answers: { 200: answer('The app', refTo('App')) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/resume',
    id: 'resumeApp',
    summary: 'Resume a suspended app: its work and webhooks continue',
    answers: { 200: answer('The app', refTo('App')) },
  },
  {
    ...common,
    method: 'patch',
    path: '/api/v1/admin/apps/:id',
    id: 'changeApp',
    summary: 'Change settings; null restores the default',
    body: jsonBody(appPatch, { settings: { dailyCap: null } }),
    answers: { 200: answer('The app', objectOf(app)) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/keys',
    id: 'createKey',
    summary: 'Create a key; it is shown only now',
    body: jsonBody(keyBody, { mode: 'test' }),
    answers: { 201: answer('The key', objectOf({ ...key, key: text })) },
  },
  {
    ...common,
    method: 'patch',
    path: '/api/v1/admin/keys/:id',
    id: 'capKey',
    summary: 'Cap a key’s daily spending',
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
    summary: 'Record a payment',
    body: jsonBody(topUpBody, { amount: 100_000, note: 'invoice 17' }),
    answers: { 201: answer('The wallet', objectOf(wallet)) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/apps/:id/prices',
    id: 'agreePrice',
    summary: 'Agree on a price that differs from the list',
    body: jsonBody(priceBody, { check: 'nin_basic', price: 100 }),
    answers: { 201: answer('The agreement', refTo('Agreement')) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/apps/:id/prices',
    id: 'listAgreements',
    summary: 'Prices agreed with an app, newest first',
    answers: { 200: answer('All agreements', listOf(refTo('Agreement'), false)) },
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
    summary: 'Vendors for live keys: health, budget, latency, errors, spend; and the margin by check and day',
    parameters: queryOf(periodQuery),
    answers: { 200: answer('All providers', schemaOf(providersAnswer, 'output')) },
  },
  {
    ...common,
    method: 'post',
    path: '/api/v1/admin/providers/:name/resume',
    id: 'resumeProvider',
    summary: 'Lift a pause at once, after the vendor account was topped up or the credentials were corrected',
    answers: { 200: answer('Lifted', objectOf({ object: { const: 'provider' }, name: text, paused: { const: false } })) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/jobs/:id/lookups',
    id: 'listLookups',
    summary: 'Look-ups that a job or call made at vendors, for disputes',
    answers: { 200: answer('Oldest first', listOf(schemaOf(lookupAnswer, 'output'), false)) },
  },
  {
    ...common,
    who: 'anyone',
    method: 'post',
    path: '/v1/upstreams/:provider/callback',
    id: 'receiveVendorMessage',
    summary: 'A vendor’s message about a pending question; the vendor’s adapter checks its signature',
    body: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    answers: { 200: answer('Whether a pending question matches it', objectOf({ received: { type: 'boolean' } })) },
    errors: ['unauthenticated', 'payload_too_large', 'overloaded'],
  },
];

const lists: Operation[] = [
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/lists',
    id: 'listWatchLists',
    summary: 'State of the watch lists for live keys: version, age, counts, refused versions',
    answers: { 200: answer('All lists', schemaOf(listsAnswer, 'output')) },
  },
  {
    ...common,
    method: 'get',
    path: '/api/v1/admin/lists/:list/versions',
    id: 'listWatchListVersions',
    summary: 'Every version of a watch list, with what it added, changed and removed',
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
      503: state('Starting, draining, without its database, or with a full disk', { status: text }),
    },
  },
  {
    ...open,
    who: 'admin',
    method: 'get',
    path: '/metrics',
    id: 'readMetrics',
    summary: 'Prometheus metrics; also with CONFAM_METRICS_TOKEN, and without a key on the operations port',
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
    summary: 'This document, to read and try out',
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
