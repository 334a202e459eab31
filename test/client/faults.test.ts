/** The client on bad days: limits, failures, cut connections, silence. A small server on the loopback address plays them, attempt by attempt. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type LogEntry, Refused, Unreachable } from '../../src/client/confam.ts';

interface Seen {
  method: string;
  path: string;
  key: string | undefined;
  lastEventId: string | undefined;
  body: string;
}
type Play = (response: ServerResponse, request: IncomingMessage) => void;

/** Each attempt is answered by the next play; the last one repeats. */
async function against(...plays: Play[]) {
  const seen: Seen[] = [];
  const log: LogEntry[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { headers, method, url } = request;
    seen.push({
      method: method!,
      path: url!,
      key: headers['idempotency-key'] as string,
      lastEventId: headers['last-event-id'] as string,
      body,
    });
    plays[Math.min(seen.length, plays.length) - 1]!(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (options: { retries?: number; timeoutMs?: number } = {}) =>
    createClient({ baseUrl, key: 'key', app: 'app_1', log: (entry) => log.push(entry), ...options });
  return { seen, log, open, baseUrl };
}

const answer =
  (entity: unknown, status = 200): Play =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'req_1' })
      .end(JSON.stringify({ status: 'success', entity }));
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Play =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify({ status: 'error', error: `It is ${code}`, code, meta: { request_id: 'req_2' } }));
const cut: Play = (_, request) => request.socket.destroy();
const hang: Play = () => {};
const JOB = { id: 'job_1', status: 'completed', completed_at: null };
const submit = { check: 'nin_basic', input: { nin: '70123456789' } } as const;

test('a redirect is refused, not followed: the key goes nowhere else, and no POST becomes a GET', async () => {
  const elsewhere = await against(answer(JOB));
  const { seen, open } = await against((response) =>
    response.writeHead(301, { Location: `${elsewhere.baseUrl}/api/v1/jobs?nin=70123456789` }).end(),
  );
  for (const call of [() => open().jobs.create(submit), () => open().nin.basic({ nin: '70123456789' })]) {
    const error = await call().catch((error: unknown) => error);
    expect(error).toMatchObject({
      name: 'Refused',
      status: 301,
      message: `The answer leads to another address (${elsewhere.baseUrl}): is baseUrl right?`,
    });
  }
  expect([seen.length, elsewhere.seen.length]).toEqual([2, 0]);
});

test('a key from a file loses its line end; what is no address and no key is the caller’s mistake', async () => {
  let sent: string | undefined;
  const { baseUrl } = await against((response, request) => {
    sent = request.headers.authorization;
    answer(JOB)(response, request);
  });
  await createClient({ baseUrl: `${baseUrl}\n`, key: 'key\n', app: ' app_1\r\n' }).jobs.get('job_1');
  expect(sent).toBe('key');
  const options = { baseUrl, key: 'key', app: 'app_1' };
  for (const wrong of [{ baseUrl: 'localhost:8080' }, { key: 'ke\ny' }, { key: '“key”' }, { app: ' ' }, { key: undefined }])
    expect(() => createClient({ ...options, ...(wrong as object) }), JSON.stringify(wrong)).toThrow(TypeError);
});

test('what stands for an id leads to no other path', async () => {
  const { seen, log, open } = await against(results(lines(1, 1), false));
  for (const id of ['..', '']) {
    const { jobs, batches, webhooks } = open();
    // Rejected like any other refusal: `catch` of the promise sees it.
    const calls = [jobs.get(id), jobs.wait(id), batches.get(id), batches.control(id, 'pause'), webhooks.deliveries(id, {})];
    for (const call of [...calls, batches.results(id).next(), webhooks.allDeliveries(id).next()])
      await expect(call).rejects.toMatchObject({ name: 'Refused', status: 404, message: `"${id}" is not an id` });
  }
  expect([seen, log]).toEqual([[], []]);
  await open().batches.results('x/../../wallet?').next();
  expect(seen.map(({ path }) => path)).toEqual(['/api/v1/batches/x%2F..%2F..%2Fwallet%3F/results?format=jsonl']);
});

