/** The Python client: installed by pip, run against the service and against a small server that fails. Skipped where there is no python3. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ConfamClient, createClient } from '../../src/client/confam.ts';
import type { Stated } from '../../src/client/purpose.ts';
import type { OwnKey } from '../../src/client/transport.ts';
import { newWebhookSecret } from '../../src/foundation/crypto.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { advanceErasures } from '../../src/lifecycle/erase.ts';
import { useApi } from '../setup/api.ts';

const PYTHON = 'python3';
const isHere = spawnSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
const hasPip = isHere && spawnSync(PYTHON, ['-c', 'import pip']).status === 0;
const { PATH, HOME } = process.env;

const api = useApi();
const folder = mkdtempSync(join(tmpdir(), 'confam-python-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = join(packageRoot(), 'clients/python');
const environment = (path = source) => ({ PATH, HOME, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' });

/** Names of the client of TypeScript that are others in Python, where lists are iterators and files are written. */
const NAMES: Record<string, string> = {
  'batches.errorsFile': 'save_errors',
  'batches.file': 'save',
  'consents.lookupsFile': 'save_lookups',
  'subjects.file': 'save',
  'wallet.wallet': 'get',
  'wallet.entries': 'entries_page',
  'wallet.allEntries': 'entries',
  'wallet.entriesFile': 'save_entries',
  'wallet.batchCharges': 'batch_charges_page',
  'wallet.allBatchCharges': 'batch_charges',
  'wallet.batchChargesFile': 'save_batch_charges',
  'wallet.statementFile': 'save_statement',
  'wallet.usageFile': 'save_usage',
  'aml.monitors': 'monitors_page',
  'aml.allMonitors': 'monitors',
  'aml.clearances': 'clearances_page',
  'aml.allClearances': 'clearances',
  'webhooks.deliveries': 'deliveries_page',
  'webhooks.allDeliveries': 'deliveries',
  'audit.file': 'save',
};

const inPython = (part: string, name: string): string =>
  NAMES[`${part}.${name}`] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The calls that may say what for. */
const STATING: Record<string, (client: ConfamClient, stated: Stated) => Promise<unknown>> = {
  'jobs.get': ({ jobs }, stated) => jobs.get('job_1', undefined, stated),
  'jobs.image': ({ jobs }, stated) => jobs.image('job_1', 'selfie', undefined, stated),
  'jobs.report': ({ jobs }, stated) => jobs.report('job_1', stated),
  'batches.errorsFile': ({ batches }, stated) => batches.errorsFile('bat_1', stated),
  'batches.link': ({ batches }, stated) => batches.link('bat_1', { format: 'csv', expires_in_seconds: 60 }, stated),
  'batches.results': ({ batches }, stated) => batches.results('bat_1', stated).next(),
  'batches.file': ({ batches }, stated) => batches.file('bat_1', stated),
  'reviews.get': ({ reviews }, stated) => reviews.get('rev_1', undefined, stated),
  'subjects.places': ({ subjects }, stated) => subjects.places('exp_1', stated),
  'subjects.file': ({ subjects }, stated) => subjects.file('exp_1', stated),
};

/** The calls that take an Idempotency-Key of the caller's own. */
const KEYED: Record<string, (client: ConfamClient, own: OwnKey) => Promise<unknown>> = {
  'jobs.create': ({ jobs }, own) => jobs.create({ check: 'nin_basic', input: { nin: '70123456789' } }, own),
  'batches.upload': ({ batches }, own) => batches.upload('nin\n', { checks: 'nin_basic', ...own }),
  'batches.link': ({ batches }, own) => batches.link('bat_1', {}, own),
  'reviews.comment': ({ reviews }, own) => reviews.comment('rev_1', 'Asked the branch', own),
  'webhooks.create': ({ webhooks }, own) => webhooks.create({ url: 'https://example.com/hook' }, own),
  'webhooks.rotate': ({ webhooks }, own) => webhooks.rotate('whe_1', false, own),
  'webhooks.replay': ({ webhooks }, own) => webhooks.replay('whe_1', { since: '2026-11-20T00:00:00Z' }, own),
  'keys.create': ({ keys }, own) => keys.create({}, own),
  'keys.rotate': ({ keys }, own) => keys.rotate('key_1', {}, own),
  'subjects.export': ({ subjects }, own) => subjects.export({ identifiers: [] }, undefined, own),
  'subjects.erase': ({ subjects }, own) => subjects.erase([], undefined, own),
  'subjects.hold': ({ subjects }, own) => subjects.hold({ identifiers: [] }, undefined, own),
};

