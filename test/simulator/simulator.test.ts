/** The vendor simulator over real HTTP: it answers as the contract says, misbehaves exactly as its script says, and counts exactly. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checks } from '../../src/checks/catalog.ts';
import type { Lookup, Provider, RecordKind } from '../../src/checks/provider.ts';
import { jobWithResult } from '../../src/contract/jobs.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { readUpstreams } from '../../src/providers/upstreams.ts';
import { registries } from '../../src/sandbox/registries.ts';
import { openBehaviour } from '../../src/simulator/behaviour.ts';
import { readScript, type ScriptInput, scriptSchema } from '../../src/simulator/script.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { WorstSecond } from '../../src/simulator/stats.ts';
import { waitFor } from '../setup/database.ts';
import { killConfams, startConfam } from '../setup/process.ts';

const NIN = '70123456789';
const NIN_PATH = '/api/v1/kyc/nin';
const JOBS = '/api/v1/jobs';
const KEYS = { Authorization: 'cf_live_simulated', AppId: 'app_simulated' };

let simulator: Simulator;
let folder: string;
beforeAll(async () => {
  simulator = await startSimulator();
  folder = mkdtempSync(join(tmpdir(), 'confam-simulator-'));
});
afterAll(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => script({}));

function script(next: ScriptInput): void {
  simulator.setScript(next);
  simulator.reset();
}

interface Sent {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function send(method: string, path: string, { json, headers = KEYS, signal }: Sent & { json?: unknown } = {}) {
  const response = await fetch(simulator.url + path, {
    method,
    headers,
    signal,
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}
const askNin = (nin = NIN, sent: Sent = {}) => send('GET', `${NIN_PATH}?nin=${nin}`, sent);
const submit = (input: object, { headers = {}, check = 'nin_basic', signal }: Sent & { check?: string } = {}) =>
  send('POST', JOBS, { json: { check, input }, headers: { ...KEYS, ...headers }, signal });
const statusesOf = async (count: number) => {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await askNin()).status);
  return statuses;
};

describe('the contract', () => {
  test('a record is found in the envelope of a call', async () => {
    const answer = await askNin();
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'success',
      entity: { nin: NIN, surname: registries.nin!.record(NIN)!.surname },
      billed_amount: 125,
      cached: false,
      meta: { request_id: expect.stringMatching(/^req_/), service: 'nin_basic' },
    });
  });

  test.each([
    ['no record', 'GET', `${NIN_PATH}?nin=00000000001`, undefined, 404, 'record_not_found'],
    ['a malformed number', 'GET', `${NIN_PATH}?nin=7`, undefined, 400, 'invalid_request'],
    ['a number that is missing', 'GET', NIN_PATH, undefined, 400, 'invalid_request'],
    [
      'what contradicts the record',
      'POST',
      '/v1/verify/passport',
      { passport_number: 'A07654321', last_name: 'Qqq' },
      422,
      'subject_mismatch',
    ],
    ['a body that is not an object', 'POST', '/v1/verify/phone', [], 400, 'invalid_request'],
    ['a registry that is down for a number', 'GET', `${NIN_PATH}?nin=00000000003`, undefined, 424, 'provider_failed'],
    ['a check without a registry', 'GET', '/api/v1/kyc/email?email=a%40b.example', undefined, 503, 'provider_not_configured'],
    ['an unknown path', 'GET', '/api/v1/kyc/nothing', undefined, 404, 'resource_not_found'],
    ['an unknown job', 'GET', `${JOBS}/job_0`, undefined, 404, 'resource_not_found'],
    ['a job without a check', 'POST', JOBS, { check: 'nothing', input: {} }, 400, 'invalid_request'],
    ['a job without input', 'POST', JOBS, { check: 'nin_basic' }, 400, 'invalid_request'],
    ['a job with a malformed number', 'POST', JOBS, { check: 'nin_basic', input: { nin: 7 } }, 400, 'invalid_request'],
  ])('%s is refused: %s %s', async (_, method, path, json, status, code) => {
    const answer = await send(method, path, { json });
    expect({ status: answer.status, ...answer.json() }).toMatchObject({ status: 'error', code, meta: {} });
    expect(answer.status).toBe(status);
  });

  test('every check of the catalogue has its path', async () => {
    for (const { id, route } of checks) {
      const { code } = (await send(route.method, route.path, { json: route.method === 'POST' ? {} : undefined })).json();
      expect(code, id).toBe('invalid_request');
    }
  });

  test("any credentials are accepted except none, or only the script's if it names some", async () => {
    expect((await askNin(NIN, { headers: {} })).status).toBe(401);
    expect((await askNin(NIN, { headers: { Authorization: 'k' } })).status).toBe(401);
    script({ credentials: { key: 'right', app_id: 'app_right' } });
    expect((await askNin()).json()).toMatchObject({ code: 'unauthenticated' });
    expect((await askNin(NIN, { headers: { Authorization: 'right', AppId: 'app_right' } })).status).toBe(200);
  });

  test('an Idempotency-Key is answered the same again, refused for another request, and free after a refusal', async () => {
    const key = { 'Idempotency-Key': 'k-1' };
    const first = await submit({ nin: NIN }, { headers: key });
    const again = await submit({ nin: NIN }, { headers: key });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect((await submit({ nin: '70123456788' }, { headers: key })).json()).toMatchObject({ code: 'idempotency_mismatch' });
    const free = { 'Idempotency-Key': 'k-2' };
    expect((await submit({ nin: 'x' }, { headers: free })).status).toBe(400);
    expect((await submit({ nin: NIN }, { headers: free })).status).toBe(200);
    expect(simulator.stats()).toMatchObject({ references: 2, billed: { found: 2, distinct_subjects: 1 } });
  });

  test('a key whose request is in progress is refused', async () => {
    script({ latency_ms: 1_000 });
    const key = { 'Idempotency-Key': 'k-3' };
    const first = submit({ nin: NIN }, { headers: key });
    await waitFor('a request in progress', () => simulator.stats().in_flight === 1);
    expect((await submit({ nin: NIN }, { headers: key })).json()).toMatchObject({ code: 'idempotency_in_progress' });
    expect((await first).status).toBe(200);
  });
});

describe('the native adapter', () => {
  const identifiers: Partial<Record<RecordKind, string>> = {
    nin: NIN,
    bvn: '22123456789',
    cac: 'COMPANY:1432074',
    tin: '12345678-0001',
    drivers_license: 'ABC12345DE67',
    passport: 'A07654321',
    voter_card: '90F5B12345678901234',
    phone: '+2348030000017',
  };

  const open = (mode: 'calls' | 'jobs', options: object = {}): Provider => {
    const path = join(folder, `${mode}.json`);
    const credentials = { key: { env: 'SIM_KEY' }, app_id: { env: 'SIM_APP' } };
    const provider = { adapter: 'native', base_url: simulator.url, credentials, options: { mode, ...options } };
    const records = Object.fromEntries(Object.keys(identifiers).map((kind) => [kind, ['sim']]));
    writeFileSync(path, JSON.stringify({ providers: { sim: provider }, records }));
    return readUpstreams(path, { environment: { SIM_KEY: 'k', SIM_APP: 'a' }, publicUrl: null }).providers[0]!;
  };
  const lookup = (kind: RecordKind, tier: number, reference = `r-${Math.random()}`): Lookup => ({
    ...{ kind, tier, identifier: identifiers[kind]!, reference },
    // A passport is not found without its holder's name.
    hints: kind === 'passport' ? { lastName: String(registries.passport!.record(identifiers.passport!)!.last_name) } : {},
    signal: AbortSignal.timeout(5_000),
  });

  test.each(['calls', 'jobs'] as const)('finds the records of the sandbox by %s', async (mode) => {
    const provider = open(mode);
    for (const [kind, tiers] of Object.entries(provider.serves) as [RecordKind, number][]) {
      for (let tier = 1; tier <= tiers; tier++) {
        const answer = (await provider.lookup(lookup(kind, tier))) as { found: boolean; record: Record<string, unknown> };
        expect(answer.found, `${kind} ${tier}`).toBe(true);
        expect(registries[kind]!.record(identifiers[kind]!), `${kind} ${tier}`).toMatchObject(said(answer.record));
      }
    }
    const kinds = Object.keys(identifiers).length;
    expect(simulator.stats().billed.distinct_subjects).toBe(kinds);
    await provider.close!();
  });

  test('polls a job that is answered later', async () => {
    script({ pending: { share: 1, ms: 1_000 } });
    const provider = open('jobs', { wait_seconds: 0 });
    const asked = lookup('nin', 1);
    const { pending } = (await provider.lookup(asked)) as { pending: string };
    expect(await provider.poll!(pending, asked)).toMatchObject({ pending });
    expect(await provider.reconcile!(asked)).toMatchObject({ pending });
    await waitFor('the answer', async () => 'found' in (await provider.poll!(pending, asked)));
    expect(await provider.poll!(pending, asked)).toMatchObject({ found: true, record: { nin: NIN } });
    expect(simulator.stats()).toMatchObject({ references: 1, billed: { found: 1 } });
    await provider.close!();
  });

  test.each(['calls', 'jobs'] as const)('makes no record out of wrong content by %s', async (mode) => {
    const provider = open(mode);
    const failureOf = () => provider.lookup(lookup('nin', 1)).catch((error) => error);
    for (const [kind, code] of [
      ['html', 'down'],
      ['empty', 'down'],
      ['other_subject', 'surprise'],
      ['missing_name', 'surprise'],
      ['wrong_type', 'surprise'],
    ] as const) {
      script({ wrong_content: { share: 1, kinds: [kind] } });
      expect(await failureOf(), kind).toMatchObject({ name: 'ProviderFailure', code });
    }
    script({ malformed_rate: 1 });
    expect(await failureOf()).toMatchObject({ code: 'down' });
    script({ out_of_credit_after: 0 });
    expect(await failureOf()).toMatchObject({ code: 'out_of_credit' });
    await provider.close!();
  });
});

describe('pictures', () => {
  const path = `/api/v1/kyc/nin/advance?nin=${NIN}`;

  test('are as large as the script says, by a call and by a job, and begin as the drawn one does', async () => {
    const drawn = (await send('GET', path)).json().entity;
    script({ picture_bytes: 20_000 });
    const enlarged = (await send('GET', path)).json().entity;
    for (const member of ['photo', 'signature']) {
      const [drawing, picture] = [drawn, enlarged].map((entity) => Buffer.from(entity[member].replace(/^data:[^,]*,/, ''), 'base64'));
      expect(picture!.length, member).toBe(20_000);
      expect(picture!.subarray(0, drawing!.length), member).toEqual(drawing);
      // A data: URI stays one.
      expect(enlarged[member].slice(0, 12), member).toBe(drawn[member].slice(0, 12));
    }
    expect({ ...enlarged, photo: '', signature: '' }).toEqual({ ...drawn, photo: '', signature: '' });
    const job = await submit({ nin: NIN }, { check: 'nin_advance' });
    expect(job.json().entity.result).toEqual(enlarged);
  });

  test('are never made smaller, and a record without one gets none', async () => {
    const drawn = (await send('GET', path)).json().entity;
    script({ picture_bytes: 1 });
    expect((await send('GET', path)).json().entity).toEqual(drawn);
    const basic = (await askNin()).json().entity;
    script({ picture_bytes: 20_000 });
    expect((await askNin()).json().entity).toEqual(basic);
  });
});

/** Without what a check fills in for members that the record lacks: an empty text or list, null. */
const said = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => String(value ?? '') !== ''));

