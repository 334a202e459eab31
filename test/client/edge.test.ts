/** Runs the built client with only the APIs that edge runtimes have in common (WinterTC, ECMA-429): no `process`, no `Buffer`, no Node modules. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { transform } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleClient } from '../../ops/build-client.ts';
import type * as confam from '../../src/client/confam.ts';
import { newWebhookSecret } from '../../src/foundation/crypto.ts';
import { useApi } from '../setup/api.ts';

const api = useApi();
const folder = mkdtempSync(join(tmpdir(), 'confam-edge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Those of the language too: what `fetch` and the encoders make belongs to this realm. */
const WEB =
  `fetch Request Response Headers FormData Blob File URL URLSearchParams AbortController AbortSignal DOMException ReadableStream WritableStream
  TransformStream TextEncoder TextDecoder crypto performance atob btoa setTimeout clearTimeout queueMicrotask structuredClone
  Uint8Array ArrayBuffer Error TypeError Object Array Promise`.split(/\s+/);

let edge: typeof confam;
beforeAll(async () => {
  await bundleClient(folder);
  const { code } = await transform(readFileSync(join(folder, 'confam.js'), 'utf8'), { format: 'iife', globalName: 'confam' });
  const web = Object.fromEntries(WEB.map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
  edge = runInContext(`${code}; confam`, createContext(web)) as typeof confam;
});

test('it calls, submits rows and a stream, follows, reads results, and verifies a webhook', async () => {
  const app = await api.createApp();
  const client = edge.createClient({ baseUrl: api.url, key: app.key, app: app.app });
  expect((await client.nin.basic({ nin: '70123456789' })).entity.surname).toBe('Durojaiye');
  await expect(client.nin.basic({ nin: '7' })).rejects.toMatchObject({ name: 'Refused', code: 'invalid_request' });
  const file = new Blob(['nin\n70123456789\n70123456780\n']).stream() as ReadableStream<Uint8Array>;
  const percents: number[] = [];
  for (const source of [{ rows: [{ nin: '70123456789' }, { nin: '70123456780' }] }, file]) {
    const batch = await client.batches.upload(source, { checks: ['nin_basic'] });
    await client.batches.wait(batch, { onProgress: ({ percent }) => percents.push(percent) });
    const found: unknown[] = [];
    for await (const { checks } of client.batches.results(batch)) found.push(checks.nin_basic!.entity!.nin);
    expect(found).toEqual(['70123456789', '70123456780']);
  }
  expect(percents.at(-1)).toBe(100);
  const [secret, at, body] = [newWebhookSecret(), new Date(), '{"type":"endpoint.test","data":{}}'];
  const signature = new Webhook(secret).sign('evt_1', at, body);
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`, 'webhook-signature': signature };
  expect((await edge.webhooks.verify(new TextEncoder().encode(body), headers, secret)).type).toBe('endpoint.test');
  await expect(edge.webhooks.verify(new TextEncoder().encode(`${body} `), headers, secret)).rejects.toMatchObject({
    code: 'wrong_signature',
  });
});
