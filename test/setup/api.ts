/** The whole service in this process on a free port, apps with money and keys, and a small client for each app. */

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { createKey } from '../../src/access/keys.ts';
import { showId } from '../../src/foundation/ids.ts';
import { batchDrift, ledgerDrift, singleDrift } from '../../src/money/drift.ts';
import { topUp } from '../../src/money/ledger.ts';
import type { Service } from '../../src/pipeline/service.ts';
import type { AppSettings } from '../../src/schema/apps.ts';
import { everyRole, runRoles } from '../../workers/main.ts';
import { createDatabase, type TestDatabase, waitFor } from './database.ts';

/** Members missing from an answer are `undefined` at run time, whatever this type declares. */
export interface Body<E> {
  status: string;
  entity: E;
  billed_amount: number;
  cached: boolean;
  error: string;
  code: string;
  details: { path: string; message: string; rule?: string; row?: number }[];
  quote_amount: number;
  available_amount: number;
  meta: { request_id: string; service: string; latency_ms: number };
}

export interface Answer<E> {
  status: number;
  headers: Headers;
  text: string;
  body: Body<E>;
}

export type Entity = Record<string, unknown>;

export interface JobEntity {
  id: string;
  object: string;
  check: string;
  status: string;
  outcome: string | null;
  reference: string | null;
  metadata: Entity | null;
  batch: string | null;
  row: number | null;
  service: string;
  billed_amount: number;
  cached: boolean;
  attempts: number;
  error: { code: string; message: string } | null;
  created_at: string;
  completed_at: string | null;
  live: boolean;
  result: Entity | null;
}

export interface BatchCounts {
  rows: number;
  jobs: number;
  queued: number;
  leased: number;
  completed: number;
  found: number;
  not_found: number;
  flagged: number;
  failed: number;
  canceled: number;
  invalid: number;
  duplicate: number;
}

export interface BatchEntity {
  id: string;
  object: string;
  status: string;
  counts: BatchCounts;
  quote_amount: number;
  hold_amount: number;
  billed_amount: number;
  checks: string[];
  reference: string | null;
  metadata: Entity | null;
  callback_url: string | null;
  live: boolean;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  canceled_at: string | null;
  errors: { row: number; path: string; rule: string; message: string }[];
}

