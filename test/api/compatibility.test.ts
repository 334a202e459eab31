/** Clients of this API family, unmodified: what their libraries send, and how they read the answer. */
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aliases } from '../../src/api/aliases.ts';
import { checks, findCheck } from '../../src/checks/catalog.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { openClient, type TestApp, useApi } from '../setup/api.ts';

const api = useApi({ CONFAM_REQUESTS_PER_MINUTE: '0', CONFAM_FACE_MODELS: '/nowhere', CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' });
let app: TestApp;
/** One connection for all calls, as their HTTP libraries keep it. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
beforeAll(async () => {
  app = await api.createApp();
});
afterAll(async () => {
  agent.destroy();
});

const NIN = '70123456789';
const BVN = '22222222222';

interface Call {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Received {
  status: number;
  body: { entity: unknown; error: unknown; [member: string]: unknown };
  /** Identifies the connection: the same for all calls that shared one. */
  localPort: number;
}

/** As axios 1 on Node sends it: its own header names and order, and what the generated libraries add. */
function axios({ method = 'GET', path, body, headers = {} }: Call, credentials: [string, string] = [app.key, app.app]): Promise<Received> {
  const data = body === undefined ? undefined : JSON.stringify(body);
  const [key, appId] = credentials;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: api.port,
        agent,
        method,
        path,
        headers: {
          Accept: 'application/json, text/plain, */*',
          'Content-Type': data === undefined ? 'application/x-www-form-urlencoded' : 'application/json',
          Authorization: key,
          AppId: appId,
          'User-Agent': 'Konfig/5.0.1/typescript',
          'Accept-Encoding': 'gzip, compress, deflate, br',
          ...(data !== undefined && { 'Content-Length': String(Buffer.byteLength(data)) }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        // Before the connection goes back to the agent.
        const { localPort } = response.socket;
        response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text), localPort: localPort! }));
      },
    );
    request.on('error', reject);
    request.end(data);
  });
}

/** How the Python library reads an answer: the entity of a 200; from anything else, an error with the text it finds. */
function entityOf({ status, body }: Received): unknown {
  if (status !== 200) throw new Error(`Failed to complete request, status=${status}, error_message=${body.error}`);
  return body.entity;
}

function query(path: string, members: Record<string, string | number>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) search.set(name, String(value));
  return `${path}?${search}`;
}

