/** Single calls over HTTP: envelope, entities, prices with and without the cache, scripted numbers, headers. */
import { describe, expect, test } from 'vitest';
import { aliases, spellings } from '../../src/api/aliases.ts';
import { checks } from '../../src/checks/catalog.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type Entity, openClient, sendRaw, useApi } from '../setup/api.ts';
import { BVN_FULL, NIN_ADVANCE as NIN_ADVANCE_TABLE } from '../setup/specification.ts';

const api = useApi();

const NIN = '70123456789';
const BVN = '22222222222';

/** From the specification ("Entity: NIN advance", "Entity: BVN full"), and FIELD.md §3.1-3.7 for what it leaves open. */
const NIN_BASIC = ['nin', 'firstname', 'surname', 'middlename', 'gender', 'birthdate', 'telephoneno'];
// Promised by the text of endpoint 6.
const NIN_ADVANCE = [...NIN_ADVANCE_TABLE, 'origin_state'];
const NIN_PREMIUM = [
  ...NIN_ADVANCE,
  'religion',
  'profession',
  'title',
  'email',
  'marital_status',
  'employment_status',
  'educational_level',
  'height',
  'maiden_name',
  'birth_country',
  'birth_state',
  'birth_lga',
  'origin_lga',
  'origin_place',
  'residence_town',
  'residence_status',
  'residence_address_line_2',
  'nspoken_lang',
  'ospoken_lang',
  'central_id',
  'nok_middlename',
  'nok_address_line_1',
  'nok_town',
  'nok_lga',
  'nok_state',
];
const NIN_SLIP = [
  'nin',
  'tracking_id',
  'surname',
  'firstname',
  'middlename',
  'gender',
  'birthdate',
  'telephoneno',
  'residence_address_line_1',
  'residence_lga',
  'residence_state',
  'photo',
];
const BVN_ADVANCE = [
  ...BVN_FULL,
  'phone_number2',
  'email',
  'image',
  'lga_of_origin',
  'lga_of_residence',
  'marital_status',
  'name_on_card',
  'nationality',
  'nin',
  'registration_date',
  'residential_address',
  'state_of_origin',
  'state_of_residence',
  'title',
  'watch_listed',
];

const NIN_PATH = '/api/v1/kyc/nin';
const BVN_PATH = '/api/v1/kyc/bvn';
const calls = [
  { path: NIN_PATH, query: `nin=${NIN}`, service: 'nin_basic', price: 125, cachedPrice: 50, members: NIN_BASIC },
  { path: `${NIN_PATH}/advance`, query: `nin=${NIN}`, service: 'nin_advance', price: 125, cachedPrice: 50, members: NIN_ADVANCE },
  { path: `${NIN_PATH}/premium`, query: `nin=${NIN}`, service: 'nin_premium', price: 150, cachedPrice: 50, members: NIN_PREMIUM },
  { path: `${NIN_PATH}/nin_slip`, query: `nin=${NIN}`, service: 'nin_slip', price: 125, cachedPrice: 50, members: NIN_SLIP },
  { path: BVN_PATH, query: `bvn=${BVN}`, service: 'bvn_match', price: 95, cachedPrice: 38, members: ['bvn'] },
  { path: `${BVN_PATH}/full`, query: `bvn=${BVN}`, service: 'bvn', price: 95, cachedPrice: 38, members: BVN_FULL },
  { path: `${BVN_PATH}/advance`, query: `bvn=${BVN}`, service: 'bvn_advance', price: 125, cachedPrice: 38, members: BVN_ADVANCE },
];
const byNumber = calls.map((call) => ({ ...call, number: (digits: string) => `${call.path}?${call.query.split('=')[0]}=${digits}` }));

const keys = (value: object) => Object.keys(value).sort();

function expectEnvelope(answer: Answer<Entity>, expected: { service: string; billed: number; cached: boolean }) {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(keys(answer.body)).toEqual(['billed_amount', 'cached', 'entity', 'meta', 'status']);
  expect(keys(answer.body.meta)).toEqual(['latency_ms', 'request_id', 'service']);
  expect(answer.body.status).toBe('success');
  expect(answer.body.billed_amount).toBe(expected.billed);
  expect(answer.body.cached).toBe(expected.cached);
  expect(answer.body.meta.service).toBe(expected.service);
  expect(answer.body.meta.request_id).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.headers.get('x-request-id')).toBe(answer.body.meta.request_id);
  expect(Number.isInteger(answer.body.meta.latency_ms)).toBe(true);
  expect(answer.body.meta.latency_ms).toBeGreaterThanOrEqual(0);
}

