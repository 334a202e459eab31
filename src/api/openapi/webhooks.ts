/** Webhook endpoints, their deliveries, and the messages that arrive. */
import { deliveryPage, endpointBody, endpointPage, endpointPatch, eventTypes, replayBody, rotateBody } from '../../contract/webhooks.ts';
import { answer, jsonBody, type Operation, queryOf } from './operation.ts';
import { type JsonSchema, listOf, objectOf, refTo } from './schema.ts';

const ENDPOINTS = '/api/v1/webhooks/endpoints';
const DELIVERIES = '/api/v1/webhooks/deliveries';

const common = { tag: 'webhooks', who: 'app' } as const;

export const webhookOperations: readonly Operation[] = [
  {
    ...common,
    method: 'post',
    path: ENDPOINTS,
    id: 'createEndpoint',
    summary: 'Make an endpoint; its secret is shown this once',
    body: jsonBody(endpointBody, { url: 'https://example.com/confam', events: ['job.completed', 'job.failed'] }),
    answers: { 201: answer('The endpoint', refTo('EndpointWithSecret')) },
    errors: ['conflict'],
  },
  {
    ...common,
    method: 'get',
    path: ENDPOINTS,
    id: 'listEndpoints',
    summary: 'Endpoints, newest first',
    parameters: queryOf(endpointPage),
    answers: { 200: answer('A page', listOf(refTo('Endpoint'), true)) },
  },
  {
    ...common,
    method: 'get',
    path: `${ENDPOINTS}/:id`,
    id: 'readEndpoint',
    summary: 'An endpoint',
    answers: { 200: answer('The endpoint', refTo('Endpoint')) },
  },
  {
    ...common,
    method: 'patch',
    path: `${ENDPOINTS}/:id`,
    id: 'changeEndpoint',
    summary: 'Change the members given',
    body: jsonBody(endpointPatch, { disabled: false }),
    answers: { 200: answer('The endpoint', refTo('Endpoint')) },
  },
  {
    ...common,
    method: 'delete',
    path: `${ENDPOINTS}/:id`,
    id: 'deleteEndpoint',
    summary: 'Delete an endpoint',
    answers: {
      200: answer('Deleted', objectOf({ id: { type: 'string' }, object: { const: 'webhook_endpoint' }, deleted: { const: true } })),
    },
  },
  {
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/rotate`,
    id: 'rotateSecret',
    summary: 'A new secret; the old one signs beside it for a day',
    body: jsonBody(rotateBody, { revoke_previous: false }, false),
    answers: { 200: answer('The endpoint', refTo('EndpointWithSecret')) },
  },
  {
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/test`,
    id: 'testEndpoint',
    summary: 'Send `endpoint.test` to it',
    answers: { 202: answer('The delivery', refTo('Delivery')) },
    errors: ['conflict'],
  },
  {
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/replay`,
    id: 'replayEvents',
    summary: 'Send the events of a time again',
    body: jsonBody(replayBody, { since: '2026-11-21T00:00:00Z', missing_only: true }),
    answers: { 202: answer('What was queued', refTo('Replay')) },
    errors: ['conflict'],
  },
  {
    ...common,
    method: 'get',
    path: `${ENDPOINTS}/:id/deliveries`,
    id: 'listDeliveries',
    summary: 'Deliveries with every attempt, newest first',
    parameters: queryOf(deliveryPage),
    answers: { 200: answer('A page', listOf(refTo('Delivery'), true)) },
  },
  {
    ...common,
    method: 'get',
    path: `${DELIVERIES}/:id`,
    id: 'readDelivery',
    summary: 'A delivery',
    answers: { 200: answer('The delivery', refTo('Delivery')) },
  },
  {
    ...common,
    method: 'post',
    path: `${DELIVERIES}/:id/redeliver`,
    id: 'redeliver',
    summary: 'The same event once more',
    answers: { 202: answer('The new delivery', refTo('Delivery')) },
    errors: ['conflict'],
  },
];

/** What `data` is, by the first word of the event's type. */
const told: Record<string, JsonSchema> = {
  job: refTo('Job'),
  batch: refTo('Batch'),
  aml: {
    type: 'object',
    description: '`monitor`, `job`, `list`, `list_version`, `hits`, and the first 100 `source_ids`',
  },
  wallet: { type: 'object', description: '`available` and `low_balance`, naira' },
  endpoint: { type: 'object', description: 'The endpoint that was disabled: id, url, reason, times' },
};

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } });

/** The section `webhooks` of the document: messages after Standard Webhooks, for every type of event and the test. */
export function writeWebhooks(): Record<string, unknown> {
  return Object.fromEntries([...eventTypes, 'endpoint.test'].map((type) => [type, { post: writeEvent(type) }]));
}

const writeEvent = (type: string) => ({
  operationId: `event.${type}`,
  tags: ['events'],
  summary: `\`${type}\``,
  security: [],
  parameters: [
    header('webhook-id', 'evt_…, the same at every attempt'),
    header('webhook-timestamp', 'Seconds since 1970 of this attempt'),
    header('webhook-signature', '`v1,…` or `v1a,…` over id, timestamp and raw body; several during a rotation'),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: objectOf({
          type: { const: type },
          timestamp: { type: 'string', format: 'date-time' },
          data: told[type.split('.')[0]!]!,
        }),
      },
    },
  },
  responses: {
    '2XX': { description: 'You have it' },
    '410': { description: 'You want no more: the endpoint is disabled' },
  },
});