describe('a call as their libraries send it', () => {
  it('is answered over one kept-alive connection, whatever headers a GET brings', async () => {
    const answers = [
      await axios({ path: query('/api/v1/kyc/nin', { nin: Number(NIN) }) }),
      await axios({ path: query('/api/v1/kyc/nin', { nin: NIN }), headers: { 'Content-Type': 'application/json' } }),
      await axios({ path: query('/api/v1/kyc/nin', { nin: NIN, app_id: 'x', 'x[y]': 'z' }), headers: { 'content-type': '' } }),
      await axios({ path: query('/api/v1/kyc/nin', { nin: NIN }), body: {} }),
      await axios({ path: query('/api/v1/kyc/bvn', { bvn: Number(BVN) }), headers: { Connection: 'keep-alive', DNT: '1', Cookie: 'a=b' } }),
    ];
    for (const answer of answers) expect(entityOf(answer)).toBeTypeOf('object');
    expect(new Set(answers.map((answer) => answer.localPort)).size).toBe(1);
  });

  it('accepts header names in any case and a scheme before the key', async () => {
    const send = (headers: Record<string, string>) => fetch(`${api.url}/api/v1/kyc/nin?nin=${NIN}`, { headers });
    const spelled: Record<string, string>[] = [
      { AUTHORIZATION: app.key, APPID: app.app },
      { authorization: app.key, appid: app.app },
      { Authorization: `Bearer ${app.key}`, AppId: app.app },
    ];
    for (const headers of spelled) expect((await send(headers)).status).toBe(200);
  });

  it('takes a date of birth under either name, and refuses two that differ', async () => {
    const full = entityOf(await axios({ path: query('/api/v1/kyc/bvn/full', { bvn: BVN }) })) as Record<string, string>;
    const bvn = (members: Record<string, string>) => axios({ path: query('/api/v1/kyc/bvn', { bvn: BVN, ...members }) });
    const born = full.date_of_birth!;
    for (const dob of [undefined, '', born])
      expect(entityOf(await bvn({ date_of_birth: born, ...(dob !== undefined && { dob }) }))).toMatchObject({
        date_of_birth: { value: born, status: true },
      });
    const licence = { license_number: 'FKJ49409AB13' };
    const screened = { first_name: 'Musa', last_name: 'Balarabewa' };
    const refused: [Promise<Received>, number, string][] = [
      [bvn({ date_of_birth: '1990-02-30' }), 400, 'date_of_birth'],
      [bvn({ date_of_birth: born, dob: '1990-01-01' }), 400, 'date_of_birth'],
      [axios({ path: query('/api/v1/kyc/dl', { ...licence, date_of_birth: '1991-04-18' }) }), 422, 'date_of_birth'],
      [axios({ path: query('/api/v1/kyc/dl', { ...licence, dob: '1991-04-18' }) }), 422, 'dob'],
      [axios({ method: 'POST', path: '/v1/verify/drivers-license', body: { ...licence, dob: '1991-04-18' } }), 422, 'dob'],
      [axios({ method: 'POST', path: '/api/v1/aml/screening/platform', body: { ...screened, dob: '1990-02-30' } }), 400, 'dob'],
    ];
    for (const [asked, expected, path] of refused) {
      const { status, body } = await asked;
      expect([status, body.error]).toEqual([expected, expect.stringMatching(new RegExp(`^${path} `))]);
    }
  });

  it('compares a BVN with names and `dob`, with and without /api', async () => {
    const full = entityOf(await axios({ path: query('/api/v1/kyc/bvn/full', { bvn: BVN }) })) as Record<string, string>;
    for (const path of ['/api/v1/kyc/bvn', '/v1/kyc/bvn']) {
      const asked = { bvn: BVN, first_name: full.first_name!, last_name: full.last_name!, dob: full.date_of_birth! };
      expect(entityOf(await axios({ path: query(path, asked) }))).toMatchObject({
        bvn: { value: BVN, status: true },
        first_name: { status: true, confidence_value: 100 },
        last_name: { status: true },
        date_of_birth: { status: true },
      });
    }
  });

  it.each(checks.filter(({ route }) => route.path.startsWith('/api/v1/kyc/')).map(({ id, route }) => [id, route] as const))(
    '%s also has its path without /api',
    async (_, { method, path }) => {
      const send = (at: string) => axios({ method, path: at, ...(method === 'POST' && { body: {} }) });
      const [ours, theirs] = [await send(path), await send(path.replace('/api', ''))];
      expect(ours.status).toBe(400);
      expect({ ...theirs.body, meta: null }).toEqual({ ...ours.body, meta: null });
    },
  );
});

