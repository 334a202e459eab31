/** Single jobs over HTTP: accepted, polled, answered; scripted numbers through the queue; refusals. */
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type JobEntity, type TestApp, useApi } from '../setup/api.ts';

const api = useApi();

const NIN = '70123456789';
const UNKNOWN_ID = `job_${'0'.repeat(32)}`;

/** Submits, waits for the end, and returns the job. */
async function run(app: TestApp, body: Record<string, unknown>): Promise<JobEntity> {
  const answer = await app.job(body);
  expect(answer.status, answer.text).toBe(202);
  return app.ended<JobEntity>(`/api/v1/jobs/${answer.body.entity.id}`);
}

describe('a job', () => {
  test('is accepted with 202, Location and Retry-After, and read at that location with its result', async () => {
    const app = await api.createApp({ naira: 500 });
    const answer = await app.job({ check: 'nin_advance', input: { nin: NIN } });
    expect(answer.status).toBe(202);
    const { entity } = answer.body;
    expect(entity.id).toMatch(/^job_[0-9a-f]{32}$/);
    expect(answer.headers.get('location')).toBe(`/api/v1/jobs/${entity.id}`);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get('x-request-id')).toBe(answer.body.meta.request_id);
    expect(entity).toMatchObject({
      object: 'job',
      check: 'nin_advance',
      service: 'nin_advance',
      outcome: null,
      reference: null,
      metadata: null,
      batch: null,
      row: null,
      billed_amount: 0,
      error: null,
      completed_at: null,
      live: false,
      result: null,
    });
    expect(['queued', 'leased']).toContain(entity.status);

    const done = await app.ended<JobEntity>(answer.headers.get('location')!);
    expect(done).toMatchObject({
      id: entity.id,
      status: 'completed',
      outcome: 'found',
      billed_amount: 125,
      cached: false,
      attempts: 1,
      error: null,
    });
    expect(done.result).toMatchObject({ nin: NIN, firstname: 'Morenike', surname: 'Durojaiye' });
    expect(Date.parse(done.completed_at!)).toBeGreaterThanOrEqual(Date.parse(done.created_at));
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 375, held: 0 });
  });

  test('answers the same entity as the single call', async () => {
    const app = await api.createApp();
    const call = await app.get('/api/v1/kyc/bvn/full?bvn=22222222222');
    const job = await run(app, { check: 'bvn_full', input: { bvn: '22222222222' } });
    expect(job.result).toEqual(call.body.entity);
    expect(job).toMatchObject({ cached: true, billed_amount: 38, service: 'bvn' });
  });

  test('that finds no record completes as not_found and costs nothing', async () => {
    const app = await api.createApp({ naira: 500 });
    const job = await run(app, { check: 'nin_basic', input: { nin: '00000000001' } });
    expect(job).toMatchObject({ status: 'completed', outcome: 'not_found', billed_amount: 0, result: null, error: null });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 500, held: 0 });
  });

  test('echoes reference and metadata as they were sent', async () => {
    const app = await api.createApp();
    const metadata = { 'key with "quotes"': ['é', 1.5, null, { deep: true }], backslash: '\\u00' };
    const job = await run(app, { check: 'nin_basic', input: { nin: NIN }, reference: "it's № 7 \\ \t", metadata });
    expect(job).toMatchObject({ reference: "it's № 7 \\ \t", metadata });
  });

  test("with cache: 'refresh' looks up anew and is charged the live price; by default the cache answers", async () => {
    const app = await api.createApp({ naira: 500 });
    const body = { check: 'nin_basic', input: { nin: NIN } };
    expect(await run(app, body)).toMatchObject({ cached: false, billed_amount: 125 });
    expect(await run(app, body)).toMatchObject({ cached: true, billed_amount: 50 });
    expect(await run(app, { ...body, cache: 'use' })).toMatchObject({ cached: true, billed_amount: 50 });
    expect(await run(app, { ...body, cache: 'refresh' })).toMatchObject({ cached: false, billed_amount: 125 });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 150, held: 0 });
  });

  test('keeps the leading zeros of its number', async () => {
    const app = await api.createApp();
    expect((await run(app, { check: 'nin_basic', input: { nin: '00000000000' } })).result).toMatchObject({ nin: '00000000000' });
    expect((await run(app, { check: 'bvn_full', input: { bvn: '01234567890' } })).result).toMatchObject({ bvn: '01234567890' });
  });

  test('holds its price until it ends', async () => {
    const app = await api.createApp({ naira: 500 });
    const { body } = await app.job({ check: 'nin_premium', input: { nin: '00000000004' } });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 350, held: 150 });
    await app.ended(`/api/v1/jobs/${body.entity.id}`);
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 350, held: 0 });
  });

  test('accepts an optional input, and treats an empty one or null as absent', async () => {
    const app = await api.createApp();
    const job = await run(app, { check: 'bvn_match', input: { bvn: '22222222222', first_name: 'morenike', last_name: '', dob: null } });
    expect(job.result).toEqual({
      bvn: { value: '22222222222', status: true },
      first_name: { value: 'morenike', status: true, confidence_value: 100 },
    });
  });
});