test('watching outlasts any number of failures, and needs no signal', async () => {
  const status = `retry: 20\n\nid: 1\nevent: status\ndata: ${JSON.stringify({ status: 'running' })}\n\n`;
  const failures = Array.from({ length: 8 }, (_, i) => (i % 2 ? cut : refuse(503, 'unavailable')));
  const { seen, open } = await against(
    (response) => response.writeHead(200).end(status),
    ...failures,
    (response) => response.writeHead(204).end(),
  );
  const events = [];
  for await (const event of open().batches.watch('bat_1')) events.push(event);
  expect(events).toEqual([{ type: 'status', change: { status: 'running' } }]);
  expect(seen.map(({ lastEventId }) => lastEventId)).toEqual([undefined, ...Array(9).fill('1')]);
});

test('each list has further pages', async () => {
  const { seen, open } = await against(answer({ data: [], next_cursor: null }));
  const { subjects, consents } = open();
  const page = { limit: 10, cursor: 'c' };
  for (const list of [subjects.erasures, subjects.exports, subjects.holds, consents.withdrawals]) await list(page);
  expect(seen.map(({ path }) => path.replace(/.*\//, ''))).toEqual(
    ['erasures', 'exports', 'holds', 'withdrawals'].map((name) => `${name}?limit=10&cursor=c`),
  );
});

test('a 429 is tried again after its Retry-After, and the log says so', async () => {
  const { seen, log, open } = await against(refuse(429, 'rate_limited', { 'Retry-After': '1' }), answer(JOB));
  const began = performance.now();
  expect(await open().jobs.get('job_1')).toMatchObject({ id: 'job_1' });
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  expect(seen).toHaveLength(2);
  expect(log).toMatchObject([
    { attempt: 1, status: 429, code: 'rate_limited', requestId: 'req_2' },
    { attempt: 2, status: 200, requestId: 'req_1', retryInMs: null },
  ]);
  expect(log[0]!.retryInMs).toBeGreaterThanOrEqual(1_000);
});

test('a Retry-After of an hour is not slept through: the refusal says it', async () => {
  const { seen, open } = await against(refuse(429, 'too_many_misses', { 'Retry-After': '3600' }));
  await expect(open().jobs.get('job_1')).rejects.toMatchObject({ name: 'Refused', code: 'too_many_misses', retryAfterSeconds: 3_600 });
  expect(seen).toHaveLength(1);
});

test('a Retry-After that is a date counts too', async () => {
  const { open } = await against(refuse(503, 'unavailable', { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() }));
  const { retryAfterSeconds } = (await open()
    .jobs.get('job_1')
    .catch((error: unknown) => error)) as Refused;
  expect(retryAfterSeconds).toBeGreaterThan(3_590);
});

test('a POST is repeated with one Idempotency-Key through 503, a cut connection, silence and 409 in progress', async () => {
  const { seen, open } = await against(refuse(503, 'unavailable'), cut, hang, refuse(409, 'idempotency_in_progress'), answer(JOB, 202));
  expect(await open({ timeoutMs: 300 }).jobs.create(submit)).toMatchObject({ id: 'job_1' });
  expect(seen).toHaveLength(5);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  expect(seen[0]!.key).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
});

test('two submissions never share a key', async () => {
  const { seen, open } = await against(answer(JOB, 202));
  const client = open();
  await client.jobs.create(submit);
  await client.jobs.create(submit);
  expect(seen[0]!.key).not.toBe(seen[1]!.key);
});

test('a refusal has what its answer adds, and nothing twice', async () => {
  const { open } = await against((response) =>
    response.writeHead(402).end(JSON.stringify({ status: 'error', error: 'No', code: 'insufficient_funds', quote_amount: 125, meta: {} })),
  );
  const { extra } = (await open()
    .jobs.create(submit)
    .catch((error: unknown) => error)) as Refused;
  expect(extra).toEqual({ quote_amount: 125 });
});

test.each([
  ['a mistake', 400, 'invalid_request'],
  ['no money', 402, 'insufficient_funds'],
  ['a check that nobody answers', 503, 'provider_not_configured'],
  ['a provider that failed', 424, 'provider_failed'],
])('%s is told at once', async (_, status, code) => {
  const { seen, open } = await against(refuse(status, code));
  const error = await open()
    .jobs.create(submit)
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(Refused);
  expect(error).toMatchObject({ status, code, requestId: 'req_2', message: `It is ${code}` });
  expect(seen).toHaveLength(1);
});

test('a list that is missing is told at once, since the service asks for five minutes; one that is being indexed is asked for again', async () => {
  const missing = await against(refuse(503, 'lists_not_loaded', { 'Retry-After': '300' }));
  await expect(missing.open().jobs.create(submit)).rejects.toMatchObject({ code: 'lists_not_loaded' });
  expect(missing.seen).toHaveLength(1);
  const indexing = await against(refuse(503, 'lists_not_loaded', { 'Retry-After': '1' }), answer(JOB, 202));
  await indexing.open().jobs.create(submit);
  expect(indexing.seen).toHaveLength(2);
});

test('a call by GET whose answer is lost may have been charged: it is not repeated; a refused one is', async () => {
  const lost = await against(cut, answer({}));
  await expect(lost.open().nin.basic({ nin: '70123456789' })).rejects.toBeInstanceOf(Unreachable);
  expect(lost.seen).toHaveLength(1);
  const full = await against(refuse(503, 'overloaded'), answer({}));
  await full.open().nin.basic({ nin: '70123456789' });
  expect(full.seen).toHaveLength(2);
  // By POST it carries a key, and is repeated.
  const posted = await against(cut, answer({}));
  await posted.open().tin.verify({ tin: '12345678-0001' });
  expect(posted.seen.map(({ key }) => key)).toEqual([posted.seen[0]!.key, posted.seen[0]!.key]);
});

test('attempts end: after `retries`, with what happened last', async () => {
  const { seen, log, open } = await against(cut);
  await expect(open({ retries: 2 }).jobs.get('job_1')).rejects.toThrow('The service cannot be reached');
  expect(seen).toHaveLength(3);
  expect(log.map(({ status, retryInMs }) => [status, retryInMs === null])).toEqual([
    [null, false],
    [null, false],
    [null, true],
  ]);
  const silent = await against(hang);
  await expect(silent.open({ retries: 0, timeoutMs: 100 }).jobs.get('job_1')).rejects.toThrow('The service did not answer within 0.1 s');
});

test('an answer that is cut in the middle is asked for again', async () => {
  const half: Play = (response, request) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '500' }).write('{"entity": {"id"');
    setTimeout(() => request.socket.destroy(), 20);
  };
  const { seen, open } = await against(half, answer(JOB));
  expect(await open().jobs.get('job_1')).toMatchObject({ id: 'job_1' });
  expect(seen).toHaveLength(2);
});