describe('the table of aliases', () => {
  it('names checks of the catalog and inputs that they have', () => {
    for (const alias of aliases) {
      const check = findCheck(alias.check);
      expect(check, `${alias.path} → ${alias.check}`).toBeDefined();
      expect(Object.keys(check!.input.shape), alias.path).toEqual(expect.arrayContaining(Object.keys(alias.names ?? {})));
    }
  });

  it('takes no path that a check has', () => {
    const own = new Set(checks.map(({ route }) => `${route.method} ${route.path}`));
    expect(aliases.filter(({ method, path }) => own.has(`${method} ${path}`))).toEqual([]);
  });

  it.each([
    ['bvn_full', '/api/v1/kyc/bvn/basic?bvn=22222222222'],
    ['bvn_full', '/v1/kyc/bvn/basic?bvn=22222222222'],
    ['cac_basic', '/api/v1/kyc/cac?rc_number=1432074&company_name=ANY'],
    ['cac_basic', '/v1/kyc/cac?rc_number=1432074&company_name=ANY'],
    ['drivers_license', '/api/v1/kyc/dl?license_number=FKJ494A2133'],
    ['pvc', '/api/v1/kyc/vin?mode=vin&vin=91F6B1F5BE29535558655586'],
    ['phone', '/api/v1/kyc/phone_number?phone_number=09011111111'],
    ['phone', '/api/v1/kyc/phone_number/basic?phone_number=09011111111'],
  ])('%s answers %s', async (check, path) => {
    const answer = await axios({ path });
    expect(entityOf(answer)).toBeTypeOf('object');
    expect(answer.body.meta).toMatchObject({ service: findCheck(check)!.service });
  });

  it.each([
    ['/api/v1/kyc/dl?license_number=FKJ494A2133&dob=2026-02-30', 'dob'],
    ['/api/v1/kyc/passport?passport_number=A00123456', 'surname'],
    ['/api/v1/kyc/vin?mode=dob&state=Lagos&first_name=A&last_name=B&dob=1990-01-31', 'vin'],
    ['/api/v1/kyc/bvn/basic?bvn=2222', 'bvn'],
  ])('refuses %s under the name that the client sent', async (path, member) => {
    const { status, body } = await axios({ path });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: member }]);
    expect(body.error).toMatch(new RegExp(`^${member} `));
  });

  it('screens a person whose name comes in parts', async () => {
    // docs/sandbox.md
    const person = { first_name: 'Musa', last_name: 'Balarabewa', date_of_birth: '1968-03-14' };
    const send = (body: unknown) => axios({ method: 'POST', path: '/api/v1/aml/screening/platform', body });
    for (const body of [
      person,
      { ...person, middle_name: null },
      { ...person, middle_name: 'Danjumare', match_score: 80, country: 'NG' },
    ]) {
      const answer = await send(body);
      expect(answer.body.meta).toMatchObject({ service: 'aml_screening' });
      expect(entityOf(answer)).toMatchObject({ sanctions_match: true, hits: [{ source_id: '9900001' }] });
    }
    // Without a country, none counts for or against anybody.
    const unplaced = (await send(person)).body.entity as { hits: { explanation: { country: unknown } }[] };
    expect(unplaced.hits[0]!.explanation.country).toMatchObject({ verdict: 'unknown', effect: 0 });
    const { body, status } = await send({ ...person, last_name: ['x'] });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: 'last_name', message: 'must be a string' }]);
    const unlettered = await send({ ...person, first_name: '12', last_name: '7' });
    expect([unlettered.status, unlettered.body.details]).toMatchObject([400, [{ path: 'last_name' }]]);
  });
});

describe('a photo ID body', () => {
  const image = '/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==';
  const send = (body: unknown) => axios({ method: 'POST', path: '/api/v1/kyc/photoid/verify', body });

  it.each(['photoid_image', 'photo_id'])(
    'with a selfie and %s is recognized by it: read, and refused where no engine compares faces',
    async (second) => {
      for (const selfie_image of [image, `data:image/jpeg;base64,${image}`]) {
        const answer = await send({ selfie_image, [second]: image, first_name: 'Adaeze', last_name: 'Okonjo-Bello' });
        expect(answer).toMatchObject({ status: 503, body: { code: 'provider_not_configured', error: expect.any(String) } });
      }
      for (const bad of [undefined, 7, '', '!', ['x']]) {
        const { status, body } = await send({ selfie_image: bad, [second]: image });
        expect([status, body.details]).toMatchObject([400, [{ path: 'selfie_image' }]]);
      }
      expect((await send({ selfie_image: image, [second]: null })).body.details).toMatchObject([{ path: second }]);
    },
  );

  it('with a null is read by the member that is supplied', async () => {
    const { status, body } = await send({ selfie_image: '!', photoid_image: null, photo_id: image });
    expect([status, body.details]).toMatchObject([400, [{ path: 'selfie_image' }]]);
  });

  it.each([{}, { photo_id: null }, { photoid_image: '' }])(
    "in the specification's form stays a different request, with %j too",
    async (other) => {
      const { status, body } = await send({ id_type: 'NIN', id_number: '7012', image, ...other });
      expect([status, body.details]).toMatchObject([400, [{ path: 'id_number' }]]);
    },
  );
});

