/** Webhook endpoints, their deliveries, and the messages that they send. */
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
    summary: 'Create an endpoint; its secret is shown only now',
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
    summary: 'Change the given members',
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
    summary: 'Create a new secret; for a day the old one signs as well',
    body: jsonBody(rotateBody, { revoke_previous: false }, false),
    answers: { 200: answer('The endpoint', refTo('EndpointWithSecret')) },
  },
  {
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/test`,
    id: 'testEndpoint',
    summary: 'Send `endpoint.test` to the endpoint',
    answers: { 202: answer('The delivery', refTo('Delivery')) },
    errors: ['conflict'],
  },
  {
    ...common,
    method: 'post',
    path: `${ENDPOINTS}/:id/replay`,
    id: 'replayEvents',
    summary: 'Send the events of a period again',
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
    summary: 'Deliver the same event again',
    answers: { 202: answer('The new delivery', refTo('Delivery')) },
    errors: ['conflict'],
  },
];

/** What `data` holds, by the first word of the event type. */
const told: Record<string, JsonSchema> = {
  job: refTo('Job'),
  batch: refTo('Batch'),
  aml: {
    type: 'object',
    description: '`monitor`, `job`, `list`, `list_version`, `hits`, and the first 100 `source_ids`',
  },
  wallet: { type: 'object', description: '`available` and `low_balance`, naira' },
  endpoint: { type: 'object', description: 'The disabled endpoint: id, url, reason, times' },
};

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } });

/** The document's `webhooks` section: messages in the form of Standard Webhooks, for every event type and the test. */
export function writeWebhooks(): Record<string, unknown> {
  return Object.fromEntries([...eventTypes, 'endpoint.test'].map((type) => [type, { post: writeEvent(type) }]));
}

const writeEvent = (type: string) => ({
  operationId: `event.${type}`,
  tags: ['events'],
  summary: `\`${type}\``,
  security: [],
  parameters: [
    header('webhook-id', 'evt_…, the same in every attempt'),
    header('webhook-timestamp', 'Time of this attempt, in seconds since 1970'),
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
    '2XX': { description: 'Received' },
    '410': { description: 'No more deliveries wanted: the endpoint is disabled' },
  },
});