test('a signal ends a request, a pause before the next attempt, and a wait, with its own reason', async () => {
  const { seen, open } = await against(hang);
  await expect(open().jobs.get('job_1', AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(seen).toHaveLength(1);
  const limited = await against(refuse(429, 'rate_limited', { 'Retry-After': '30' }));
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 50);
  const began = performance.now();
  await expect(limited.open().jobs.wait('job_1', { signal: stop.signal })).rejects.toThrow('enough');
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a stream is sent once, a function as often as needed', async () => {
  const bytes = new TextEncoder().encode('nin\n70123456789\n');
  async function* stream() {
    yield bytes;
  }
  const once = await against(refuse(503, 'overloaded'), answer({}));
  await expect(once.open().batches.upload(stream(), { checks: 'nin_basic' })).rejects.toMatchObject({ code: 'overloaded' });
  expect(once.seen).toHaveLength(1);
  const again = await against(refuse(503, 'overloaded'), answer({ id: 'bat_1' }));
  expect(await again.open().batches.upload(() => stream(), { checks: 'nin_basic' })).toMatchObject({ id: 'bat_1' });
  expect(again.seen.map(({ body }) => body)).toEqual(['nin\n70123456789\n', 'nin\n70123456789\n']);
});

test('a refusal can be read while rows are still being sent: the event loop turns between two pieces', async () => {
  let turns = 0;
  let pieces = 0;
  const count = setInterval(() => turns++, 0);
  const reading: typeof fetch = async (_, init) => {
    for await (const _ of init!.body as ReadableStream<Uint8Array>) pieces++;
    return Response.json({ entity: { id: 'bat_1' } });
  };
  async function* rows() {
    for (let i = 0; i < 10_000; i++) yield { nin: '70123456789', note: 'x'.repeat(100) };
  }
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'key', app: 'app_1', fetch: reading });
  await client.batches.upload({ rows: rows() }, { checks: 'nin_basic' });
  clearInterval(count);
  expect(pieces).toBeGreaterThan(10);
  expect(turns).toBeGreaterThan(pieces / 2);
});

