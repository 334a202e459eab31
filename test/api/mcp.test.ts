/** `/mcp` with the official client: what a model may do, what it sees, and that it spends nothing without being told to. */
import { type ClientRequest, request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startApi, type TestApi, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const api = useApi({ CONFAM_MCP: 'true', CONFAM_FACE_MODELS: '/nowhere' });
let app: TestApp;
const clients: Client[] = [];

const connect = async (key: string, appId: string, headers: Record<string, string> = {}, url = api.url) => {
  const client = new Client({ name: 'confam-test', version: '1' });
  const requestInit = { headers: { Authorization: key, AppId: appId, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  clients.push(client);
  return client;
};
const use = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
  const { content, isError } = (await client.callTool({ name, arguments: input })) as { content: { text: string }[]; isError?: boolean };
  return { isError: isError ?? false, text: content[0]!.text };
};

/** A message whose body the test writes, as slowly as it likes. */
function open({ port }: TestApi, key: string, appId: string) {
  const sent: ClientRequest = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: '/mcp', agent: false },
    headers: { Authorization: key, AppId: appId, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  });
  sent.flushHeaders();
  const answered = new Promise<{ status: number; body: { code: string; details?: unknown } }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({ status: response.statusCode!, body: JSON.parse(text) });
    });
  });
  answered.catch(() => {});
  return { sent, answered };
}

/** The same, for one test. */
function opened(...at: Parameters<typeof open>) {
  const message = open(...at);
  onTestFinished(() => void message.sent.destroy());
  return message;
}

/** Begun before the tests, because half a minute passes until it is refused. */
let slow: ReturnType<typeof open>;
let trickling: NodeJS.Timeout;
beforeAll(async () => {
  app = await api.createApp();
  slow = open(api, app.key, app.app);
  trickling = setInterval(() => slow.sent.write(' '), 500);
});
afterAll(async () => {
  clearInterval(trickling);
  slow.sent.destroy();
  await Promise.all(clients.map((client) => client.close()));
});