describe('jobs', () => {
  const entityOf = async (answer: ReturnType<typeof send>) => jobWithResult.parse((await answer).json().entity);

  test('end at once as found, not found or failed', async () => {
    expect(await entityOf(submit({ nin: NIN }))).toMatchObject({
      status: 'completed',
      outcome: 'found',
      result: { nin: NIN },
      billed_amount: 125,
    });
    expect(await entityOf(submit({ nin: '00000000001' }))).toMatchObject({ status: 'completed', outcome: 'not_found', result: null });
    const failed = await entityOf(submit({ nin: '00000000003' }));
    expect(failed).toMatchObject({ status: 'failed', outcome: null, error: { code: 'provider_failed' }, billed_amount: 0 });
    const mismatch = await entityOf(submit({ passport_number: 'A07654321', last_name: 'Qqq' }, { check: 'passport' }));
    expect(mismatch).toMatchObject({ status: 'failed', error: { code: 'subject_mismatch' } });
    expect(simulator.stats().billed.found).toBe(1);
  });

  test('stay pending for as long as the script says, and count when they are answered', async () => {
    script({ pending: { share: 1, ms: 800 } });
    const submitted = await submit({ nin: NIN });
    expect(submitted.status).toBe(202);
    const path = submitted.headers.get('location')!;
    expect(await entityOf(send('GET', path))).toMatchObject({ status: 'queued', outcome: null, result: null });
    expect(simulator.stats().billed.found).toBe(0);
    await waitFor('the job', async () => (await entityOf(send('GET', path))).status === 'completed');
    expect(await entityOf(send('GET', path))).toMatchObject({ outcome: 'found', result: { nin: NIN } });
    expect(simulator.stats()).toMatchObject({ billed: { found: 1 }, by_path: { [JOBS]: 1, [`${JOBS}/{id}`]: expect.any(Number) } });
  });

  test('are waited for as Prefer says', async () => {
    script({ pending: { share: 1, ms: 100 } });
    const started = performance.now();
    const answer = await submit({ nin: NIN }, { headers: { Prefer: 'wait=2' } });
    expect(answer.status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(95);
  });
});

describe('a fault', () => {
  test('of the network: a reset, an outage; the statistics stay available', async () => {
    for (const faults of [{ reset_rate: 1 }, { down: true }]) {
      script(faults);
      await expect(askNin()).rejects.toThrow('fetch failed');
      const stats = (await send('GET', '/_sim/stats')).json();
      expect(stats).toMatchObject({ requests: 1, answered: 0, by_status: {}, by_path: { [NIN_PATH]: 1 } });
    }
  });

  test('an outage cuts requests in progress', async () => {
    script({ latency_ms: 800, timetable: [{ from_ms: 400, to_ms: 60_000, down: true }] });
    await expect(askNin()).rejects.toThrow('fetch failed');
  });

  test('a request that hangs stays in progress until its client gives up', async () => {
    script({ hang_rate: 1 });
    const client = new AbortController();
    const gaveUp = askNin(NIN, { signal: client.signal });
    await waitFor('a request in progress', () => simulator.stats().requests === 1);
    client.abort();
    await expect(gaveUp).rejects.toThrow('aborted');
    await waitFor('its end', () => simulator.stats().in_flight === 0);
    expect(simulator.stats()).toMatchObject({ requests: 1, answered: 0, in_flight_max_seen: 1 });
  });

  test('500, and 429 with and without Retry-After', async () => {
    script({ error_rate: 1 });
    expect((await askNin()).status).toBe(500);
    script({ rate_limited_rate: { share: 1, retry_after_seconds: 7 } });
    const limited = await askNin();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    script({ rate_limited_rate: { share: 1, retry_after_seconds: null } });
    expect((await askNin()).headers.get('retry-after')).toBeNull();
    expect(simulator.stats()).toMatchObject({ by_status: { 429: 1 }, billed: { found: 0 } });
  });

  test('truncated JSON, an HTML page, nothing', async () => {
    script({ malformed_rate: 1 });
    const cut = await askNin();
    expect(cut.status).toBe(200);
    expect(cut.json).toThrow(SyntaxError);
    script({ wrong_content: { share: 1, kinds: ['html'] } });
    expect((await askNin()).headers.get('content-type')).toBe('text/html');
    script({ wrong_content: { share: 1, kinds: ['empty'] } });
    expect(await askNin()).toMatchObject({ status: 200, text: '' });
    expect(await askNin('00000000001')).toMatchObject({ status: 200, text: '' });
  });

  test("another subject's record, whole and of the same check", async () => {
    script({ wrong_content: { share: 1, kinds: ['other_subject'] } });
    const { entity } = (await askNin()).json();
    expect(entity.nin).not.toBe(NIN);
    expect(registries.nin!.record(entity.nin)).toMatchObject(entity);
  });

  test('a body that comes slowly, after its headers', async () => {
    script({ slow_body: { share: 1, ms: 400 } });
    const response = await fetch(`${simulator.url}${NIN_PATH}?nin=${NIN}`, { headers: KEYS });
    const begun = performance.now();
    expect(await response.json()).toMatchObject({ entity: { nin: NIN } });
    expect(performance.now() - begun).toBeGreaterThan(300);
  });

  test('a client that hangs up, while it waits or in the middle of an answer, harms nobody', async () => {
    for (const faults of [{ latency_ms: 300 }, { slow_body: { share: 1, ms: 300 } }]) {
      script(faults);
      const client = new AbortController();
      const gaveUp = Promise.all([askNin(NIN, { signal: client.signal }), submit({ nin: NIN }, { signal: client.signal })]);
      await waitFor('both', () => simulator.stats().in_flight === 2);
      client.abort();
      await expect(gaveUp).rejects.toThrow('aborted');
      await waitFor('their end', () => simulator.stats().in_flight === 0);
      expect((await askNin()).status).toBe(200);
    }
  });

  test('no credit after a given number of records', async () => {
    script({ out_of_credit_after: 2 });
    expect((await askNin('00000000001')).status).toBe(404);
    expect(await statusesOf(3)).toEqual([200, 200, 402]);
    simulator.setScript({ out_of_credit_after: 1 });
    expect(await statusesOf(2)).toEqual([200, 402]);
  });

  test('hits its share of requests, the same ones with the same seed', async () => {
    script({ error_rate: 0.5, seed: 7 });
    const statuses = await statusesOf(60);
    script({ error_rate: 0.5, seed: 7 });
    expect(await statusesOf(60)).toEqual(statuses);
    script({ error_rate: 0.5, seed: 8 });
    expect(await statusesOf(60)).not.toEqual(statuses);
  });

  test('excludes every other: each share is of all requests', () => {
    const behaviour = openBehaviour(
      readScript({
        error_rate: 0.1,
        malformed_rate: 0.2,
        hang_rate: 0.05,
        slow_body: { share: 0.3, ms: 1 },
        pending: { share: 0.4, ms: 9 },
      }),
      0,
    );
    const counts = new Map<unknown, number>();
    let pending = 0;
    const requests = 20_000;
    for (let i = 0; i < requests; i++) {
      const { fault, pendingMs } = behaviour.decide(i, 1);
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      if (pendingMs === 9) pending += 1;
    }
    const expected = { error: 0.1, malformed: 0.2, hang: 0.05, slow_body: 0.3, null: 0.35 };
    expect(counts.size).toBe(5);
    for (const [fault, count] of counts) expect(count / requests, String(fault)).toBeCloseTo(expected[String(fault) as 'error'], 1.5);
    expect(pending / requests).toBeCloseTo(0.4, 1.5);
  });
});

describe('latency', () => {
  const drawn = (latency_ms: ScriptInput['latency_ms'], inFlight = 1, in_flight_max?: number) => {
    const behaviour = openBehaviour(readScript({ latency_ms, in_flight_max }), 0);
    return Array.from({ length: 20_000 }, (_, i) => behaviour.decide(i, inFlight).latencyMs).sort((a, b) => a - b);
  };
  const percentile = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)]!;

  test('has the requested distribution', () => {
    expect(new Set(drawn(12))).toEqual(new Set([12]));
    const uniform = drawn({ min: 100, max: 200 });
    expect(uniform[0]).toBeGreaterThanOrEqual(100);
    expect(uniform.at(-1)).toBeLessThanOrEqual(200);
    expect(percentile(uniform, 0.5) / 150).toBeCloseTo(1, 1.5);
    const logNormal = drawn({ p50: 80, p99: 800 });
    expect(percentile(logNormal, 0.5) / 80).toBeCloseTo(1, 1);
    expect(percentile(logNormal, 0.99) / 800).toBeCloseTo(1, 0.7);
    const modes = drawn({
      modes: [
        { share: 0.9, ms: 100 },
        { share: 0.1, ms: 2_000 },
      ],
    });
    expect(new Set(modes)).toEqual(new Set([100, 2_000]));
    expect(modes.filter((ms) => ms === 2_000).length / modes.length).toBeCloseTo(0.1, 1.5);
    expect(() => readScript({ latency_ms: { modes: [{ share: 0.5, ms: 1 }] } })).toThrow('make 1');
  });

  test('drifts evenly, in a window from its beginning, and stays where it came to', () => {
    const latency_drift = { to: 3, over_ms: 1_000 };
    const whole = openBehaviour(readScript({ latency_ms: 100, latency_drift }), 500);
    expect([500, 1_000, 1_500, 9_000].map((at) => whole.decide(at, 1).latencyMs)).toEqual([100, 200, 300, 300]);
    const windowed = openBehaviour(readScript({ latency_ms: 100, timetable: [{ from_ms: 1_000, to_ms: 2_000, latency_drift }] }), 0);
    expect([999, 1_000, 1_500, 2_000].map((at) => windowed.decide(at, 1).latencyMs)).toEqual([100, 100, 200, 100]);
    expect(() => readScript({ latency_drift })).toThrow('needs latency_ms');
  });

  test('grows in proportion beyond in_flight_max', () => {
    expect(drawn(10, 5, 5)[0]).toBe(10);
    expect(drawn(10, 20, 5)[0]).toBe(40);
  });

  test('is really waited for, and longer under load', async () => {
    script({ latency_ms: 200, in_flight_max: 2 });
    const timed = async () => {
      const started = performance.now();
      await askNin();
      return performance.now() - started;
    };
    expect(await timed()).toBeGreaterThan(195);
    const together = await Promise.all(Array.from({ length: 8 }, timed));
    expect(Math.max(...together)).toBeGreaterThan(780);
    expect(simulator.stats().in_flight_max_seen).toBe(8);
  });
});