describe('a refusal', () => {
  it('has its text at the top level, for every kind of refusal', async () => {
    const poor = await api.createApp({ naira: 1 });
    const path = query('/api/v1/kyc/nin', { nin: NIN });
    const refused: [number, Received][] = [
      [401, await axios({ path }, ['test_sk_wrong', app.app])],
      [401, await axios({ path }, [app.key, ''])],
      [401, await axios({ path }, [app.key, poor.app])],
      [402, await axios({ path }, [poor.key, poor.app])],
      [404, await axios({ path: query('/api/v1/kyc/nin', { nin: '00000000001' }) })],
      [400, await axios({ path: query('/api/v1/kyc/nin', { nin: Number('00123456789') }) })],
      [424, await axios({ path: query('/api/v1/kyc/nin', { nin: '00000000003' }) })],
      [404, await axios({ path: '/api/v1/kyc/nothing' })],
      [405, await axios({ method: 'POST', path, body: {} })],
    ];
    for (const [status, answer] of refused) {
      expect(answer.status).toBe(status);
      expect(answer.body.error).toBeTypeOf('string');
      expect(() => entityOf(answer)).toThrow(`status=${status}, error_message=${answer.body.error}`);
    }
  });

  it('tells a sender who lost a leading zero what happened', async () => {
    const { body } = await axios({ method: 'POST', path: '/api/v1/jobs', body: { check: 'nin_basic', input: { nin: 123456789 } } });
    expect(body.error).toMatch(/a JSON number loses leading zeros/);
  });
});

describe('the balance', () => {
  it('is text in naira', async () => {
    const mine = await api.createApp({ naira: 1234 });
    expect(entityOf(await axios({ path: '/api/v1/balance' }, [mine.key, mine.app]))).toEqual({ wallet_balance: '1234' });
    expect(entityOf(await axios({ path: '/api/v1/balance' }, [mine.live.key, mine.app]))).toEqual({ wallet_balance: '0' });
  });
});

