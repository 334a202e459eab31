/** Webhook endpoints and their deliveries: create, change, test, redeliver. */
import type { z } from 'zod';
import type { endpointWithSecret, replayAnswer } from '../contract/webhooks.ts';
import { deliveryPage, type EndpointRow, endpointBody, endpointPage, endpointPatch, replayBody, rotateBody } from '../contract/webhooks.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import {
  createEndpoint,
  deleteEndpoint,
  describeEndpoint,
  describeEndpoints,
  listEndpoints,
  readEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../webhooks/endpoints.ts';
import { listDeliveries, readDeliveryWithMessage, redeliver, replay, sendTest } from '../webhooks/replay.ts';
import { authorOf, purposeHeader } from './audited.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { answer } from './openapi/operation.ts';
import { objectOf, pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

const ENDPOINTS = '/api/v1/webhooks/endpoints';
const DELIVERIES = '/api/v1/webhooks/deliveries';

const noEndpoint = () => new ApiError('resource_not_found', 'There is no such endpoint');
const noDelivery = () => new ApiError('resource_not_found', 'There is no such delivery');

const RESULTS = 'If the endpoint has an `encryption_key`, this needs the scope `results:read` too, and is audited as a read of results.';

const common = { tag: 'webhooks', who: 'app', scope: 'webhooks' } as const;

export async function findEndpoint(c: Http, { service }: Tools): Promise<EndpointRow> {
  const id = parseId('whe', c.req.param('id') ?? '');
  const endpoint = id === null ? null : await readEndpoint(service.sql, callerOf(c), id);
  if (!endpoint) throw noEndpoint();
  return endpoint;
}

const endpointRoutes = [
  route({
    ...common,
    method: 'post',
    path: ENDPOINTS,
    id: 'createEndpoint',
    audit: { change: 'webhook.create' },
    summary: 'Create an endpoint; its secret is shown only now',
    body: { schema: endpointBody, example: { url: 'https://example.com/confam', events: ['job.completed', 'job.failed'] } },
    answers: { 201: answer('The endpoint', refTo('EndpointWithSecret')) },
    errors: ['conflict'],
    async handle(c, { service, body }) {
      const { endpoint, secret } = await createEndpoint(service, callerOf(c), body, authorOf(c));
      return envelope<z.infer<typeof endpointWithSecret>>(c, { ...(await describeEndpoint(service, endpoint)), secret }, 201, {
        Location: `${ENDPOINTS}/${showId('whe', endpoint.id)}`,
      });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: ENDPOINTS,
    id: 'listEndpoints',
    audit: { none: 'shows nobody' },
    summary: 'Endpoints, newest first',
    query: endpointPage,
    answers: { 200: answer('A page', pageOf(refTo('Endpoint'))) },
    async handle(c, { service, query: { limit, cursor } }) {
      const endpoints = await listEndpoints(service, callerOf(c), idCursor('whe', cursor), limit + 1);
      return envelope(c, pageById(await describeEndpoints(service, endpoints), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${ENDPOINTS}/:id`,
    id: 'readEndpoint',
    audit: { none: 'shows nobody' },
    summary: 'An endpoint',
    find: findEndpoint,
    answers: { 200: answer('The endpoint', refTo('Endpoint')) },
    handle: async (c, { service, found }) => envelope(c, await describeEndpoint(service, found)),
  }),
  route({
    ...common,
    method: 'patch',
    path: `${ENDPOINTS}/:id`,
    id: 'changeEndpoint',
    audit: { change: 'webhook.update' },
    summary: 'Change the given members',
    find: findEndpoint,
    body: { schema: endpointPatch, example: { disabled: false } },
    answers: { 200: answer('The endpoint', refTo('Endpoint')) },
    async handle(c, { service, found, body }) {
      const endpoint = await updateEndpoint(service, callerOf(c), found.id, body, authorOf(c));
      if (!endpoint) throw noEndpoint();
      return envelope(c, await describeEndpoint(service, endpoint));
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${ENDPOINTS}/:id`,
    id: 'deleteEndpoint',
    audit: { change: 'webhook.delete' },
    summary: 'Delete an endpoint',
    answers: {
      200: answer('Deleted', objectOf({ id: { type: 'string' }, object: { const: 'webhook_endpoint' }, deleted: { const: true } })),
    },
    async handle(c, { service, params }) {
      const id = parseId('whe', params.id);
      if (id === null || !(await deleteEndpoint(service, callerOf(c), id, authorOf(c)))) throw noEndpoint();
      return envelope(c, { id: params.id, object: 'webhook_endpoint', deleted: true });
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/rotate`,
    id: 'rotateSecret',
    audit: { change: 'webhook.rotate' },
    summary: 'Create a new secret; for a day the old one signs as well',
    find: findEndpoint,
    body: { schema: rotateBody, example: { revoke_previous: false }, isOptional: true },
    answers: { 200: answer('The endpoint', refTo('EndpointWithSecret')) },
    async handle(c, { service, found, body }) {
      const rotated = await rotateSecret(service, found, { revokePrevious: body.revoke_previous }, authorOf(c));
      if (!rotated) throw noEndpoint();
      return envelope(c, { ...(await describeEndpoint(service, rotated.endpoint)), secret: rotated.secret });
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/test`,
    id: 'testEndpoint',
    audit: { none: 'its message is about nobody' },
    summary: 'Send `endpoint.test` to the endpoint',
    find: findEndpoint,
    answers: { 202: answer('The delivery', refTo('Delivery')) },
    errors: ['conflict'],
    handle: async (c, { service, found }) => envelope(c, await sendTest(service, found), 202),
  }),
  route({
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/replay`,
    id: 'replayEvents',
    audit: { change: 'webhook.resend' },
    summary: 'Send the events of a period again',
    description: RESULTS,
    parameters: [purposeHeader],
    find: findEndpoint,
    body: { schema: replayBody, example: { since: '2026-11-21T00:00:00Z', missing_only: true } },
    answers: { 202: answer('What was queued', refTo('Replay')) },
    errors: ['conflict'],
    async handle(c, { service, found, body }) {
      const { deliveries, hastened, nextSince } = await replay(service, callerOf(c), found, body, authorOf(c));
      const replayed = { object: 'webhook_replay', deliveries, hastened, has_more: nextSince !== null, next_since: nextSince } as const;
      return envelope<z.infer<typeof replayAnswer>>(c, replayed, 202);
    },
  }),
];

const deliveryRoutes = [
  route({
    ...common,
    method: 'get',
    path: `${ENDPOINTS}/:id/deliveries`,
    id: 'listDeliveries',
    audit: { none: 'shows nobody' },
    summary: 'Deliveries with every attempt, newest first',
    find: findEndpoint,
    query: deliveryPage,
    answers: { 200: answer('A page', pageOf(refTo('Delivery'))) },
    async handle(c, { service, found, query: { limit, cursor, status } }) {
      const filter = { before: idCursor('dlv', cursor), limit: limit + 1, status: status ?? null };
      return envelope(c, pageById(await listDeliveries(service, found.id, filter), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${DELIVERIES}/:id`,
    id: 'readDelivery',
    audit: { none: 'shows nobody' },
    summary: 'A delivery, with the message that it carries',
    answers: { 200: answer('The delivery', refTo('DeliveryWithMessage')) },
    async handle(c, { service, params }) {
      const id = parseId('dlv', params.id);
      const delivery = id === null ? null : await readDeliveryWithMessage(service, callerOf(c), id);
      if (!delivery) throw noDelivery();
      return envelope(c, delivery);
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${DELIVERIES}/:id/redeliver`,
    id: 'redeliver',
    audit: { change: 'webhook.resend' },
    summary: 'Deliver the same event again',
    description: RESULTS,
    parameters: [purposeHeader],
    answers: { 202: answer('The new delivery', refTo('Delivery')) },
    errors: ['conflict'],
    async handle(c, { service, params }) {
      const id = parseId('dlv', params.id);
      const delivery = id === null ? null : await redeliver(service, callerOf(c), id, authorOf(c));
      if (!delivery) throw noDelivery();
      return envelope(c, delivery, 202, { Location: `${DELIVERIES}/${delivery.id}` });
    },
  }),
];

export const webhookRoutes = [...endpointRoutes, ...deliveryRoutes];