/** What the client of TypeScript offers, as Python would call it. */
function surfaceOfTypeScript(): Record<string, string[]> {
  const { checks: _, ...client } = createClient({ baseUrl: 'http://127.0.0.1', key: 'k', app: 'a' });
  return Object.fromEntries(
    Object.entries(client).map(([part, calls]) => [
      part,
      Object.keys(calls)
        .map((name) => inPython(part, name))
        .sort(),
    ]),
  );
}

test('the client of TypeScript sends what a read is for, and only if it was told', async () => {
  const sent: (string | null)[] = [];
  const record: typeof fetch = async (_, init) => {
    sent.push(new Headers(init?.headers).get('Audit-Purpose'));
    return new Response('{"entity":{}}\n');
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1', key: 'k', app: 'a', fetch: record });
  for (const [name, call] of Object.entries(STATING)) {
    sent.length = 0;
    for (const stated of [{ purpose: 'fraud' } as const, {}]) await call(client, stated).catch(() => {});
    expect(sent, name).toEqual(['fraud', null]);
  }
});

test('the client of TypeScript sends the caller’s own key', async () => {
  const sent: (string | null)[] = [];
  const record: typeof fetch = async (_, init) => {
    sent.push(new Headers(init?.headers).get('Idempotency-Key'));
    return new Response('{"entity":{}}');
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1', key: 'k', app: 'a', fetch: record });
  for (const call of Object.values(KEYED)) await call(client, { idempotencyKey: 'order-7' });
  expect(sent).toEqual(Object.keys(KEYED).map(() => 'order-7'));
});

describe.skipIf(!isHere)(`the Python client${isHere ? '' : ' (SKIPPED: no python3 of 3.9 or later)'}`, () => {
  test('offers what the client of TypeScript does: calls, jobs, batches from every kind of source, results, money, screening, webhooks, reviews, keys, audit', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'LOW' } } });
    const script = join(packageRoot(), 'test/client/python.py');
    // The sweeper's part: the script waits for an erasure.
    const over = new AbortController();
    const sweeping = (async () => {
      for (; !over.signal.aborted; await sleep(100)) await advanceErasures(api.service, over.signal);
    })();
    const { stdout } = await promisify(execFile)(PYTHON, [script, api.url, app.key, app.app, folder], {
      env: environment(),
      timeout: 60_000,
    }).finally(() => over.abort());
    await sweeping;
    const { catalogue, listed, surface, stated, keyed, ...found } = JSON.parse(stdout) as Record<string, unknown>;
    expect(catalogue).toEqual(listed);
    expect(surface).toEqual(surfaceOfTypeScript());
    const namesOf = (calls: object) =>
      Object.keys(calls)
        .map((call) => call.split('.') as [string, string])
        .map(([part, name]) => `${part}.${inPython(part, name)}`)
        .toSorted();
    expect((stated as string[]).toSorted()).toEqual(namesOf(STATING));
    expect((keyed as string[]).toSorted()).toEqual(namesOf(KEYED));
    expect(found).toEqual({
      call: '70123456789',
      cache: [false, true, false],
      posted: expect.any(String),
      refused: ['Refused', 'invalid_request'],
      nobody: ['Refused', 'record_not_found'],
      not_ids: Array(4).fill(['Refused', 'resource_not_found']),
      not_ids_cost: 0,
      job: { status: 'completed', outcome: 'found', reference: 'order-1' },
      lookups: true,
      jobs: ['order-1'],
      same_key: 1,
      preview: [40, 'National ID'],
      quote: 40,
      files: [40, 40, 40, 40, true, true, true, true],
      rows: [40, 40],
      broken: ['RuntimeError', 'the source is gone'],
      refused_early: Array(2).fill(['Refused', 'invalid_request']),
      declared: true,
      no_id: ['TypeError', 'An id is a string, such as batch["id"], not dict'],
      missing: ['FileNotFoundError', expect.stringContaining('nothing.csv')],
      ended: ['completed', 80, 100, true],
      results: [40, 'c5', '40000000028'],
      watched: 'completed',
      history: ['completed', 'timeline', []],
      page: [39, 39, 40, 40],
      link: [true, true],
      errors: true,
      started: 'queued',
      batches: [true, 2],
      saved: 41,
      waiting: ['StillRunning', expect.stringMatching(/^bat_\w+ is still awaiting_start$/)],
      canceled: 'canceled',
      wallet: 'NGX',
      entries: [true, 2],
      charges: [true, true, 1],
      statement: [true, true, true],
      usage: true,
      monitor: [[], true, 1],
      cleared: [true, 1, true],
      report: '%PDF-',
      endpoint: ['Ours', ['job.completed'], true],
      endpoints: [1, 1, []],
      removed: ['Refused', 'resource_not_found'],
      review: ['open', 'decided', 'approve', true, 1],
      key: ['Weekly', true, ['Refused', 'forbidden'], true],
      keys: [true, ['Refused', 'unauthenticated']],
      hold: ['Suit 17', true, 1],
      erased: [true, 1, true],
      ended_export: ['Refused', 'resource_not_found'],
      withdrawn: [0, 1, ['Refused', 'consent_withdrawn']],
      purposes: [true, true],
      audit: [true, true, 2, true],
      what_for: [
        'errors.read support',
        'link.create legal',
        'report.read screening',
        'results.read complaint',
        'results.read fraud',
        'review.read review',
      ],
      away: ['Unreachable', 'The service cannot be reached'],
      leaks: [],
    });
  }, 90_000);

  describe('on bad days', () => {
    let ask: (question: object) => Promise<{ answer?: unknown; error?: string; code?: string }>;
    let stop: () => void;
    beforeAll(() => {
      const child = spawn(PYTHON, [join(packageRoot(), 'test/client/python-faults.py')], {
        env: environment(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout });
      ask = async (question) => {
        child.stdin.write(`${JSON.stringify(question)}\n`);
        return JSON.parse((await once(lines, 'line'))[0] as string);
      };
      stop = () => child.kill();
    });
    afterAll(() => stop());

    test('retries with one key, honours Retry-After, and never repeats a call that may have been charged', async () => {
      const job = await against(
        refuse(429, 'rate_limited', { 'Retry-After': '1' }),
        cut,
        refuse(503, 'unavailable'),
        answer({ id: 'job_1' }),
      );
      const began = performance.now();
      expect(await ask({ url: job.url, call: 'job' })).toEqual({ answer: 'job_1' });
      expect(performance.now() - began).toBeGreaterThan(1_000);
      expect([job.keys.length, new Set(job.keys).size]).toEqual([4, 1]);
      const lost = await against(cut, answer({}));
      expect(await ask({ url: lost.url, call: 'nin' })).toMatchObject({ error: 'Unreachable' });
      expect(lost.keys).toHaveLength(1);
      const poor = await against(refuse(402, 'insufficient_funds'));
      expect(await ask({ url: poor.url, call: 'job' })).toMatchObject({ error: 'Refused', code: 'insufficient_funds' });
      const slow = await against(() => {});
      expect(await ask({ url: slow.url, call: 'job', retries: 1, timeout: 0.2 })).toMatchObject({ error: 'Unreachable' });
      expect(slow.keys).toHaveLength(2);
      // Sent again, it would be refused: what it deletes is gone.
      const removed = await against(cut, refuse(404, 'resource_not_found'));
      expect(await ask({ url: removed.url, call: 'remove' })).toMatchObject({ error: 'Unreachable' });
      expect(removed.keys).toHaveLength(1);
    });

    test('a redirect is refused, not followed: the key goes nowhere else, and no POST becomes a GET', async () => {
      const elsewhere = await against(answer({ id: 'job_1' }));
      const { url, keys } = await against((response) =>
        response.writeHead(302, { Location: `${elsewhere.url}/api/v1/jobs?nin=70123456789` }).end(),
      );
      const message = `The answer leads to another address (${elsewhere.url}): is base_url right?`;
      for (const call of ['job', 'nin']) expect(await ask({ url, call })).toMatchObject({ error: 'Refused', message });
      expect([keys.length, elsewhere.keys.length]).toEqual([2, 0]);
    });

    test('a key from a file loses its line end; what cannot be sent is the caller’s mistake, and nothing is sent', async () => {
      let sent: string | undefined;
      const { url, keys } = await against((response, request) => {
        sent = request.headers.authorization;
        answer({ id: 'job_1' })(response, request);
      });
      expect(await ask({ url: `${url}\n`, key: 'cf_test_1\n', call: 'job' })).toEqual({ answer: 'job_1' });
      expect(sent).toBe('cf_test_1');
      for (const key of ['ke\ny', '“key”', ' ', null]) expect(await ask({ url, key, call: 'job' }), key!).toEqual({ error: 'ValueError' });
      expect(await ask({ url, call: 'upload', rows: [], idempotency_key: 'clé €' })).toEqual({ error: 'ValueError' });
      // A file that is open as text.
      expect(await ask({ url, call: 'upload', rows: null })).toEqual({ error: 'TypeError' });
      expect(keys).toHaveLength(1);
    });

    test('a value that is not there is sent as null, as pandas has NaN for it', async () => {
      const { url, bodies } = await against(answer({ id: 'bat_1' }));
      expect(await ask({ url, call: 'upload', rows: [{ nin: '70123456789' }] })).toEqual({ answer: 'bat_1' });
      expect(bodies).toEqual(['{"nin": "70123456789", "reference": null}\n']);
    });

    test('bytes are sent as base64, dates as dates; what has no form is the caller’s mistake', async () => {
      const { url, bodies } = await against(answer({ id: 'job_1' }));
      expect(await ask({ url, call: 'values' })).toEqual({ answer: 'job_1' });
      expect(JSON.parse(bodies[0]!).input).toEqual({
        image: '/9g=',
        date_of_birth: '1990-05-17',
        seen: '2026-11-29',
        at: '2026-11-29T10:30:00',
      });
      expect(await ask({ url, call: 'values', odd: true })).toEqual({ error: 'TypeError' });
      expect(bodies).toHaveLength(1);
    });

    test.each([
      ['job', 'job_1'],
      ['batch', 'bat_1'],
    ])('a wait for a %s outlasts an outage, until its time is up', async (_, id) => {
      const half: Play = (response, request) => {
        response.writeHead(200, { 'Content-Length': '500' }).write('{"entity"');
        setTimeout(() => request.socket.destroy(), 50);
      };
      const [running, done] = [answer({ id, status: 'running' }), answer({ id, status: 'completed' })];
      const back = await against(running, cut, half, refuse(503, 'unavailable'), done);
      expect(await ask({ url: back.url, call: 'wait', id, retries: 0 })).toEqual({ answer: 'completed' });
      const away = await against(running, cut);
      expect(await ask({ url: away.url, call: 'wait', id, retries: 0, wait: 0.1 })).toMatchObject({ error: 'Unreachable' });
      const limited = await against(running, refuse(429, 'rate_limited', { 'Retry-After': '3600' }));
      expect(await ask({ url: limited.url, call: 'wait', id })).toMatchObject({ code: 'rate_limited' });
    });

    test('results that are cut go on behind the last row', async () => {
      const rows = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, i) => `${JSON.stringify({ row: from + i })}\n`).join('');
      const { url } = await against(
        (response, request) => {
          response.writeHead(200).write(`${rows(1, 20)}{"row": 2`);
          setTimeout(() => request.socket.destroy(), 50);
        },
        (response) => response.end(rows(1, 50)),
      );
      expect(await ask({ url, call: 'results' })).toEqual({ answer: Array.from({ length: 50 }, (_, i) => i + 1) });
    });

    test('a connection that ends between two rows is no end of the results, and no file', async () => {
      const row = (n: number) => `${JSON.stringify({ row: n })}\n`;
      const cutAfter =
        (text: string): Play =>
        (response, request) => {
          response.writeHead(200).write(text);
          setTimeout(() => request.socket.destroy(), 50);
        };
      const { url } = await against(cutAfter(row(1) + row(2)), (response) => response.end([1, 2, 3].map(row).join('')));
      expect(await ask({ url, call: 'results' })).toEqual({ answer: [1, 2, 3] });
      const withLength: Play = (response, request) => {
        response.setHeader('Content-Length', '500');
        cutAfter('nin\n1\n')(response, request);
      };
      for (const play of [cutAfter('nin\n1\n'), withLength]) {
        const download = await against(play);
        expect(await ask({ url: download.url, call: 'save', path: join(folder, 'cut.csv') })).toMatchObject({ error: 'Unreachable' });
      }
      const waits = await against((response) => response.writeHead(202).end('{"entity":{"id":"apr_1"}}'));
      expect(await ask({ url: waits.url, call: 'save', path: join(folder, 'cut.csv') })).toEqual({ answer: { id: 'apr_1' } });
      expect(readdirSync(folder).filter((name) => name.startsWith('cut'))).toEqual([]);
    });

    test('events go on where they were, until the batch is over', async () => {
      const event = (id: number, type: string, data: object) => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
      const seen: (string | undefined)[] = [];
      const { url } = await against(
        (response, request) => {
          seen.push(request.headers['last-event-id'] as string | undefined);
          response.writeHead(200).write(`retry: 50\n\n: nothing\n\n${event(1, 'status', { status: 'running' })}`);
          setTimeout(() => request.socket.destroy(), 50);
        },
        (response, request) => {
          seen.push(request.headers['last-event-id'] as string | undefined);
          // The batch was retried after its first end.
          const ends = [3, 5].map((id) => event(id, 'status', { status: 'completed' }));
          const again = event(4, 'status', { status: 'running' });
          response.writeHead(200).end(`${event(2, 'progress', { percent: 50 })}${ends.join(again)}`);
        },
        (response) => response.writeHead(204).end(),
      );
      const [running, completed] = [{ status: 'running' }, { status: 'completed' }];
      expect(await ask({ url, call: 'watch' })).toEqual({ answer: [running, { percent: 50 }, completed, running, completed] });
      expect(seen).toEqual([undefined, '1']);
    });

    test('watching outlasts any number of failures, up to its own time limit', async () => {
      const status = `retry: 20\n\nid: 1\nevent: status\ndata: ${JSON.stringify({ status: 'running' })}\n\n`;
      const begin: Play = (response) => response.writeHead(200).end(status);
      const failures = Array.from({ length: 8 }, (_, i) => (i % 2 ? cut : refuse(503, 'unavailable')));
      const { url } = await against(begin, ...failures, (response) => response.writeHead(204).end());
      expect(await ask({ url, call: 'watch', retries: 0 })).toEqual({ answer: [{ status: 'running' }] });
      const lost = await against(begin, cut);
      const silent = await against((response) => void response.writeHead(200).write(status));
      for (const { url } of [lost, silent]) {
        const limited = await ask({ url, call: 'watch', retries: 0, wait: 0.5 });
        expect(limited).toMatchObject({ error: 'StillRunning', message: 'bat_1 is still running' });
      }
      const refused = await against(begin, refuse(404, 'resource_not_found'));
      expect(await ask({ url: refused.url, call: 'watch' })).toMatchObject({ code: 'resource_not_found' });
    });

    test('webhooks: both schemes, rotation, time, bytes alone, never without a secret', async () => {
      const [secret, other] = [newWebhookSecret(), newWebhookSecret()];
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const whpk = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')}`;
      const text = '{"type":"job.completed","data":{"reference":"ọ\\u00e9"}}';
      const body = Buffer.from(text).toString('base64');
      const message = (by: string, ago = 0) => {
        const at = Math.floor(Date.now() / 1000) - ago;
        const signature = by.startsWith('whpk_')
          ? `v1a,${sign(null, Buffer.from(`evt_1.${at}.${text}`), privateKey).toString('base64')}`
          : new Webhook(by).sign('evt_1', new Date(at * 1000), text);
        return { body, headers: { 'Webhook-Id': 'evt_1', 'Webhook-Timestamp': String(at), 'Webhook-Signature': signature } };
      };
      const verify = async (sent: object, known: unknown) => {
        const { answer, code } = await ask({ verify: { ...sent, secret: known } });
        return answer ?? code;
      };
      expect(await verify(message(secret), secret)).toBe('job.completed');
      expect(await verify(message(whpk), whpk)).toBe('job.completed');
      expect(await verify(message(secret), [other, whpk, secret])).toBe('job.completed');
      expect(await verify(message(secret), other)).toBe('wrong_signature');
      expect(await verify(message(whpk), `whpk_${'A'.repeat(43)}=`)).toBe('wrong_signature');
      expect(await verify({ ...message(secret), body: Buffer.from(`${text} `).toString('base64') }, secret)).toBe('wrong_signature');
      expect(await verify({ ...message(whpk), body: Buffer.from(`${text} `).toString('base64') }, whpk)).toBe('wrong_signature');
      expect([
        await verify(message(secret, 290), secret),
        await verify(message(secret, 310), secret),
        await verify(message(secret, -310), secret),
      ]).toEqual(['job.completed', 'too_old', 'too_new']);
      expect(await verify({ ...message(secret), as_text: true }, secret)).toBe('body_is_not_bytes');
      expect(await verify(message(secret), `${secret}\n`)).toBe('job.completed');
      for (const none of ['', [], null]) expect(await verify(message(secret), none)).toBe('no_secret');
      expect(await verify(message(secret), 'whsec_AAAA')).toBe('bad_secret');
    });
  });

  test.skipIf(!hasPip)(
    `pip installs it${hasPip ? '' : ' (SKIPPED: no pip)'}, without a network`,
    async () => {
      const [copy, target] = [join(folder, 'source'), join(folder, 'site')];
      // pip builds beside the sources.
      cpSync(source, copy, { recursive: true });
      const pip = ['-m', 'pip', 'install', '--no-index', '--quiet', '--disable-pip-version-check', '--target', target, copy];
      await promisify(execFile)(PYTHON, pip, { env: { PATH, HOME }, timeout: 60_000 });
      expect(existsSync(join(target, 'confam.py')), readdirSync(target).join()).toBe(true);
      const { stdout } = await promisify(execFile)(PYTHON, ['-c', 'import confam; print(confam.__file__)'], {
        cwd: folder,
        env: environment(target),
      });
      expect(stdout.trim()).toBe(join(target, 'confam.py'));
    },
    90_000,
  );
});

type Play = (response: ServerResponse, request: IncomingMessage) => void;
const answer =
  (entity: unknown): Play =>
  (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ entity }));
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Play =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ error: code, code }));
const cut: Play = (_, request) => request.socket.destroy();

/** Each attempt is answered by the next play; the last one repeats. */
async function against(...plays: Play[]) {
  const keys: (string | undefined)[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    bodies.push(body);
    keys.push(request.headers['idempotency-key'] as string | undefined);
    plays[Math.min(keys.length, plays.length) - 1]!(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, bodies };
}