describe('the limit', () => {
  test('allows a burst, refuses what is beyond it, and refills', async () => {
    script({ limit: { per_second: 1, burst: 3, retry_after_seconds: 2 } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => askNin()));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(5);
    expect(refused[0]!.headers.get('retry-after')).toBe('2');
    await waitFor('an answer', async () => (await askNin()).status === 200);
  });

  test('lets exactly its rate through', () => {
    const behaviour = openBehaviour(readScript({ limit: { per_second: 50, burst: 1 } }), 0);
    const passed = Array.from({ length: 10_000 }, (_, i) => behaviour.decide(i, 1).limited).filter((limited) => !limited).length;
    expect(passed).toBeGreaterThanOrEqual(499);
    expect(passed).toBeLessThanOrEqual(501);
  });
});

describe('the timetable', () => {
  test('replaces what it names, within its window', () => {
    const behaviour = openBehaviour(
      readScript({
        ...{ latency_ms: 5, error_rate: 0.1 },
        timetable: [
          { from_ms: 100, to_ms: 200, down: true },
          { from_ms: 200, to_ms: 300, error_rate: 1, limit: { per_second: 1 } },
        ],
      }),
      1_000,
    );
    const at = (ms: number) => behaviour.at(1_000 + ms);
    expect(at(99)).toMatchObject({ down: false, error_rate: 0.1, limit: null });
    expect(at(100)).toMatchObject({ down: true, error_rate: 0.1, latency_ms: 5 });
    expect(at(200)).toMatchObject({ down: false, error_rate: 1, latency_ms: 5, limit: { per_second: 1 } });
    expect(at(300)).toMatchObject({ down: false, error_rate: 0.1, limit: null });
  });

  test('begins when the script is set, including over HTTP', async () => {
    const brownOut = { timetable: [{ from_ms: 0, to_ms: 800, error_rate: 1 }] };
    for (const set of [() => script(brownOut), () => send('PUT', '/_sim/script', { json: brownOut })]) {
      await set();
      expect((await askNin()).status).toBe(500);
      await waitFor('an answer', async () => (await askNin()).status === 200);
    }
  });
});