describe('each path of a single call', () => {
  test.each(calls)(
    '$path answers the envelope with exactly the declared members at $price, and from the cache at $cachedPrice',
    async ({ path, query, ...expected }) => {
      const app = await api.createApp({ naira: 1_000 });
      const first = await app.get(`${path}?${query}`);
      expectEnvelope(first, { service: expected.service, billed: expected.price, cached: false });
      expect(keys(first.body.entity)).toEqual([...expected.members].sort());
      expect(await app.wallet()).toEqual({ currency: 'NGX', available: 1_000 - expected.price, held: 0 });

      const second = await app.get(`${path}?${query}`);
      expectEnvelope(second, { service: expected.service, billed: expected.cachedPrice, cached: true });
      expect(second.body.entity).toEqual(first.body.entity);
      expect(await app.wallet()).toEqual({ currency: 'NGX', available: 1_000 - expected.price - expected.cachedPrice, held: 0 });
    },
  );

  test('every member of a NIN advance entity has the specified form', async () => {
    const app = await api.createApp();
    const { entity } = (await app.get(`${NIN_PATH}/advance?nin=${NIN}`)).body;
    for (const member of NIN_ADVANCE) expect(entity[member], member).toEqual(expect.any(String));
    expect(entity).toMatchObject({
      nin: NIN,
      firstname: 'Morenike',
      middlename: 'Precious',
      surname: 'Durojaiye',
      gender: 'FEMALE',
      birthdate: '1991-04-17',
      telephoneno: '09011111111',
      origin_state: 'Ogun',
    });
    for (const member of ['tracking_id', 'residence_state', 'residence_lga', 'residence_address_line_1', 'nok_firstname', 'nok_lastname'])
      expect(entity[member], member).not.toBe('');
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect(entity.photo).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(Buffer.from(String(entity.photo), 'base64').subarray(0, 8)).toEqual(png);
    expect(entity.signature).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/);
    expect(Buffer.from(String(entity.signature).split(',')[1]!, 'base64').subarray(0, 8)).toEqual(png);
  });

  test('every member of a BVN full entity has the specified form', async () => {
    const app = await api.createApp();
    const { entity } = (await app.get(`${BVN_PATH}/full?bvn=${BVN}`)).body;
    for (const member of BVN_FULL) expect(entity[member], member).toEqual(expect.any(String));
    expect(entity).toMatchObject({
      bvn: BVN,
      first_name: 'Morenike',
      middle_name: 'Precious',
      last_name: 'Durojaiye',
      date_of_birth: '1991-04-17',
      phone_number1: '09011111111',
      gender: 'Female',
    });
    expect(entity.enrollment_bank).toMatch(/^\d{3}$/);
    expect(entity.enrollment_branch).not.toBe('');
    expect(entity.level_of_account).toMatch(/^Level [1-3] - /);
  });

  test.each(byNumber)('$path answers record_not_found free of charge for a number not on record, however often', async ({ number }) => {
    const app = await api.createApp({ naira: 500 });
    for (let i = 0; i < 3; i++) {
      const answer = await app.get(number('00000000001'));
      expect(answer.status).toBe(404);
      expect(keys(answer.body)).toEqual(['code', 'error', 'meta', 'status']);
      expect(answer.body).toMatchObject({
        status: 'error',
        code: 'record_not_found',
        meta: { request_id: answer.headers.get('x-request-id') },
      });
      expect(await app.wallet()).toEqual({ currency: 'NGX', available: 500, held: 0 });
    }
  });

  test.each(byNumber)('$path keeps the leading zeros of a number', async ({ number, members }) => {
    const app = await api.createApp();
    const { entity } = (await app.get(number('00000000000'))).body;
    const own = entity[members[0]!];
    expect(typeof own === 'string' ? own : (own as { value: string }).value).toBe('00000000000');
  });
});