describe('webhook subscriptions', () => {
  const subscribe = (own: TestApp, body: unknown) => axios({ method: 'POST', path: '/api/v1/webhook/subscribe', body }, [own.key, own.app]);
  const fetched = async (own: TestApp) =>
    entityOf(await axios({ path: '/api/v1/webhook/fetch' }, [own.key, own.app])) as { id: string; endpoint: string; service: string }[];

  it('are our own endpoints, made once, listed and deleted', async () => {
    const own = await api.createApp();
    const url = `${api.url}/hook`;
    const answer = await subscribe(own, { webhook: url, service: 'kyc_widget' });
    expect(entityOf(answer)).toBe('Subscribed to kyc_widget');
    const made = answer.body.webhook as { id: string; url: string; secret: string };
    expect(made).toMatchObject({ url, secret: expect.stringMatching(/^whsec_/) });
    expect((await own.get(`/api/v1/webhooks/endpoints/${made.id}`)).body.entity).toMatchObject({ url, events: [] });

    // A client that subscribes at every start gets no second endpoint, and does not see the secret again.
    expect((await subscribe(own, { webhook: url, service: 'kyc_widget' })).body.webhook).toMatchObject({ id: made.id, secret: null });
    expect(entityOf(await subscribe(own, { webhook: `${url}/2` }))).toBe('Subscribed to all');
    const direct = await own.post('/api/v1/webhooks/endpoints', { url: `${url}/direct` });
    expect(direct.status).toBe(201);
    expect((await fetched(own)).map(({ endpoint, service }) => [endpoint, service])).toEqual([
      [`${url}/direct`, 'all'],
      [`${url}/2`, 'all'],
      [url, 'kyc_widget'],
    ]);
    expect((await fetched(own))[2]).toMatchObject({ app_id: own.app, environment: 'sandbox', confirmation_status: 'active' });

    const remove = (path: string, body?: unknown) => axios({ method: 'DELETE', path, body }, [own.key, own.app]);
    expect(entityOf(await remove('/api/v1/webhook/delete', { service: 'kyc_widget' }))).toBe('Deleted 1 webhook');
    expect(entityOf(await remove('/api/v1/webhook/delete?webhook=https://elsewhere.example'))).toBe('Deleted 0 webhooks');
    expect(entityOf(await remove('/api/v1/webhook/delete'))).toBe('Deleted 1 webhook');
    expect((await fetched(own)).map(({ endpoint }) => endpoint)).toEqual([`${url}/direct`]);
  });

  it('are made once by instances of a client that start together', async () => {
    const own = await api.createApp();
    const start = (service: string) =>
      own.send('POST', '/api/v1/webhook/subscribe', {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ webhook: `${api.url}/hook`, service }),
      });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => start(i % 2 ? 'kyc' : 'sms')));
    const made = answers.map(({ status, body }) => ({
      status,
      ...(body as unknown as { webhook: { id: string; secret: string } }).webhook,
    }));
    expect(made.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
    expect(made.filter(({ secret }) => secret !== null)).toHaveLength(2);
    expect((await fetched(own)).map(({ service }) => service).sort()).toEqual(['kyc', 'sms']);
  });

  it('are not deleted by a misspelt filter, nor beyond any of the filters', async () => {
    const own = await api.createApp();
    for (const service of ['kyc', 'sms']) await subscribe(own, { webhook: `${api.url}/hook`, service });
    const remove = (path: string, body?: unknown) => axios({ method: 'DELETE', path, body }, [own.key, own.app]);
    const misspelt: [string, unknown, string][] = [
      ['?webhok=https://a.example', undefined, 'webhok'],
      ['', { Service: 'sms' }, 'Service'],
      ['', { service: 'sms', id: 'x' }, 'id'],
      ['?webhok=https://a.example', { service: 'sms' }, 'webhok'],
      ['', { service: null }, 'service'],
    ];
    for (const [search, body, member] of misspelt) {
      const refused = await remove(`/api/v1/webhook/delete${search}`, body);
      expect(refused.status, member).toBe(400);
      expect(refused.body.details, member).toMatchObject([{ path: member }]);
    }
    expect(await fetched(own)).toHaveLength(2);
    expect(entityOf(await remove('/api/v1/webhook/delete?service=sms', {}))).toBe('Deleted 1 webhook');
    expect(entityOf(await remove('/api/v1/webhook/delete?service=kyc', { webhook: 'https://elsewhere.example' }))).toBe(
      'Deleted 0 webhooks',
    );
    expect(entityOf(await remove('/api/v1/webhook/delete', {}))).toBe('Deleted 1 webhook');
    expect(await fetched(own)).toEqual([]);
  });

  it('refuses an invalid address, naming its member', async () => {
    for (const webhook of [undefined, 'not a url', 'http://x.example', 7, ['https://a.example']]) {
      const { status, body } = await subscribe(app, { webhook, service: 'sms' });
      expect(status).toBe(400);
      expect(body.details).toMatchObject([{ path: 'webhook' }]);
      expect(body.error).toBeTypeOf('string');
    }
  });

  it('go to all services if service is null or empty', async () => {
    const own = await api.createApp();
    for (const service of [null, ''])
      expect(entityOf(await subscribe(own, { webhook: `${api.url}/hook`, service }))).toBe('Subscribed to all');
    expect(await fetched(own)).toHaveLength(1);
  });

  it('are enabled again by subscribing, except one that somebody disabled', async () => {
    const own = await api.createApp();
    const again = async () => {
      const answer = await subscribe(own, { webhook: `${api.url}/hook` });
      return [entityOf(answer), answer.body.webhook] as [string, { id: string; disabled: boolean; failing_since: string | null }];
    };
    const [, { id }] = await again();
    for (const reason of ['gone', 'failing']) {
      await api.service
        .sql`update webhook_endpoints set disabled_at = now(), disabled_reason = ${reason}, failing_since = now() where id = ${parseId('whe', id)}`;
      expect(await again()).toMatchObject(['Subscribed to all', { id, disabled: false, disabled_reason: null, failing_since: null }]);
    }
    await own.send('PATCH', `/api/v1/webhooks/endpoints/${id}`, {
      headers: { 'Content-Type': 'application/json' },
      body: '{"disabled":true}',
    });
    expect(await again()).toMatchObject([
      expect.stringContaining('disabled by request'),
      { id, disabled: true, disabled_reason: 'requested' },
    ]);
  });

  it('belong to their app', async () => {
    const [mine, other] = [await api.createApp(), await api.createApp()];
    await subscribe(mine, { webhook: `${api.url}/mine`, service: 'sms' });
    expect(await fetched(other)).toEqual([]);
    await axios({ method: 'DELETE', path: '/api/v1/webhook/delete' }, [other.key, other.app]);
    expect(await fetched(mine)).toHaveLength(1);
    expect((await openClient(api.url, mine.app, '').get('/api/v1/webhook/fetch')).status).toBe(401);
  });
});