describe('scripted numbers through the queue', () => {
  test('…3 fails after its attempts, says provider_failed, costs nothing', async () => {
    const app = await api.createApp({ naira: 500 });
    const job = await run(app, { check: 'nin_basic', input: { nin: '00000000003' } });
    expect(job).toMatchObject({
      status: 'failed',
      outcome: null,
      billed_amount: 0,
      attempts: 4,
      result: null,
      error: { code: 'provider_failed' },
    });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 500, held: 0 });
  });

  test('…5 and …6 are retried and complete as found, charged once', async () => {
    const app = await api.createApp({ naira: 500 });
    const [five, six] = await Promise.all(
      ['00000000005', '00000000006'].map((nin) => run(app, { check: 'nin_advance', input: { nin }, cache: 'refresh' })),
    );
    for (const job of [five!, six!]) expect(job).toMatchObject({ status: 'completed', outcome: 'found', billed_amount: 125, attempts: 2 });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 250, held: 0 });
  });

  test('…7 is watch-listed', async () => {
    const app = await api.createApp();
    expect((await run(app, { check: 'bvn_advance', input: { bvn: '00000000007' } })).result).toMatchObject({ watch_listed: 'YES' });
  });
});

describe('a job is refused, leaves nothing and costs nothing', () => {
  const valid = { check: 'nin_basic', input: { nin: NIN } };
  const zeros = 'must be a string of 11 digits (a JSON number loses leading zeros)';
  test.each<[string, unknown, { path: string; message?: string; rule?: string }[]]>([
    ['without a check', { input: { nin: NIN } }, [{ path: 'check', message: 'is required' }]],
    ['with an unknown check', { ...valid, check: 'nin_gold' }, [{ path: 'check', rule: 'unknown_check' }]],
    ['with a check named like a member of every object', { ...valid, check: 'constructor' }, [{ path: 'check', rule: 'unknown_check' }]],
    ['without an input', { check: 'nin_basic' }, [{ path: 'input' }]],
    ['with an array as input', { check: 'nin_basic', input: [NIN] }, [{ path: 'input' }]],
    ['with an empty input', { check: 'nin_basic', input: {} }, [{ path: 'input.nin', message: 'is required', rule: 'required' }]],
    [
      'with the input of another check',
      { check: 'nin_basic', input: { bvn: NIN } },
      [
        { path: 'input.nin', rule: 'required' },
        { path: 'input.bvn', rule: 'unknown_option' },
      ],
    ],
    ['with a NIN that is a JSON number', { check: 'nin_basic', input: { nin: 70123456789 } }, [{ path: 'input.nin', message: zeros }]],
    ['with a BVN that is a JSON number', { check: 'bvn_full', input: { bvn: 22222222222 } }, [{ path: 'input.bvn', message: zeros }]],
    ['with a NIN in an array', { check: 'nin_basic', input: { nin: [NIN] } }, [{ path: 'input.nin', message: zeros }]],
    [
      'with a NIN of 10 digits',
      { check: 'nin_basic', input: { nin: '7012345678' } },
      [{ path: 'input.nin', message: 'must be 11 digits; this has 10, so a leading zero may have been lost' }],
    ],
    [
      'with a NIN of 12 digits',
      { check: 'nin_basic', input: { nin: '701234567890' } },
      [{ path: 'input.nin', message: 'must be 11 digits' }],
    ],
    [
      'with a name of 1 MB',
      { check: 'bvn_match', input: { bvn: '22222222222', first_name: 'x'.repeat(2 ** 20) } },
      [{ path: 'input.first_name', message: 'must be at most 100 characters' }],
    ],
    ['with Arabic digits', { check: 'nin_basic', input: { nin: '٧٠١٢٣٤٥٦٧٨٩' } }, [{ path: 'input.nin', message: 'must be 11 digits' }]],
    [
      'with a NUL in the NIN',
      { check: 'nin_basic', input: { nin: `${NIN}\u0000` } },
      [{ path: 'input.nin', message: 'must not contain control characters or unpaired surrogates' }],
    ],
    ['with a bad date', { check: 'bvn_match', input: { bvn: NIN, dob: '17/04/1991' } }, [{ path: 'input.dob' }]],
    [
      'with several faults, names all',
      { check: 'bvn_match', input: { bvn: '1', dob: 'x' } },
      [{ path: 'input.bvn' }, { path: 'input.dob' }],
    ],
    ['with a reference that is a number', { ...valid, reference: 7 }, [{ path: 'reference', message: 'must be a string' }]],
    ['with an empty reference', { ...valid, reference: '' }, [{ path: 'reference', message: 'must not be empty' }]],
    ['with a reference of 201 characters', { ...valid, reference: 'x'.repeat(201) }, [{ path: 'reference' }]],
    ['with metadata that is text', { ...valid, metadata: 'x' }, [{ path: 'metadata' }]],
    ['with metadata of more than 4096 characters', { ...valid, metadata: { a: 'x'.repeat(4096) } }, [{ path: 'metadata' }]],
    ['with another cache mode', { ...valid, cache: 'never' }, [{ path: 'cache' }]],
    ['with a callback that is a script', { ...valid, callback_url: 'javascript:alert(1)' }, [{ path: 'callback_url' }]],
    ['with a callback that is a file', { ...valid, callback_url: 'file:///etc/passwd' }, [{ path: 'callback_url' }]],
    ['with a callback that holds a password', { ...valid, callback_url: 'https://u:p@example.com/' }, [{ path: 'callback_url' }]],
    ['with an invalid callback URL', { ...valid, callback_url: 'example.com' }, [{ path: 'callback_url' }]],
    [
      'with a consent that lacks members',
      { ...valid, consent: { reference: 'c' } },
      [{ path: 'consent.purpose' }, { path: 'consent.obtained_at' }],
    ],
  ])('%s', async (_, body, details) => {
    const app = await api.createApp({ naira: 500 });
    const answer = await app.job(body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({
      status: 'error',
      code: 'invalid_request',
      meta: { request_id: answer.headers.get('x-request-id') },
    });
    expect(answer.body.error.length).toBeGreaterThan(5);
    expect(answer.body.details).toHaveLength(details.length);
    for (const [i, detail] of details.entries()) expect(answer.body.details[i]).toMatchObject(detail);
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 500, held: 0 });
  });

  test('with a live key where no provider is configured', async () => {
    const app = await api.createApp();
    const answer = await app.live.job({ check: 'nin_basic', input: { nin: NIN } });
    expect([answer.status, answer.body.code]).toEqual([503, 'provider_not_configured']);
    expect((await app.live.get(`/api/v1/kyc/nin?nin=${NIN}`)).body.code).toBe('provider_not_configured');
  });

  test('if the wallet does not cover its price, with the quote', async () => {
    const app = await api.createApp({ naira: 124 });
    const answer = await app.job({ check: 'nin_basic', input: { nin: NIN } });
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ status: 'error', code: 'insufficient_funds', quote_amount: 125 });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 124, held: 0 });
    const [{ n } = { n: -1 }] = await api.service.sql<{ n: number }[]>`
      select count(*)::int as n from jobs where app_id = ${parseId('app', app.app)}`;
    expect(n).toBe(0);
  });
});