describe('the cache between tiers', () => {
  test('a richer NIN tier answers the poorer ones at the cached price with the same values', async () => {
    const app = await api.createApp();
    const premium = (await app.get(`${NIN_PATH}/premium?nin=12345678901`)).body;
    expect(premium).toMatchObject({ cached: false, billed_amount: 150 });
    for (const tier of ['', '/nin_slip', '/advance']) {
      const { body } = await app.get(`${NIN_PATH}${tier}?nin=12345678901`);
      expect(body).toMatchObject({ cached: true, billed_amount: 50 });
      expect(premium.entity).toMatchObject(body.entity);
    }
  });

  test('a poorer NIN tier never answers a richer one', async () => {
    const app = await api.createApp();
    for (const tier of ['', '/nin_slip', '/advance', '/premium']) {
      const { body } = await app.get(`${NIN_PATH}${tier}?nin=12345678901`);
      expect(body.cached, tier).toBe(false);
      for (const [member, value] of Object.entries(body.entity)) expect(value, member).toEqual(expect.any(String));
    }
    expect((await app.get(`${NIN_PATH}/premium?nin=12345678901`)).body.cached).toBe(true);
  });

  test('BVN advance answers full and match; full answers match; neither answers advance', async () => {
    const app = await api.createApp();
    expect((await app.get(`${BVN_PATH}?bvn=98765432101`)).body).toMatchObject({ cached: false, billed_amount: 95 });
    expect((await app.get(`${BVN_PATH}/full?bvn=98765432101`)).body).toMatchObject({ cached: true, billed_amount: 38 });
    expect((await app.get(`${BVN_PATH}/advance?bvn=98765432101`)).body).toMatchObject({ cached: false, billed_amount: 125 });
    expect((await app.get(`${BVN_PATH}/full?bvn=98765432101`)).body).toMatchObject({ cached: true, billed_amount: 38 });
    expect((await app.get(`${BVN_PATH}?bvn=98765432101`)).body).toMatchObject({ cached: true, billed_amount: 38 });
  });

  test('one app never learns from the cache what another looked up, unless both opt in to sharing', async () => {
    const [one, other] = [await api.createApp(), await api.createApp()];
    await one.get(`${NIN_PATH}?nin=12345678901`);
    expect((await other.get(`${NIN_PATH}?nin=12345678901`)).body).toMatchObject({ cached: false, billed_amount: 125 });
    const settings = { cacheScope: 'deployment', shareCache: true } as const;
    const [third, fourth] = [await api.createApp({ settings }), await api.createApp({ settings })];
    await third.get(`${NIN_PATH}?nin=12345678901`);
    expect((await fourth.get(`${NIN_PATH}?nin=12345678901`)).body).toMatchObject({ cached: true, billed_amount: 50 });
  });
});