test('a source that failed once and was read whole the next time hides no refusal', async () => {
  const { seen, open } = await against(refuse(402, 'insufficient_funds'));
  let opened = 0;
  async function* stream() {
    opened++;
    yield new TextEncoder().encode('nin\n');
    if (opened === 1) throw new Error('the disk is away');
    yield new TextEncoder().encode('70123456789\n');
  }
  await expect(open().batches.upload(() => stream(), { checks: 'nin_basic' })).rejects.toMatchObject({ code: 'insufficient_funds' });
  expect([opened, seen.at(-1)!.body]).toEqual([2, 'nin\n70123456789\n']);
});

test('what cannot be sent is the caller’s mistake: thrown as it is, and nothing is sent', async () => {
  const { seen, open } = await against(answer(JOB, 202));
  const metadata = { many: 1n } as unknown as Record<string, string>;
  await expect(open().jobs.create({ ...submit, metadata })).rejects.toThrow(TypeError);
  await expect(open().batches.upload('nin\n1\n', { checks: 'nin_basic', idempotencyKey: 'clé €' })).rejects.toThrow(TypeError);
  const missing = () => {
    throw new Error('no such file');
  };
  await expect(open({ retries: 0 }).batches.upload(missing, { checks: 'nin_basic' })).rejects.toThrow('no such file');
  expect(seen).toEqual([]);
});

const line = (row: number): string => `${JSON.stringify({ row, checks: {} })}\n`;
const lines = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join('');
const results =
  (text: string, isCut: boolean): Play =>
  (response, request) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write(text);
    if (isCut) setTimeout(() => request.socket.destroy(), 20);
    else response.end();
  };

test('results that are cut go on behind the last row, none missing and none twice', async () => {
  const { seen, open } = await against(
    results(lines(1, 40) + line(41).slice(0, 7), true),
    results(lines(1, 60), true),
    results(lines(1, 100), false),
  );
  const rows: number[] = [];
  for await (const { row } of open().batches.results('bat_1', { outcome: ['found', 'failed'] })) rows.push(row);
  expect(rows).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect(seen[0]!.path).toBe('/api/v1/batches/bat_1/results?format=jsonl&outcome=found%2Cfailed');
});

test('results whose last line has no end are not taken for whole', async () => {
  const { open } = await against(results(`${lines(1, 3)}{"row": 4`, false), results(lines(1, 4), false));
  const rows: number[] = [];
  for await (const { row } of open().batches.results('bat_1')) rows.push(row);
  expect(rows).toEqual([1, 2, 3, 4]);
});

test('results outlast an outage that begins while they are read', async () => {
  const { open } = await against(results(lines(1, 3), true), refuse(503, 'unavailable'), results(lines(1, 4), false));
  const rows: number[] = [];
  for await (const { row } of open({ retries: 0 }).batches.results('bat_1')) rows.push(row);
  expect(rows).toEqual([1, 2, 3, 4]);
});

