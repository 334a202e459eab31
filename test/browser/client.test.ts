/** The built client in a browser: the same file that Node loads, on a page of the service's own origin. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleClient } from '../../ops/build-client.ts';
import type * as confam from '../../src/client/confam.ts';
import { newWebhookSecret } from '../../src/foundation/crypto.ts';
import { useApi } from '../setup/api.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';

const PAGE = `<!doctype html><title>test</title><script type="module">import * as confam from './confam.js'; window.confam = confam;</script>`;

const api = useApi();
const chromium = useChromium();
const folder = mkdtempSync(join(tmpdir(), 'confam-bundle-'));
beforeAll(() => bundleClient(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!chromiumIsHere)(chromiumNote('the client in Chromium'), () => {
  test('calls a check, uploads a file and rows, follows, streams results, verifies a webhook', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await chromium.visit('about:blank');
    // The service serves no such page; its API is called for real.
    await page.route('**/client-test/*', (route) =>
      route.request().url().endsWith('.js')
        ? route.fulfill({ contentType: 'text/javascript', body: readFileSync(join(folder, 'confam.js'), 'utf8') })
        : route.fulfill({ contentType: 'text/html', body: PAGE }),
    );
    await page.goto(`${api.url}/client-test/page`);
    const secret = newWebhookSecret();
    const body = '{"type":"endpoint.test","timestamp":"2026-11-21T03:13:57.114Z","data":{}}';
    const at = new Date();
    const signature = new Webhook(secret).sign('evt_1', at, body);
    const sent = {
      baseUrl: api.url,
      key: app.key,
      app: app.app,
      secret,
      body,
      signature,
      timestamp: String(Math.floor(at.getTime() / 1000)),
    };
    const said = await page.evaluate(async ({ baseUrl, key, app, secret, body, signature, timestamp }) => {
      const { createClient, Refused, webhooks } = (globalThis as unknown as { confam: typeof confam }).confam;
      const client = createClient({ baseUrl, key, app });
      const { entity } = await client.nin.basic({ nin: '70123456789' });
      const refused: unknown = await client.nin.basic({ nin: '7' }).catch((error: unknown) => error);
      const file = new File(['National ID\n70123456789\n70123456780\n'], 'people.csv');
      const { mapping } = await client.batches.preview(file, { checks: ['nin_basic'] });
      const uploaded = await client.batches.upload(file, {
        checks: ['nin_basic'],
        mapping: { nin: mapping.find(({ field }) => field === 'nin')!.column! },
      });
      const listed = await client.batches.upload({ rows: [{ nin: '70123456789' }] }, { checks: ['nin_basic'] });
      const percents: number[] = [];
      const ended = [
        await client.batches.wait(uploaded, { onProgress: ({ percent }) => percents.push(percent) }),
        await client.batches.wait(listed),
      ];
      const found: unknown[] = [];
      for await (const { checks } of client.batches.results(uploaded)) found.push(checks.nin_basic!.entity!.nin);
      const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      const event = await webhooks.verify(new TextEncoder().encode(body), headers, secret);
      return {
        nin: entity.nin,
        code: refused instanceof Refused && refused.code,
        ended: ended.map(({ status, counts }) => [status, counts.found]),
        percent: percents.at(-1),
        found,
        event: event.type,
      };
    }, sent);
    expect(said).toEqual({
      nin: '70123456789',
      code: 'invalid_request',
      ended: [
        ['completed', 2],
        ['completed', 1],
      ],
      percent: 100,
      found: ['70123456789', '70123456780'],
      event: 'endpoint.test',
    });
    expectClean();
    await close();
  }, 60_000);
});
