/** The messages that webhooks send, for the document's `webhooks`. */
import { eventTypes } from '../../contract/webhooks.ts';
import { type JsonSchema, objectOf, refTo } from './schema.ts';

/** What `data` holds, by the first word of the event type. */
const dataOf: Record<string, JsonSchema> = {
  job: refTo('Job'),
  batch: refTo('Batch'),
  aml: {
    type: 'object',
    description: '`monitor`, `job`, `list`, `list_version`, `hits`, and the first 100 `source_ids`',
  },
  wallet: { type: 'object', description: '`available` and `low_balance`, naira' },
  approval: { type: 'object', description: 'The approval, without names, reasons and terms' },
  review: refTo('Review'),
  endpoint: { type: 'object', description: 'The disabled endpoint: id, url, reason, times' },
};

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } });

/** The document's `webhooks` section: messages in the form of Standard Webhooks, for every event type and the test. */
export function writeEvents(): Record<string, unknown> {
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
          data: dataOf[type.split('.')[0]!]!,
        }),
      },
    },
  },
  responses: {
    '2XX': { description: 'Received' },
    '410': { description: 'No more deliveries wanted: the endpoint is disabled' },
  },
});