test('a reader who stops early closes the download', async () => {
  let isClosed = false;
  const endless: Play = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(lines(1, 5)), 5);
    response.on('close', () => {
      clearInterval(timer);
      isClosed = true;
    });
  };
  const { open } = await against(endless);
  for await (const { row } of open().batches.results('bat_1')) if (row === 2) break;
  await expect.poll(() => isClosed).toBe(true);
});

const batch = (status: string) => ({
  id: 'bat_1',
  status,
  progress: { percent: status === 'completed' ? 100 : 10 },
  counts: {},
  billed_amount: 0,
});
const event = (id: number, status: string): string => `id: ${id}\nevent: status\ndata: ${JSON.stringify({ status })}\n\n`;
const stream =
  (text: string, isCut: boolean): Play =>
  (response, request) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(`retry: 20\n\n${text}`);
    if (isCut) setTimeout(() => request.socket.destroy(), 20);
    else response.end();
  };

test('a wait follows the batch through a stream that is cut, from the last event on', async () => {
  const { seen, open } = await against(
    answer(batch('queued')),
    stream(`${event(1, 'queued')}${event(2, 'running')}event: progress\ndata: {"percent": 40}\n\n`, true),
    refuse(503, 'unavailable'),
    stream(event(3, 'completed'), false),
    answer(batch('completed')),
  );
  const statuses: string[] = [];
  const percents: number[] = [];
  const ended = await open().batches.wait('bat_1', {
    onStatus: ({ status }) => statuses.push(status),
    onProgress: ({ percent }) => percents.push(percent),
  });
  expect(ended.status).toBe('completed');
  expect(statuses).toEqual(['queued', 'running', 'completed']);
  expect(percents).toEqual([10, 40, 100]);
  expect(seen.map(({ lastEventId }) => lastEventId)).toEqual([undefined, undefined, '2', '2', undefined]);
});

test('a wait for a batch that was retried goes on behind its earlier end, on one stream', async () => {
  const { seen, open } = await against(
    answer(batch('running')),
    stream(['queued', 'running', 'completed', 'running', 'completed'].map((status, at) => event(at + 1, status)).join(''), false),
    answer(batch('running')),
    answer(batch('completed')),
  );
  expect((await open().batches.wait('bat_1')).status).toBe('completed');
  expect(seen.map(({ path }) => path.replace('/api/v1/batches/', ''))).toEqual(['bat_1', 'bat_1/events', 'bat_1', 'bat_1']);
});

test('a wait for a job outlasts an outage, until its time is up', async () => {
  const running = { ...JOB, status: 'running' };
  const back = await against(answer(running), cut, answer(JOB));
  expect(await back.open({ retries: 0 }).jobs.wait('job_1')).toMatchObject({ status: 'completed' });
  const away = await against(answer(running), cut);
  await expect(away.open({ retries: 0 }).jobs.wait('job_1', { timeoutMs: 100 })).rejects.toBeInstanceOf(Unreachable);
  const limited = await against(answer(running), refuse(429, 'rate_limited', { 'Retry-After': '3600' }));
  await expect(limited.open().jobs.wait('job_1')).rejects.toMatchObject({ code: 'rate_limited' });
});

test('a wait whose stream is refused for an hour says so', async () => {
  const { seen, open } = await against(answer(batch('running')), refuse(429, 'rate_limited', { 'Retry-After': '3600' }));
  await expect(open().batches.wait('bat_1')).rejects.toMatchObject({ name: 'Refused', code: 'rate_limited', retryAfterSeconds: 3_600 });
  expect(seen).toHaveLength(2);
});

test('a service that is not there is told at once by a wait', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'key', app: 'app_1', retries: 0 });
  await expect(client.batches.wait('bat_1')).rejects.toBeInstanceOf(Unreachable);
});