describe('/mcp', () => {
  it('offers its tools, and says what each does', async () => {
    const client = await connect(app.key, app.app);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ['batch_results', 'batch_status', 'job_status', 'list_checks', 'read_doc', 'search_docs', 'submit_batch', 'verify'].sort(),
    );
    const { checks, prices } = JSON.parse((await use(client, 'list_checks')).text);
    expect(checks.map(({ id }: { id: string }) => id)).toContain('nin_basic');
    expect(prices.length).toBeGreaterThan(10);
  });

  it('says the price, and spends only what is confirmed', async () => {
    const client = await connect(app.key, app.app);
    const before = (await app.wallet()).available;
    const quote = await use(client, 'verify', { check: 'nin_basic', input: { nin: '70123456789' } });
    expect(JSON.parse(quote.text)).toMatchObject({ object: 'quote', note: expect.stringContaining('confirm: true') });
    expect((await app.wallet()).available).toBe(before);
    const wrong = await use(client, 'submit_batch', { checks: ['nin_basic'], rows: [{ nin: '7' }] });
    expect(JSON.parse(wrong.text)).toMatchObject({ counts: { jobs: 0 }, note: 'Nothing was done, and nothing can be: see errors.' });
  });

  it.each([
    ['nin_basic', { nin: '7' }],
    ['nin_basic', { nin: '701-2345-6789' }],
    ['nin_basic', { NIN: '70123456789' }],
    ['nin_basic', { nin: '70123456789', surname: 'Obi' }],
    ['aml_screening', { name: 'Musa Ibrahim', date_of_birth: '02/01/1970' }],
    ['nin_basics', { nin: '70123456789' }],
  ])('names no price for what it would refuse: %s %j', async (check, input) => {
    const client = await connect(app.key, app.app);
    const quote = await use(client, 'verify', { check, input });
    expect(quote.isError, quote.text).toBe(true);
    expect(quote).toEqual(await use(client, 'verify', { check, input, confirm: true }));
  });

  it.each([
    'bat_x/../../kyc/nin/advance?nin=70123456789',
    'bat_x/../../kyc/bvn/full?bvn=22123456701#',
    'bat_00000000000000000000000000000000/jobs?limit=1',
  ])('takes an id for nothing else: %s', async (id) => {
    const client = await connect(app.key, app.app);
    const before = (await app.wallet()).available;
    for (const tool of ['batch_status', 'batch_results']) expect((await use(client, tool, { id })).isError).toBe(true);
    expect((await app.wallet()).available).toBe(before);
  });

  it('refuses an argument that a tool does not know', async () => {
    const client = await connect(app.key, app.app);
    for (const [tool, args] of [
      ['verify', { check: 'nin_basic', input: { nin: '70123456789' }, confrim: true }],
      ['list_checks', { all: true }],
    ] as const)
      expect((await use(client, tool, args)).isError, tool).toBe(true);
  });

  it('masks what it found', async () => {
    const client = await connect(app.key, app.app);
    const done = await use(client, 'verify', { check: 'nin_basic', input: { nin: '70123456789' }, confirm: true });
    const job = JSON.parse(done.text);
    expect(job.object).toBe('job');
    expect(done.text).not.toMatch(/Morenike|Durojaiye|09011111111/);
    const followed = await use(client, 'job_status', { id: job.id });
    expect(JSON.parse(followed.text)).toEqual(job);
    expect((await use(client, 'job_status', { id: `${job.id}/lookups` })).isError).toBe(true);
  });

  it('submits a batch once its price is confirmed, follows it, and shows its results masked, page by page', async () => {
    const client = await connect(app.key, app.app);
    const rows = Array.from({ length: 60 }, (_, i) => ({ nin: String(40_000_000_000 + i * 7), reference: `c${i + 1}` }));
    const before = await app.wallet();
    const quote = await use(client, 'submit_batch', { checks: ['nin_basic'], rows });
    expect(JSON.parse(quote.text)).toMatchObject({ object: 'quote', quote_amount: 7_500, counts: { rows: 60 } });
    expect(await app.wallet()).toEqual(before);
    const made = JSON.parse((await use(client, 'submit_batch', { checks: ['nin_basic'], rows, confirm: true })).text);
    const ended = JSON.parse((await use(client, 'batch_status', { id: made.id, wait: true })).text);
    expect(ended).toMatchObject({ id: made.id, status: 'completed', counts: { jobs: 60, completed: 60 } });
    const first = await use(client, 'batch_results', { id: made.id });
    const { results, next_cursor } = JSON.parse(first.text);
    expect(results).toHaveLength(50);
    expect(results[0]).toMatchObject({ masked: true, reference: 'c1', status: 'completed' });
    const { surname } = (await app.get('/api/v1/kyc/nin?nin=40000000000')).body.entity as { surname: string };
    expect(first.text).not.toContain(surname);
    expect(first.text).not.toContain('40000000000');
    const rest = JSON.parse((await use(client, 'batch_results', { id: made.id, cursor: next_cursor })).text);
    expect([rest.results.length, rest.next_cursor]).toEqual([10, null]);
    const nobody = await use(client, 'batch_status', { id: `bat_${'0'.repeat(32)}` });
    expect([nobody.isError, JSON.parse(nobody.text).code]).toEqual([true, 'resource_not_found']);
  });

  it('is for programs and our own pages, not for a page of another origin', async () => {
    const known = await startApi({ CONFAM_MCP: 'true', CONFAM_PUBLIC_URL: 'https://confam.bank.example' });
    onTestFinished(() => known.stop());
    const { key, app: id } = await known.createApp();
    for (const [of, url, origin, status] of [
      [app, api.url, undefined, 200],
      [app, api.url, 'http://localhost:8080', 200],
      [app, api.url, api.url, 200],
      [app, api.url, 'http://localhost.evil.example', 403],
      [app, api.url, 'null', 403],
      [{ key, app: id }, known.url, undefined, 200],
      [{ key, app: id }, known.url, 'https://confam.bank.example', 200],
      [{ key, app: id }, known.url, 'https://confam.bank.example.evil.example', 403],
      [{ key, app: id }, known.url, 'http://localhost:8080', 403],
    ] as const) {
      const joined = connect(of.key, of.app, origin === undefined ? {} : { Origin: origin }, url).then(
        () => 200,
        (error: { code?: number; message: string }) => (/403|not the address/.test(`${error.code} ${error.message}`) ? 403 : error.message),
      );
      expect(await joined, `${origin}`).toBe(status);
    }
  });

  it('may do with a key what its scopes say', async () => {
    const { key } = (await app.post<{ key: string }>('/api/v1/keys', { name: 'Model', scopes: ['results:read'] })).body.entity;
    const client = await connect(key, app.app);
    const refused = await use(client, 'submit_batch', { checks: ['nin_basic'], rows: [{ nin: '70123456789' }], confirm: true });
    expect([refused.isError, JSON.parse(refused.text).code]).toEqual([true, 'forbidden']);
  });

  it('needs of a key the scopes that its documentation names for each tool', async () => {
    const limited = async (...scopes: string[]) => {
      const { key } = (await app.post<{ key: string }>('/api/v1/keys', { name: 'Model', scopes })).body.entity;
      return connect(key, app.app);
    };
    const lister = await limited('verify');
    expect(JSON.parse((await use(lister, 'list_checks')).text).prices).toContain('wallet:read');
    const payer = await limited('verify', 'wallet:read');
    expect(JSON.parse((await use(payer, 'list_checks')).text).prices[0]).toMatchObject({ price: 125 });
    const verifier = await limited('batches:write', 'results:read');
    const nin = { check: 'nin_basic', input: { nin: '40000000042' } };
    expect(JSON.parse((await use(verifier, 'verify', nin)).text)).toMatchObject({ quote_amount: 125 });
    const { id } = JSON.parse((await use(verifier, 'verify', { ...nin, confirm: true })).text);
    const reader = await limited('results:read');
    expect(JSON.parse((await use(reader, 'job_status', { id })).text)).toMatchObject({ id, status: 'completed', masked: true });
  });

  it('refuses what the key may not do, in the words of the API', async () => {
    await expect(connect('cf_test_nobody', app.app)).rejects.toThrow(/unauthenticated/);
    const client = await connect(app.key, app.app);
    const wrong = await use(client, 'verify', { check: 'nin_basic', input: { nin: '7' }, confirm: true });
    expect([wrong.isError, JSON.parse(wrong.text).code]).toEqual([true, 'invalid_request']);
  });

  it('tells the audit why a result is read', async () => {
    const client = await connect(app.key, app.app, { 'Audit-Purpose': 'fraud' });
    const { id } = JSON.parse((await use(client, 'verify', { check: 'nin_basic', input: { nin: '70123456789' }, confirm: true })).text);
    const { data } = (await app.get<{ data: { purpose: string }[] }>(`/api/v1/audit?action=job.read&object=${id}`)).body.entity;
    expect(data.map(({ purpose }) => purpose)).toEqual(['fraud']);
  });

  it('looks at the key before it reads a message, and takes only a message of its size', async () => {
    expect(await opened(api, 'cf_test_nobody', app.app).answered).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const large = opened(api, app.key, app.app);
    large.sent.write('x'.repeat(1024 * 1024 + 1));
    expect(await large.answered).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  it('counts towards what its app may have in progress while a message arrives, and not while its tools work', async () => {
    const busy = await startApi({ CONFAM_MCP: 'true', CONFAM_FACE_MODELS: '/nowhere', CONFAM_REQUESTS_MAX: '2' });
    try {
      const one = await busy.createApp();
      const client = await connect(one.key, one.app, {}, busy.url);
      const arriving = opened(busy, one.key, one.app);
      arriving.sent.write('{');
      await waitFor('the message to have its place', () => busy.service.admission.requests.inUse().taken === 1);
      expect(await opened(busy, one.key, one.app).answered).toMatchObject({ status: 429, body: { code: 'too_many_in_progress' } });
      arriving.sent.destroy();
      await waitFor('its place to be free', () => busy.service.admission.requests.inUse().taken === 0);
      expect((await use(client, 'list_checks')).isError).toBe(false);
    } finally {
      await busy.stop();
    }
  });

  it('reads the documentation', async () => {
    const client = await connect(app.key, app.app);
    const hits = JSON.parse((await use(client, 'search_docs', { words: 'idempotency key' })).text);
    expect(hits.map(({ page }: { page: string }) => page)).toContain('api');
    expect((await use(client, 'read_doc', { page: 'uploads' })).text).toMatch(/^# Uploads/);
    expect((await use(client, 'read_doc', { page: '../package' })).isError).toBe(true);
  });

  it('answers POST alone, and nothing where it is off', async () => {
    expect((await fetch(`${api.url}/mcp`)).status).toBe(405);
    const other: TestApi = await startApi({ CONFAM_FACE_MODELS: '/nowhere' });
    try {
      expect(
        (await fetch(`${other.url}/mcp`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status,
      ).toBe(404);
    } finally {
      await other.stop();
    }
  });

  it('takes a message only at its pace', async () => {
    const { status, body } = await slow.answered;
    expect([status, body.details]).toEqual([400, [{ path: 'body', message: 'came at less than 8192 bytes a second', rule: 'too_slow' }]]);
  });
});
