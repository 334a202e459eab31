/**
 * Bad input of every kind at every input of every check: refused with 400, naming the input, and neither billed nor cached. The checks are those
 * of the catalog. BADINPUT_CASES sets how many generated requests are sent; a failing run prints its seed (BADINPUT_SEED repeats it).
 */
import fc from 'fast-check';
import { Pool } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sampleInput } from '../../bench/inputs.ts';
import { checks } from '../../src/checks/catalog.ts';
import type { Check } from '../../src/checks/check.ts';
import { errorCodes } from '../../src/foundation/errors.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { sendBytes, type TestApp, useApi } from '../setup/api.ts';
import { badValue, badValues, type Carrier, isRequired } from '../setup/bad-input.ts';

const CASES = Number(process.env.BADINPUT_CASES ?? 3_000);
const SEED = process.env.BADINPUT_SEED === undefined ? {} : { seed: Number(process.env.BADINPUT_SEED) };
const ROUND = 200;
const CONNECTIONS = 32;

const api = useApi({ CONFAM_REQUESTS_PER_MINUTE: '0' });
let app: TestApp;
let pool: Pool;
beforeAll(async () => {
  pool = new Pool(api.url, { connections: CONNECTIONS });
});
beforeEach(async () => {
  app = await api.createApp();
});
afterAll(async () => {
  await pool.close();
});

interface Request {
  method: 'GET' | 'POST';
  path: string;
  /** Sent as it is. */
  body?: string;
  type?: string;
}

interface Answer {
  status: number;
  requestId: unknown;
  body: {
    status?: unknown;
    error?: unknown;
    code?: unknown;
    details?: { path: string; message: string }[];
    billed_amount?: number;
    meta?: { request_id?: unknown };
  };
}

/** A request that must be refused, and the path to name. `unserved`: no provider answers the check, which is said first. */
interface Bad extends Request {
  refusedAt: string;
  unserved: boolean;
}

async function send({ method, path, body, type = 'application/json' }: Request): Promise<Answer> {
  const answer = await pool.request({
    method,
    path,
    headers: { authorization: app.key, appid: app.app, ...(body !== undefined && { 'content-type': type }) },
    body: body ?? null,
  });
  return { status: answer.statusCode, requestId: answer.headers['x-request-id'], body: (await answer.body.json()) as Answer['body'] };
}

/** What is wrong with an answer, in a word; null: nothing. The sender of the request judges success. */
function flawOfRefusal({ status, body, requestId }: Answer): string | null {
  if (status === 200) return null;
  const declared = errorCodes[body.code as keyof typeof errorCodes];
  if (declared?.status !== status) return `status ${status} with code ${body.code}`;
  if (status >= 500 && !['provider_not_configured', 'lists_not_loaded'].includes(String(body.code))) return `a ${status}`;
  if (body.status !== 'error' || typeof body.error !== 'string' || body.error === '') return 'no envelope';
  if (!/^req_[0-9a-f]{32}$/.test(String(body.meta?.request_id)) || body.meta?.request_id !== requestId) return 'no request id';
  if ('billed_amount' in body || 'entity' in body) return 'more than a refusal';
  return null;
}

function flawOfBad(request: Bad, answer: Answer): string | null {
  const flaw = flawOfRefusal(answer);
  if (flaw) return flaw;
  if (request.unserved && answer.body.code === 'provider_not_configured') return null;
  const isOfImage = request.refusedAt.endsWith('image') && ['invalid_image', 'image_too_large'].includes(String(answer.body.code));
  if (!isOfImage && (answer.status !== 400 || answer.body.code !== 'invalid_request')) return `answered ${answer.status}`;
  const details = answer.body.details ?? [];
  if (details.some(({ path, message }) => typeof path !== 'string' || !message)) return 'a detail without path or sentence';
  return details.some(({ path }) => path === request.refusedAt) ? null : `no detail for ${request.refusedAt}`;
}