describe('the statistics', () => {
  test('know the worst second exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }), (gaps) => {
        const worst = new WorstSecond();
        const times: number[] = [];
        for (const gap of gaps) {
          times.push((times.at(-1) ?? 0) + gap);
          worst.add(times.at(-1)!);
        }
        const exact = times.map((end) => times.filter((time) => time > end - 1_000 && time <= end).length);
        expect(worst.most).toBe(Math.max(0, ...exact));
      }),
    );
    const crowded = new WorstSecond();
    for (let i = 0; i < 5_000; i++) crowded.add(i / 4);
    expect(crowded.most).toBe(4_000);
  });

  test('count over HTTP and start afresh when reset', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, i) => askNin(`7012345678${i % 10}`)));
    const stats = (await send('GET', '/_sim/stats')).json();
    expect(stats).toMatchObject({
      ...{ requests: 30, answered: 30, by_status: { 200: 30 }, by_path: { [NIN_PATH]: 30 }, in_flight: 0, worst_second: 30 },
      billed: { found: 30, distinct_subjects: 10 },
    });
    expect(Date.parse(stats.last_at)).toBeGreaterThanOrEqual(Date.parse(stats.first_at));
    const reset = await send('POST', '/_sim/reset');
    expect(reset.json()).toMatchObject({ requests: 0, worst_second: 0, first_at: null, billed: { found: 0, distinct_subjects: 0 } });
  });
});