describe('a job stays hidden', () => {
  test('under an unknown id, a malformed id, or an id of another kind', async () => {
    const app = await api.createApp();
    for (const id of [
      UNKNOWN_ID,
      'job_1',
      'job_',
      `bat_${'0'.repeat(32)}`,
      UNKNOWN_ID.toUpperCase(),
      `${UNKNOWN_ID}0`,
      "job_'; drop table jobs",
      '%00',
      '..%2f..',
      NIN,
    ]) {
      const answer = await app.get(`/api/v1/jobs/${id}`);
      expect(answer.status, id).toBe(404);
      expect(answer.body, id).toMatchObject({ status: 'error', code: 'resource_not_found' });
    }
  });

  test("from another app or the other mode's key, with the answer of an unknown id", async () => {
    const [owner, stranger] = [await api.createApp(), await api.createApp()];
    const { id } = (await owner.job({ check: 'nin_basic', input: { nin: NIN } })).body.entity;
    const [theirs, unknown] = [await stranger.get(`/api/v1/jobs/${id}`), await stranger.get(`/api/v1/jobs/${UNKNOWN_ID}`)];
    expect(theirs.status).toBe(404);
    const { meta: _, ...told } = theirs.body;
    const { meta: __, ...toldOfUnknown } = unknown.body;
    expect(told).toEqual(toldOfUnknown);
    expect((await owner.live.get(`/api/v1/jobs/${id}`)).status).toBe(404);
    expect((await owner.get(`/api/v1/jobs/${id}`)).status).toBe(200);
  });

  test('as the record of a single call', async () => {
    const app = await api.createApp();
    await app.get(`/api/v1/kyc/nin?nin=${NIN}`);
    const [row] = await api.service.sql<{ id: string }[]>`
      select id from jobs where input is null and app_id = ${parseId('app', app.app)}`;
    expect((await app.get(`/api/v1/jobs/job_${row!.id.replaceAll('-', '')}`)).status).toBe(404);
  });
});