const shown = (request: Request, answer: Answer) =>
  `${request.method} ${request.path.slice(0, 300)} ${request.body?.slice(0, 300) ?? ''} → ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;

/** Sends all of them, 32 at a time; fails with the first few wrong answers. */
async function expectRefused(requests: Bad[]): Promise<void> {
  const wrong: string[] = [];
  await Promise.all(
    requests.map(async (request) => {
      const answer = await send(request);
      const flaw = flawOfBad(request, answer);
      if (flaw) wrong.push(`${flaw}: ${shown(request, answer)}`);
    }),
  );
  expect(wrong.slice(0, 8), `${wrong.length} of ${requests.length}`).toEqual([]);
}

const encode = (value: string) => encodeURIComponent(value.toWellFormed());

const samples = new Map(checks.map((check) => [check.id, sampleInput(check.id, 0) ?? {}]));

/** The check's own call with `value` for `field` (undefined: left out) and every other input valid. */
function call(check: Check, field: string, value: unknown): Bad {
  const input: Record<string, unknown> = { ...samples.get(check.id), [field]: value };
  if (value === undefined) delete input[field];
  const { method, path } = check.route;
  const to = { method, refusedAt: field, unserved: false };
  if (method === 'POST') return { ...to, path, body: JSON.stringify(input) };
  const query = Object.entries(input).map(([name, text]) => `${name}=${encode(String(text))}`);
  return { ...to, path: `${path}?${query.join('&')}` };
}

/** The same as a job, which takes JSON for every check. */
function job(check: Check, field: string, value: unknown): Bad {
  const input = { ...samples.get(check.id), [field]: value };
  const body = JSON.stringify({ check: check.id, input });
  return { method: 'POST', path: '/api/v1/jobs', body, refusedAt: `input.${field}`, unserved: !isServed(check) };
}

const isServed = (check: Check) => api.service.router.configured(check.needs, false);
const carrierOf = (check: Check): Carrier => (check.route.method === 'GET' ? 'text' : 'json');
const fieldsOf = (check: Check) => Object.keys(check.input.shape);

/** What the app has spent, and what is stored of its calls. */
async function traces() {
  const id = parseId('app', app.app)!;
  const [row] = await api.service.sql<{ entries: number; cached: number; jobs: number; usage: number; kobo: number }[]>`
    select (select count(*)::int from ledger_entries where app_id = ${id}) as entries, (select count(*)::int from cache_records) as cached,
           (select count(*)::int from jobs where app_id = ${id}) as jobs, (select count(*)::int from usage_days where app_id = ${id}) as usage,
           (select (available_kobo + held_kobo)::int from wallets where app_id = ${id} and not live) as kobo`;
  return row!;
}

describe.each(checks.map((check) => [check.id, check] as const))('%s', (_, check) => {
  it.each(fieldsOf(check))('refuses every bad %s, free and unremembered', async (field) => {
    const before = await traces();
    const requests = [
      ...badValues(check, field, carrierOf(check)).map((value) => call(check, field, value)),
      ...badValues(check, field, 'json').map((value) => job(check, field, value)),
      ...(isRequired(check, field) ? [call(check, field, undefined), job(check, field, undefined)] : []),
    ];
    await expectRefused(requests);
    expect(await traces()).toEqual(before);
  });

  if (check.route.method === 'GET') {
    it('refuses what could be read in two ways', async () => {
      for (const field of fieldsOf(check)) {
        const good = call(check, field, samples.get(check.id)![field] ?? 'x');
        await expectRefused([
          { ...good, path: `${good.path}&${field}=x` },
          { ...good, path: `${check.route.path}?${field}=%ff` },
          { ...good, path: `${check.route.path}?${field}=%` },
        ]);
      }
    });

    it('refuses a query too long to be read, in the envelope', async () => {
      const answer = await sendBytes(
        api.port,
        `GET ${check.route.path}?${fieldsOf(check)[0]}=${'x'.repeat(1024 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 431 /);
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
        status: 'error',
        error: expect.stringMatching(/16 KiB/),
        code: 'invalid_request',
        details: [{ path: 'request' }],
        meta: { request_id: expect.stringMatching(/^req_/) },
      });
    });
  } else {
    it('refuses a megabyte, and bodies that are no JSON object', async () => {
      const before = await traces();
      await expectRefused(fieldsOf(check).map((field) => call(check, field, 'x'.repeat(1024 * 1024))));
      for (const body of ['', '{', '[]', 'null', '"text"', '7', '{"a":1}}', '['.repeat(5_000)])
        await expectRefused([{ method: 'POST', path: check.route.path, body, refusedAt: '', unserved: false }]);
      expect(await traces()).toEqual(before);
    });
  }
});

