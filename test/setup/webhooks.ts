/** What tests of webhooks share: receivers, and endpoints with their deliveries. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Client, Entity, JobEntity } from './api.ts';
import { waitFor } from './database.ts';

export const ENDPOINTS = '/api/v1/webhooks/endpoints';
export const DELIVERIES = '/api/v1/webhooks/deliveries';

export interface EndpointEntity {
  id: string;
  url: string;
  description: string | null;
  events: string[];
  signing: string;
  secret: string | null;
  public_key: string | null;
  previous_public_key: string | null;
  previous_secret_expires_at: string | null;
  rate_per_second: number | null;
  encryption_key: Entity | null;
  results: 'sent' | 'withheld' | null;
  disabled: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  live: boolean;
}

export interface DeliveryEntity {
  id: string;
  event: { id: string; type: string; created_at: string };
  endpoint: string | null;
  status: string;
  error: string | null;
  attempts: { attempt: number; at: string; status: number | null; error: string | null; latency_ms: number; response: string | null }[];
  next_attempt_at: string | null;
}

export interface List<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

interface Message {
  type: string;
  data: Entity & { id: string };
}

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  message: Message;
  at: number;
}

/** A receiver that records its messages; `answer` is told how many have come, from 1. */
export async function startReceiver(answer: (response: ServerResponse, count: number) => void = (response) => response.end()) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ path: request.url!, headers: request.headers, body, message: JSON.parse(body), at: performance.now() });
    answer(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const types = () => received.map(({ message }) => message.type);
  return { received, types, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

export async function create(client: Client, body: Entity): Promise<EndpointEntity> {
  const answer = await client.post<EndpointEntity>(ENDPOINTS, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.entity;
}

export const deliveriesOf = async (client: Client, id: string, query = '') =>
  (await client.get<List<DeliveryEntity>>(`${ENDPOINTS}/${id}/deliveries${query}`)).body.entity.data;

/** Waits until the endpoint has no delivery in progress; newest first. */
export const settled = (client: Client, id: string, count: number) =>
  waitFor(`${count} deliveries of ${id}`, async () => {
    const deliveries = await deliveriesOf(client, id);
    return deliveries.length >= count && deliveries.every(({ status }) => status === 'delivered' || status === 'failed') && deliveries;
  });

export const read = async (client: Client, id: string) => (await client.get<EndpointEntity>(`${ENDPOINTS}/${id}`)).body.entity;
export const patch = (client: Client, id: string, body: Entity) =>
  client.send<EndpointEntity>('PATCH', `${ENDPOINTS}/${id}`, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

export const NIN = '70123456789';

export const runJob = async (client: Client, input: Entity = { nin: NIN }, more: Entity = {}) => {
  const answer = await client.job({ check: 'nin_advance', input, ...more });
  expect(answer.status, answer.text).toBe(202);
  return client.ended<JobEntity>(`/api/v1/jobs/${answer.body.entity.id}`);
};
