/** Webhook endpoints and their deliveries. */
import type { z } from 'zod';
import type {
  deliveryAnswer,
  deliveryPage,
  deliveryWithMessage,
  endpointAnswer,
  endpointBody,
  endpointPage,
  endpointPatch,
  endpointWithSecret,
  replayAnswer,
  replayBody,
} from '../contract/webhooks.ts';
import { at } from './paths.ts';
import { keyOf, type ListQuery, type OwnKey, type Page, type Transport } from './transport.ts';

export type Endpoint = z.infer<typeof endpointAnswer>;
/** With the secret, which no later answer contains. */
export type EndpointWithSecret = z.infer<typeof endpointWithSecret>;
export type EndpointBody = z.input<typeof endpointBody>;
export type Delivery = z.infer<typeof deliveryAnswer>;
export type DeliveryWithMessage = z.infer<typeof deliveryWithMessage>;
export type Replay = z.infer<typeof replayAnswer>;
type EndpointsQuery = ListQuery<z.input<typeof endpointPage>>;
type DeliveriesQuery = ListQuery<z.input<typeof deliveryPage>>;

const ENDPOINTS = 'api/v1/webhooks/endpoints';
const DELIVERIES = 'api/v1/webhooks/deliveries';

export const webhookCalls = ({ send, items }: Transport) => ({
  page: (query: EndpointsQuery = {}, signal?: AbortSignal) => send<Page<Endpoint>>('GET', ENDPOINTS, { query, signal }),
  all: (query: EndpointsQuery = {}, signal?: AbortSignal) => items<Endpoint>(ENDPOINTS, query, signal),
  read: (id: string, signal?: AbortSignal) => send<Endpoint>('GET', at(ENDPOINTS, id), { signal }),
  create: (body: EndpointBody, options: OwnKey = {}) => send<EndpointWithSecret>('POST', ENDPOINTS, { body, headers: keyOf(options) }),
  change: (id: string, body: z.input<typeof endpointPatch>) => send<Endpoint>('PATCH', at(ENDPOINTS, id), { body }),
  remove: (id: string) => send<unknown>('DELETE', at(ENDPOINTS, id)),
  rotate: (id: string, revokePrevious = false, options: OwnKey = {}) =>
    send<EndpointWithSecret>('POST', at(ENDPOINTS, id, 'rotate'), { body: { revoke_previous: revokePrevious }, headers: keyOf(options) }),
  test: (id: string) => send<Delivery>('POST', at(ENDPOINTS, id, 'test')),
  replay: (id: string, body: z.input<typeof replayBody>, options: OwnKey = {}) =>
    send<Replay>('POST', at(ENDPOINTS, id, 'replay'), { body, headers: keyOf(options) }),
  deliveries: (id: string, query: DeliveriesQuery = {}, signal?: AbortSignal) =>
    send<Page<Delivery>>('GET', at(ENDPOINTS, id, 'deliveries'), { query, signal }),
  allDeliveries: (id: string, query: DeliveriesQuery = {}, signal?: AbortSignal) =>
    items<Delivery>(at(ENDPOINTS, id, 'deliveries'), query, signal),
  delivery: (id: string, signal?: AbortSignal) => send<DeliveryWithMessage>('GET', at(DELIVERIES, id), { signal }),
  redeliver: (id: string) => send<Delivery>('POST', at(DELIVERIES, id, 'redeliver')),
});