export interface Page {
  object: string;
  data: JobEntity[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface WalletEntity {
  currency: string;
  available: number;
  held: number;
}

type Headed = Record<string, string>;

export interface Client {
  /** `app_…` */
  app: string;
  key: string;
  get<E = Entity>(path: string, headers?: Headed): Promise<Answer<E>>;
  /** Sends an object as JSON, text and bytes as they are, with the given Content-Type. */
  post<E = Entity>(path: string, body?: unknown, headers?: Headed): Promise<Answer<E>>;
  send<E = Entity>(method: string, path: string, options?: { headers?: Headed; body?: string | Uint8Array }): Promise<Answer<E>>;
  job(body: unknown): Promise<Answer<JobEntity>>;
  csv(query: string, text: string | Uint8Array): Promise<Answer<BatchEntity>>;
  /** Polls until the job or batch has ended. */
  ended<E extends { status: string }>(path: string): Promise<E>;
  wallet(): Promise<WalletEntity>;
}

export interface TestApp extends Client {
  live: Client;
  keyId: string;
}

export interface TestApi {
  service: Service;
  url: string;
  port: number;
  /** The admin client; it has no app. */
  admin: Client;
  /** Creates a separate app, so that no other test touches its wallet or cache. */
  createApp(options?: { naira?: number; settings?: AppSettings }): Promise<TestApp>;
  drift(): Promise<number>;
  stop(): Promise<void>;
}

/** `given`: a database that stays after `stop`. */
export async function startApi(settings: Record<string, string> = {}, given?: TestDatabase): Promise<TestApi> {
  const database = given ?? (await createDatabase());
  const config = database.config({
    HOST: '127.0.0.1',
    PORT: '0',
    CONFAM_JOB_BACKOFF_MS: '20',
    CONFAM_DRAIN_MS: '5000',

    ...settings,
  });
  const running = await runRoles(config, database.url, everyRole);
  const { service } = running;
  const port = running.port!;
  const url = `http://127.0.0.1:${port}`;
  const adminKey = (await createKey(service, 'admin', null))!.key;
  return {
    service,
    url,
    port,
    admin: openClient(url, '', adminKey),
    async createApp({ naira = 100_000, settings = {} } = {}) {
      const { id } = await createApp(service, 'Test', settings);
      if (naira > 0) await topUp(service.sql, { appId: id, live: false }, naira * 100, null);
      const test = (await createKey(service, 'test', id))!;
      const live = (await createKey(service, 'live', id))!;
      const app = showId('app', id);
      return { ...openClient(url, app, test.key), live: openClient(url, app, live.key), keyId: showId('key', test.id) };
    },
    drift: async () => (await ledgerDrift(service)) + (await batchDrift(service, null)) + (await singleDrift(service)),
    async stop() {
      await running.drain();
      if (!given) await database.drop();
    },
  };
}

type Settings = Record<string, string>;

/**
 * An API for the whole file (or `describe`): started before its tests, and stopped after them with a ledger that balances. Its members are there once the
 * tests run. `settings` may be a function, which is called then, after the `beforeAll` of what stands above. What the API needs until its end is closed by
 * an `afterAll` above.
 */
export function useApi(settings: Settings | (() => Settings | Promise<Settings>) = {}): TestApi {
  const api = {} as TestApi;
  beforeAll(async () => {
    Object.assign(api, await startApi(typeof settings === 'function' ? await settings() : settings));
  });
  afterAll(async () => {
    expect(await api.drift()).toBe(0);
    await api.stop();
  });
  return api;
}

let clients = 0;

/**
 * A client with `key` for `app`; if either is empty, its header is left out. Each client has its own address for an API that trusts the loopback
 * address as its proxy, so that one client's failures never delay another.
 */
export function openClient(url: string, app: string, key: string): Client {
  clients++;
  const address = `198.18.${clients >> 8}.${clients & 255}`;
  const own: Headed = { ...(key && { Authorization: key }), ...(app && { AppId: app }), 'X-Forwarded-For': address };
  const client: Client = {
    app,
    key,
    get: (path, headers) => client.send('GET', path, { headers }),
    post: (path, body, headers = {}) =>
      typeof body === 'string' || body instanceof Uint8Array
        ? client.send('POST', path, { headers, body })
        : client.send('POST', path, {
            headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          }),
    async send<E>(method: string, path: string, { headers = {}, body }: { headers?: Headed; body?: string | Uint8Array } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        // Sent as bytes, so that fetch adds no Content-Type.
        headers: { ...own, ...headers },
        ...(body !== undefined && { body: Buffer.from(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
      return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as Body<E> };
    },
    job: (body) => client.post<JobEntity>('/api/v1/jobs', body),
    csv: (query, text) => client.post<BatchEntity>(`/api/v1/batches?${query}`, text, { 'Content-Type': 'text/csv' }),
    ended: <E extends { status: string }>(path: string) =>
      waitFor(`the end of ${path}`, async () => {
        const { body, text } = await client.get<E>(path);
        if (!body.entity) throw new Error(text);
        return ['completed', 'failed', 'canceled'].includes(body.entity.status) && body.entity;
      }),
    wallet: async () => (await client.get<WalletEntity>('/api/v1/wallet')).body.entity,
  };
  return client;
}

/** Sends what fetch refuses to send: any header, a custom Host, a path that is no URL. Returns status, headers and text as received. */
export function sendRaw(
  port: number,
  options: { method?: string; path: string; headers?: Record<string, string | string[]>; body?: string | Uint8Array },
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(options.body);
  });
}

/** Sends raw bytes on a socket and returns everything that comes back. */
export function sendBytes(port: number, bytes: string, idleMs = 2_000): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.setTimeout(idleMs, () => socket.destroy());
  });
}