describe('BVN match', () => {
  const match = async (query: Record<string, string>) => {
    const app = await api.createApp();
    const answer = await app.get(`${BVN_PATH}?${new URLSearchParams({ bvn: BVN, ...query })}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.entity;
  };

  test('only the supplied fields come back', async () => {
    expect(await match({})).toEqual({ bvn: { value: BVN, status: true } });
    expect(keys(await match({ last_name: 'Durojaiye' }))).toEqual(['bvn', 'last_name']);
    expect(keys(await match({ first_name: '', last_name: '  ', dob: '1991-04-17' }))).toEqual(['bvn', 'date_of_birth']);
  });

  test('names match whatever their case, accents, hyphens and spaces', async () => {
    for (const first_name of ['Morenike', 'MORENIKE', 'morenike ', 'Mórẹ́níkẹ́', 'More-Nike'])
      expect((await match({ first_name })).first_name, first_name).toEqual({
        value: first_name.trim(),
        status: true,
        confidence_value: 100,
      });
    expect(await match({ first_name: 'morenike', last_name: 'DUROJAIYE', dob: '1991-04-17' })).toEqual({
      bvn: { value: BVN, status: true },
      first_name: { value: 'morenike', status: true, confidence_value: 100 },
      last_name: { value: 'DUROJAIYE', status: true, confidence_value: 100 },
      date_of_birth: { value: '1991-04-17', status: true },
    });
  });

  test('a wrong surname or date of birth is a charged answer with status false', async () => {
    const app = await api.createApp({ naira: 200 });
    const { body } = await app.get(`${BVN_PATH}?bvn=${BVN}&first_name=Morenike&last_name=Okafor&dob=1991-04-18`);
    expect(body.billed_amount).toBe(95);
    expect(body.entity).toMatchObject({ first_name: { status: true }, last_name: { status: false }, date_of_birth: { status: false } });
    expect((body.entity.last_name as { confidence_value: number }).confidence_value).toBeLessThan(60);
    expect(await app.wallet()).toMatchObject({ available: 105, held: 0 });
  });

  test('an invalid date is refused by name', async () => {
    const app = await api.createApp({ naira: 200 });
    for (const dob of ['17-04-1991', '1991-02-30', '1991', 'x']) {
      const answer = await app.get(`${BVN_PATH}?bvn=${BVN}&dob=${dob}`);
      expect(answer.status).toBe(400);
      const message = `must be a date, YYYY-MM-DD${dob === '1991-02-30' ? '; there is no such day' : ''}`;
      expect(answer.body.details).toEqual([{ path: 'dob', message, rule: 'invalid_value' }]);
    }
    expect(await app.wallet()).toMatchObject({ available: 200, held: 0 });
  });
});

describe('scripted numbers of the sandbox', () => {
  test.each(byNumber)('$path: …3 answers 424 provider_failed, nothing is charged and the hold is released', async ({ number }) => {
    const app = await api.createApp({ naira: 500 });
    const answer = await app.get(number('00000000003'));
    expect(answer.status).toBe(424);
    expect(answer.body).toMatchObject({ status: 'error', code: 'provider_failed' });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 500, held: 0 });
    const holds = await api.service.sql`
      select 1 from holds h join jobs j on j.id = h.id where h.released_at is null and j.error_code = 'provider_failed'`;
    expect(holds).toHaveLength(0);
  });

  test('…4 answers after 3 s and reports its latency', async () => {
    const app = await api.createApp({ naira: 500 });
    const started = performance.now();
    const answer = await app.get(`${NIN_PATH}/advance?nin=00000000004`);
    expect(performance.now() - started).toBeGreaterThan(2_900);
    expectEnvelope(answer, { service: 'nin_advance', billed: 125, cached: false });
    expect(answer.body.meta.latency_ms).toBeGreaterThanOrEqual(2_900);
    expect(await app.wallet()).toMatchObject({ available: 375, held: 0 });
  });

  test('while …4 is in progress its price is held and not available', async () => {
    const app = await api.createApp({ naira: 200 });
    const slow = app.get(`${NIN_PATH}?nin=00000000004`);
    await expect.poll(() => app.wallet(), { timeout: 2_500 }).toEqual({ currency: 'NGX', available: 75, held: 125 });
    const refused = await app.get(`${NIN_PATH}?nin=12345678901`);
    expect(refused.status).toBe(402);
    expect((await slow).body.billed_amount).toBe(125);
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 75, held: 0 });
  });

  test('…5 (rate-limited once) and …6 (fails once) are found after an internal retry, charged once', async () => {
    const app = await api.createApp({ naira: 500 });
    const five = await app.get(`${NIN_PATH}/advance?nin=00000000005`);
    expectEnvelope(five, { service: 'nin_advance', billed: 125, cached: false });
    expect(five.body.meta.latency_ms).toBeGreaterThanOrEqual(950);
    const six = await app.get(`${BVN_PATH}/full?bvn=00000000006`);
    expectEnvelope(six, { service: 'bvn', billed: 95, cached: false });
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 280, held: 0 });
  });

  test('…7 is the only watch-listed BVN', async () => {
    const app = await api.createApp();
    expect((await app.get(`${BVN_PATH}/advance?bvn=00000000007`)).body.entity.watch_listed).toBe('YES');
    for (const bvn of ['00000000000', '00000000008', BVN])
      expect((await app.get(`${BVN_PATH}/advance?bvn=${bvn}`)).body.entity.watch_listed).toBe('NO');
  });
});

describe('headers and parameters', () => {
  test('the key is accepted with or without a scheme word, and header names in any case', async () => {
    const app = await api.createApp();
    const path = `${NIN_PATH}?nin=${NIN}`;
    for (const headers of [
      { Authorization: app.key, AppId: app.app },
      { Authorization: `Bearer ${app.key}`, AppId: app.app },
      { authorization: `bearer  ${app.key} `, appid: app.app },
      { AUTHORIZATION: app.key, APPID: app.app },
      { aPpId: app.app, authoriZATION: app.key },
    ] as Record<string, string>[])
      expect((await sendRaw(api.port, { path, headers })).status, JSON.stringify(Object.keys(headers))).toBe(200);
  });

  test('unknown query parameters are ignored, and a GET may have a Content-Type or not', async () => {
    const app = await api.createApp();
    expect((await app.get(`${NIN_PATH}?nin=${NIN}&foo=bar&__proto__=x&constructor=y&nin_=1&a[b]=c`)).status).toBe(200);
    expect((await app.get(`${NIN_PATH}?nin=${NIN}`, { 'Content-Type': 'application/json' })).status).toBe(200);
    expect((await sendRaw(api.port, { path: `${NIN_PATH}?nin=${NIN}`, headers: { Authorization: app.key, AppId: app.app } })).status).toBe(
      200,
    );
  });

  test('X-Request-Id is on every answer and equals meta.request_id', async () => {
    const app = await api.createApp();
    const job = (await app.job({ check: 'nin_basic', input: { nin: NIN } })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    // A ciphertext that does not open is our fault: a real 500.
    await spoilResult(job.id);
    const answers = [
      [200, await app.get(`${NIN_PATH}?nin=12345678901`)],
      [404, await app.get('/nowhere')],
      [404, await app.get(`${NIN_PATH}?nin=00000000001`)],
      [401, await openClient(api.url, '', '').get(`${NIN_PATH}?nin=${NIN}`)],
      [405, await app.send('DELETE', NIN_PATH)],
      [400, await app.get(`${NIN_PATH}?nin=1`)],
      [415, await app.post('/api/v1/jobs', 'x', { 'Content-Type': 'text/plain' })],
      [500, await app.get(`/api/v1/jobs/${job.id}`)],
    ] as const;
    const ids = new Set<string>();
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
      expect(answer.body.meta.request_id).toBe(answer.headers.get('x-request-id'));
      ids.add(answer.body.meta.request_id);
    }
    expect(ids.size).toBe(answers.length);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await app.get(path)).headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('a 500 says nothing of what went wrong', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: NIN } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    await spoilResult(id);
    const answer = await app.get(`/api/v1/jobs/${id}`);
    expect(answer.status).toBe(500);
    expect(keys(answer.body)).toEqual(['code', 'error', 'meta', 'status']);
    expect(answer.body).toMatchObject({ code: 'internal', error: 'Something went wrong on our side; quote the request id' });
  });

  test('HEAD on a read answers like GET, without a body', async () => {
    const app = await api.createApp();
    for (const path of ['/api/v1/wallet', '/api/v1/prices', '/api/v1/wallet/entries?format=csv', '/healthz', '/openapi.json']) {
      const [head, get] = [await app.send('HEAD', path), await app.get(path)];
      expect([head.status, head.text], path).toEqual([200, '']);
      expect(head.headers.get('content-type'), path).toBe(get.headers.get('content-type'));
    }
  });

  test('HEAD on a path that verifies is 405 with the allowed methods, and nothing is looked up or charged', async () => {
    const app = await api.createApp();
    const routes = [...checks.map((check) => check.route), ...aliases].flatMap(({ method, path }) =>
      spellings(path).map((spelling) => ({ method, path: spelling })),
    );
    const before = await app.wallet();
    for (const { path } of routes) {
      const declared = new Set(routes.filter((route) => route.path === path).map((route) => route.method));
      const answer = await app.send('HEAD', `${path}?nin=${NIN}&bvn=${BVN}&phone_number=08012345678`);
      expect([answer.status, answer.text], path).toEqual([405, '']);
      expect(answer.headers.get('allow')?.split(', ').sort(), path).toEqual([...declared].sort());
    }
    expect(await app.wallet()).toEqual(before);
    const [row] = await api.service.sql`
      select (select count(*)::int from jobs where app_id = ${parseId('app', app.app)}) as jobs,
             (select count(*)::int from holds where app_id = ${parseId('app', app.app)}) as holds`;
    expect(row).toEqual({ jobs: 0, holds: 0 });
  });
});

async function spoilResult(job: string): Promise<void> {
  const spoiled = await api.service.sql`update results set entity = '\\x0102'::bytea where job_id = ${parseId('job', job)}`;
  expect(spoiled.count).toBe(1);
}

describe('money that is spent during the cache look-up', () => {
  test.each([
    ['mostly missed', 0],
    ['mostly hit', 30],
  ])('with a cache that is %s: a cached call costs only its own price, even if the wallet covers no more', async (_, hits) => {
    const app = await api.createApp({ naira: 125 + 50 * (hits + 1) });
    expect((await app.get(`${NIN_PATH}?nin=70123456789`)).body).toMatchObject({ billed_amount: 125, cached: false });
    for (let i = 0; i <= hits; i++) {
      expect((await app.get(`${NIN_PATH}?nin=70123456789`)).body).toMatchObject({ billed_amount: 50, cached: true });
    }
    expect(await app.wallet()).toMatchObject({ available: 0, held: 0 });
    const refused = await app.get(`${NIN_PATH}?nin=70123456789`);
    expect(refused.status).toBe(402);
    const unasked = await app.get(`${NIN_PATH}?nin=70123456797`);
    expect(unasked.body).toMatchObject({ code: 'insufficient_funds', quote_amount: 125 });
    expect(await app.wallet()).toMatchObject({ available: 0, held: 0 });
    expect(await api.drift()).toBe(0);
  });
});