describe('a script', () => {
  test.each<[string, unknown, string]>([
    ['an unknown member', { errors: 1 }, 'the script: Unrecognized key: "errors"'],
    ['a share above 1', { error_rate: 2 }, 'error_rate: '],
    ['shares that exceed the whole', { error_rate: 0.6, hang_rate: 0.6 }, 'the script: the shares of faults make 1.2'],
    ['an inverted latency range', { latency_ms: { min: 2, max: 1 } }, 'latency_ms: min must not be more than max'],
    ['a latency of unknown form', { latency_ms: 'slow' }, 'latency_ms: must be milliseconds'],
    ['a window that ends before it begins', { timetable: [{ from_ms: 5, to_ms: 4 }] }, 'timetable.0.to_ms: must be after from_ms'],
    [
      'windows that overlap',
      {
        timetable: [
          { from_ms: 5, to_ms: 9 },
          { from_ms: 8, to_ms: 12 },
        ],
      },
      'timetable.1.from_ms: overlaps with window 0',
    ],
    ['a share in a window', { timetable: [{ from_ms: 0, to_ms: 9, slow_body: { share: 3, ms: 1 } }] }, 'timetable.0.slow_body.share: '],
    ['load without latency', { in_flight_max: 3 }, 'in_flight_max: needs latency_ms'],
  ])('with %s is refused, naming the path, and the previous one stays', async (_, wrong, message) => {
    script({ error_rate: 1 });
    expect(() => readScript(wrong)).toThrow(message);
    const answer = await send('PUT', '/_sim/script', { json: wrong });
    expect(answer.status).toBe(400);
    expect(answer.json().error).toContain(message);
    expect((await askNin()).status).toBe(500);
  });

  test('has every member explained', () => {
    const schema = z.toJSONSchema(scriptSchema, { io: 'input' });
    const page = readFileSync(join(packageRoot(), 'docs/upstream-sim.md'), 'utf8');
    for (const member of Object.keys(schema.properties!)) if (member !== '$schema') expect(page).toContain(`| \`${member}\` |`);
    const [example] = /```json\n(\{[^`]+\})\n```/.exec(page)!.slice(1);
    expect(() => readScript(JSON.parse(example!))).not.toThrow();
  });
});

describe('confam upstream-sim', () => {
  afterAll(killConfams);

  test('says when it is ready, follows its script and ends at once', async () => {
    const path = join(folder, 'script.json');
    writeFileSync(path, JSON.stringify({ latency_ms: 60_000, timetable: [{ from_ms: 0, to_ms: 60_000, latency_ms: 0, error_rate: 1 }] }));
    const confam = startConfam(['upstream-sim', '--port', '0', '--script', path]);
    await waitFor('the line', () => confam.stdout().includes('\n'));
    const url = /^upstream-sim is ready at (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(confam.stdout())![1]!;
    expect((await fetch(`${url}${NIN_PATH}?nin=${NIN}`, { headers: KEYS })).status).toBe(500);
    await fetch(`${url}/_sim/script`, { method: 'PUT', body: JSON.stringify({ hang_rate: 1 }) });
    const hung = fetch(`${url}${NIN_PATH}?nin=${NIN}`, { headers: KEYS }).catch((error) => error);
    await waitFor('a request in progress', async () => (await (await fetch(`${url}/_sim/stats`)).text()).includes('"in_flight":1'));
    confam.signal('SIGTERM');
    const { code, ms } = await confam.ended();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(1_000);
    expect(await hung).toBeInstanceOf(Error);
  });

  test('refuses a script, naming the path of the fault', async () => {
    const path = join(folder, 'wrong.json');
    writeFileSync(path, JSON.stringify({ error_rate: 2 }));
    const confam = startConfam(['upstream-sim', '--script', path]);
    expect((await confam.ended()).code).toBe(1);
    expect(confam.stderr()).toMatch(/^error_rate: /);
  });
});