describe('the list of single jobs', () => {
  type JobPage = { data: (JobEntity & { result?: unknown })[]; has_more: boolean; next_cursor: string | null };
  const list = async (client: TestApp, query = '') => (await client.get<JobPage>(`/api/v1/jobs${query}`)).body.entity;
  const idsOf = ({ data }: JobPage) => data.map(({ id }) => id);

  test('has each once, newest first, page by page; batch rows, single calls and results are not in it', async () => {
    const app = await api.createApp();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await app.job({ check: 'nin_basic', input: { nin: `5000000000${i}` } })).body.entity.id);
    await app.get(`/api/v1/kyc/nin?nin=${NIN}`);
    await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: JobPage = await list(app, `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
    const { data } = await list(app);
    expect(idsOf({ data, has_more: false, next_cursor: null })).toEqual(made);
    expect(data.map((job) => [job.object, Object.hasOwn(job, 'result')])).toEqual(data.map(() => ['job', false]));
  });

  test('is filtered by status, outcome, check, reference and time', async () => {
    const app = await api.createApp();
    const found = (await app.job({ check: 'nin_basic', input: { nin: NIN }, reference: 'a' })).body.entity;
    const missing = (await app.job({ check: 'bvn_full', input: { bvn: '00000000001' }, reference: 'b' })).body.entity;
    for (const { id } of [found, missing]) await app.ended(`/api/v1/jobs/${id}`);
    const both = [missing.id, found.id];
    const after = new Date(Date.parse(missing.created_at) + 60_000).toISOString();
    const cases: [query: string, ids: string[]][] = [
      ['?status=completed', both],
      ['?status=completed,failed', both],
      ['?status=queued', []],
      ['?outcome=found', [found.id]],
      ['?outcome=not_found', [missing.id]],
      ['?check=bvn_full', [missing.id]],
      ['?reference=a', [found.id]],
      [`?since=${found.created_at}`, both],
      [`?until=${found.created_at}`, []],
      [`?since=${after}`, []],
      ['?check=nin_basic&outcome=not_found', []],
    ];
    for (const [query, ids] of cases) expect(idsOf(await list(app, query)), query).toEqual(ids);
  });

  test("refuses an invalid filter or cursor by name, and another app's cursor", async () => {
    const [app, other] = [await api.createApp(), await api.createApp()];
    for (const [query, path] of [
      ['status=done', 'status'],
      ['outcome=maybe', 'outcome'],
      ['check=nin_gold', 'check'],
      ['since=yesterday', 'since'],
      ['limit=0', 'limit'],
      ['cursor=nonsense', 'cursor'],
    ] as const) {
      const answer = await app.get(`/api/v1/jobs?${query}`);
      expect([answer.status, answer.body.details[0]!.path], query).toEqual([400, path]);
    }
    for (let i = 0; i < 2; i++) await app.job({ check: 'nin_basic', input: { nin: `5000000000${i}` } });
    const { next_cursor } = await list(app, '?limit=1');
    expect((await other.get(`/api/v1/jobs?cursor=${encodeURIComponent(next_cursor!)}`)).status).toBe(400);
    expect((await app.live.get(`/api/v1/jobs?cursor=${encodeURIComponent(next_cursor!)}`)).status).toBe(400);
    expect(await list(other)).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null });
    expect((await list(app.live as TestApp)).data).toEqual([]);
  });
});