/** Any request at all: mostly refused, and if answered, billed exactly what the answer says. */
const wild = (check: Check): fc.Arbitrary<Request> => {
  const { method, path } = check.route;
  const name = fc.oneof(fc.constantFrom(...fieldsOf(check), '__proto__', 'constructor', 'a[b]', ''), fc.string());
  if (method === 'GET') {
    const pair = fc.oneof(
      fc.tuple(name, fc.string({ unit: 'grapheme', maxLength: 60 })).map(([key, value]) => `${encode(key)}=${encode(value)}`),
      // Anything a request line can contain, validly encoded or not.
      fc.string({ unit: fc.constantFrom(...'abz019&=%+;/?:@[]{}|^`~!$()*,-._'), maxLength: 40 }),
    );
    return fc.array(pair, { maxLength: 6 }).map((pairs) => ({ method, path: `${path}?${pairs.join('&')}` }));
  }
  const body = fc.oneof(
    fc.dictionary(name, fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.stringify(value)),
    fc.json({ maxDepth: 3 }),
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  );
  const type = fc.constantFrom('application/json', 'application/json', 'application/json; charset=latin1', 'text/plain', 'x');
  return fc.record({ method: fc.constant(method), path: fc.constant(path), body, type });
};

const bad = (check: Check): fc.Arbitrary<Bad> =>
  fc.oneof(
    ...fieldsOf(check).flatMap((field) => [
      badValue(check, field, carrierOf(check)).map((value) => call(check, field, value)),
      badValue(check, field, 'json').map((value) => job(check, field, value)),
    ]),
  );

describe('generated input', () => {
  it(`${CASES} requests: no 5xx, every refusal an envelope, none billed`, { timeout: 240_000 }, async () => {
    const kinds = checks.flatMap((check) => [
      { arbitrary: bad(check).map((request) => ({ request, isBad: true })), weight: 4 },
      { arbitrary: wild(check).map((request) => ({ request, isBad: false })), weight: 1 },
    ]);
    const one = fc.oneof(...kinds);
    const round = fc.array(one, { minLength: Math.min(ROUND, CASES), maxLength: Math.min(ROUND, CASES) });
    let billed = 0;
    const before = await traces();
    const run = await fc.check(
      fc.asyncProperty(round, async (requests) => {
        const wrong: string[] = [];
        await Promise.all(
          requests.map(async ({ request, isBad }) => {
            const answer = await send(request);
            const flaw = isBad ? flawOfBad(request as Bad, answer) : flawOfRefusal(answer);
            if (flaw) wrong.push(`${flaw}: ${shown(request, answer)}`);
            billed += answer.body.billed_amount ?? 0;
          }),
        );
        if (wrong.length > 0) throw new Error(`${wrong.length} of ${requests.length}:\n${wrong.slice(0, 8).join('\n')}`);
      }),
      { numRuns: Math.ceil(CASES / ROUND), endOnFailure: true, ...SEED },
    );
    if (run.failed) throw new Error(`BADINPUT_SEED=${run.seed}: ${run.errorInstance}`);
    const after = await traces();
    expect(before.kobo - after.kobo).toBe(Math.round(billed * 100));
    if (billed === 0) expect(after.entries).toBe(before.entries);
  });
});
