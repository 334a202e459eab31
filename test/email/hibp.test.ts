/** Have I Been Pwned's API, on a real HTTP server that behaves like it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HibpOptions, openHibp } from '../../src/email/hibp.ts';
import { address, listen } from '../engines/email/loopback.ts';
import { waitFor } from '../setup/database.ts';

const never = new AbortController().signal;
const ada = address('Ada+shop@example.com');

async function service(handle: (request: IncomingMessage, response: ServerResponse) => void, options: Partial<HibpOptions> = {}) {
  const asked: IncomingMessage[] = [];
  const logged: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    handle(request, response);
  });
  const log = pino({}, { write: (line) => logged.push(line) });
  const baseUrl = `http://127.0.0.1:${await listen(server)}/api/v3`;
  const source = openHibp({
    key: 'secret-key',
    baseUrl,
    requestsPerMinute: 60_000,
    timeoutMs: 1_000,
    userAgent: 'confam-test',
    log,
    ...options,
  });
  onTestFinished(() => source.close!());
  return { asked, logged, find: (who = ada, signal = never) => source.find(who, signal) };
}

describe('Have I Been Pwned', () => {
  test('gives names, dates and whether passwords leaked', async () => {
    const { asked, find } = await service((_, response) =>
      response.end(
        JSON.stringify([
          { Name: 'Shop', BreachDate: '2013-10-04', DataClasses: ['Email addresses', 'Password hints', 'Passwords'] },
          { Name: 'Forum', BreachDate: '2020-02-30', DataClasses: ['Email addresses', 'Password hints'] },
          { Name: 'Other' },
        ]),
      ),
    );
    expect(await find()).toEqual([
      { name: 'Shop', date: '2013-10-04', hasPasswords: true },
      { name: 'Forum', date: null, hasPasswords: false },
      { name: 'Other', date: null, hasPasswords: null },
    ]);
    expect(asked[0]!.url).toBe('/api/v3/breachedaccount/Ada%2Bshop%40example.com?truncateResponse=false');
    expect(asked[0]!.headers).toMatchObject({ 'hibp-api-key': 'secret-key', 'user-agent': 'confam-test' });
  });

  test('gets any address as one segment of the path', async () => {
    const { asked, find } = await service((_, response) => response.writeHead(404).end());
    expect(await find(address('../a/b?c#d@example.com'))).toEqual([]);
    expect(asked[0]!.url).toBe('/api/v3/breachedaccount/..%2Fa%2Fb%3Fc%23d%40example.com?truncateResponse=false');
  });

  test('answers 404 for an address in no breach', async () => {
    expect(await (await service((_, response) => response.writeHead(404).end())).find()).toEqual([]);
  });

  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['400', (_, response) => response.writeHead(400).end()],
    ['403', (_, response) => response.writeHead(403).end()],
    ['500', (_, response) => response.writeHead(500).end()],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end()],
    ['no JSON', (_, response) => response.end('<html>')],
    ['another shape', (_, response) => response.end('[{"Title":"x"}]')],
    ['too much', (_, response) => response.end(Buffer.alloc(5 * 1024 * 1024, 32))],
    ['nothing', () => {}],
    ['a connection that breaks', (_, response) => response.socket!.destroy()],
  ])('answering %s does not mean "none"', async (_, handle) => {
    const { find } = await service(handle, { timeoutMs: 400 });
    expect(await find()).toBeNull();
  });

  test('may ask for a pause, which applies to every caller, and ends', async () => {
    let requests = 0;
    const { asked, find } = await service((_, response) => {
      if (requests++ === 0) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.writeHead(404).end();
    });
    expect(await find()).toBeNull();
    expect(await Promise.all([find(ada, AbortSignal.timeout(100)), find(ada, AbortSignal.timeout(100))])).toEqual([null, null]);
    expect(asked).toHaveLength(1);
    expect(await waitFor('the end of the pause', () => find())).toEqual([]);
  });

  test('refusing our key is logged once, without the key, and the key is not tried again at once', async () => {
    const { asked, logged, find } = await service((_, response) => response.writeHead(401).end());
    expect([await find(), await find(), await find()]).toEqual([null, null, null]);
    expect(asked).toHaveLength(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toMatch(/secret-key|example\.com/);
  });

  test('is asked at its rate, and a caller who would wait too long is told at once', async () => {
    const times: number[] = [];
    const { find } = await service(
      (_, response) => {
        times.push(performance.now());
        response.writeHead(404).end();
      },
      { requestsPerMinute: 120, timeoutMs: 1_250 },
    );
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 6 }, () => find()));
    // Slots are at 0, 500 and 1,000 ms; on a busy machine the last one may be too late.
    expect([2, 3]).toContain(answers.filter((answer) => answer !== null).length);
    expect(times.every((at, i) => at - started >= i * 495)).toBe(true);
  });

  test('can be given up on by the caller', async () => {
    const { find } = await service(() => {});
    expect(await find(ada, AbortSignal.timeout(50))).toBeNull();
  });
});
