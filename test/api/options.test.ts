/** Unknown options of a path: refused by name before anything is looked up or charged. Single calls accept any query, as their clients send it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { type Answer, type BatchEntity, type Entity, type TestApp, useApi } from '../setup/api.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'true' });
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 10_000 });
});

const NIN = '70123456789';
const JOB = { check: 'nin_basic', input: { nin: NIN } };
const ROWS = { checks: ['nin_basic'], rows: [{ nin: NIN }] };
const BATCH = 'bat_019ab1fc18a97a7475b6c08682369091';

function expectUnknown(answer: Answer<unknown>, path: string, likely?: string) {
  expect([answer.status, answer.body.code], answer.text).toEqual([400, 'invalid_request']);
  const detail = answer.body.details.find((detail) => detail.path === path);
  expect(detail, answer.text).toMatchObject({ rule: 'unknown_option' });
  if (likely) expect(detail!.message).toContain(`did you mean ${likely}`);
  expect(answer.body.error).toContain(path);
}

test.each([
  'jobs?reference=%E9t%E9',
  'batches?reference=100%',
  `batches/${BATCH}/jobs?reference=%zz`,
  'rows?reference=%ED%A0%80',
  'keys?name=%E0%A4%A',
])('an option that is not percent-encoded UTF-8 is refused, not searched for as it stands: GET %s', async (path) => {
  const { status, body } = await app.get(`/api/v1/${path}`);
  const [name] = path.split('?')[1]!.split('=');
  expect([status, body.details]).toEqual([400, [{ path: name, message: 'is not percent-encoded UTF-8', rule: 'invalid_encoding' }]]);
});

test('the deadline of a batch may be written in the query with a bare +, as times of filters may', async () => {
  const { status, text } = await app.csv('checks=nin_basic&start=manual&expires_at=2030-12-01T18:00:00+01:00', `nin\n${NIN}\n`);
  expect(status, text).toBe(202);
  expect((JSON.parse(text).entity as { expires_at: string }).expires_at).toBe('2030-12-01T17:00:00.000Z');
});

describe('an unknown query option is refused', () => {
  test.each([
    ['batches?checks=nin_basic&on_invlid=reject', 'on_invlid', 'on_invalid'],
    ['batches?checks=nin_basic&cach=refresh', 'cach', 'cache'],
    ['batches?check=nin_basic', 'check', 'checks'],
    ['batches?checks=nin_basic&mapping.nin=NIN', 'mapping.nin', 'mapping or map.nin'],
    ['batches/quote?checks=nin_basic&shet=Staff', 'shet', 'sheet'],
    ['jobs?wait=5', 'wait', undefined],
    ['webhooks/endpoints?url=https://example.com', 'url', undefined],
    [`batches/${BATCH}/retry?only=failed`, 'only', undefined],
  ])('POST %s', async (path, name, likely) => {
    const before = await app.wallet();
    expectUnknown(await app.post(`/api/v1/${path}`, `nin\n${NIN}\n`, { 'Content-Type': 'text/csv' }), name, likely);
    expect(await app.wallet()).toEqual(before);
  });

  test.each([
    ['batches?stauts=running', 'stauts', 'status'],
    [`batches/${BATCH}/results?outcomes=found`, 'outcomes', 'outcome'],
    [`batches/${BATCH}/jobs?pagesize=5`, 'pagesize', undefined],
    [`jobs/job_019ab1fc18a97a7475b6c08682369091?waits=3`, 'waits', 'wait'],
    ['wallet?mode=live', 'mode', undefined],
    ['wallet/entries?form=csv', 'form', 'format'],
    ['usage?groups=day', 'groups', 'group'],
    ['prices?check=nin_basic', 'check', undefined],
    ['webhooks/endpoints?limits=1', 'limits', 'limit'],
    ['aml/clearances?sourceid=x', 'sourceid', 'source_id'],
    ['sandbox/portraits?curser=x', 'curser', 'cursor'],
  ])('GET %s', async (path, name, likely) => expectUnknown(await app.get(`/api/v1/${path}`), name, likely));

  test.each([
    ['providers?since=2026-01-01', 'since', undefined],
    ['lists?limit=5', 'limit', undefined],
  ])('of the operator: GET admin/%s', async (path, name, likely) =>
    expectUnknown(await api.admin.get(`/api/v1/admin/${path}`), name, likely),
  );

  test('but not before the key is checked', async () => {
    const answer = await app.get('/api/v1/wallet?x=1', { Authorization: 'cf_test_wrong' });
    expect(answer.status).toBe(401);
  });

  test('and a name that may be somebody’s number is not repeated', async () => {
    const answer = await app.get(`/api/v1/wallet?${NIN}=1`);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain(NIN);
  });
});

test.each([
  ['jobs', { check: 'nin_basic', input: { nin: NIN }, metadata: JSON.parse('{"__proto__":"x","b":1}') }],
  ['jobs', { check: 'nin_basic', input: JSON.parse(`{"nin":"${NIN}","__proto__":{"x":1}}`) }],
  ['batches', { checks: ['nin_basic'], rows: [{ nin: NIN }], metadata: JSON.parse('{"__proto__":1}') }],
])('a member that would be dropped without a word is refused: POST %s', async (path, body) => {
  for (const text of [JSON.stringify(body), JSON.stringify(body).replace('__proto__', '\\u005f_proto__')]) {
    const answer = await app.post(`/api/v1/${path}`, text, { 'Content-Type': 'application/json' });
    expect([answer.status, answer.body.details?.[0]?.rule], answer.text).toEqual([400, 'reserved_name']);
  }
});

test('and so is a mapping of it in the query', async () => {
  const answer = await app.post('/api/v1/batches?checks=nin_basic&map.__proto__=nin', `nin\n${NIN}\n`, { 'Content-Type': 'text/csv' });
  expect([answer.status, answer.body.details]).toEqual([
    400,
    [{ path: 'mapping', message: 'has a member __proto__, which is not an accepted name', rule: 'reserved_name' }],
  ]);
});

describe('what is given twice is refused, so that nobody guesses which is meant', () => {
  function expectRepeated(answer: Answer<unknown>, path: string) {
    expect([answer.status, answer.body.code], answer.text).toEqual([400, 'invalid_request']);
    expect(answer.body.details).toEqual([{ path, message: 'is given more than once', rule: 'repeated' }]);
  }

  test.each([
    ['batches?checks=nin_basic&checks=nin_advance', 'checks'],
    ['batches?checks=nin_basic&reference=a&reference=b', 'reference'],
    ['batches?checks=nin_basic&map.nin=a&map.nin=b', 'map.nin'],
    ['batches/quote?checks=nin_basic&on_invalid=skip&on_invalid=reject', 'on_invalid'],
  ])('an option: POST %s', async (path, name) => {
    const before = await app.wallet();
    expectRepeated(await app.post(`/api/v1/${path}`, `nin\n${NIN}\n`, { 'Content-Type': 'text/csv' }), name);
    expect(await app.wallet()).toEqual(before);
  });

  test.each([
    ['batches?status=running&status=completed', 'status'],
    [`batches/${BATCH}/results?outcome=found&outcome=not_found`, 'outcome'],
    ['wallet/entries?format=csv&format=csv', 'format'],
  ])('a filter: GET %s', async (path, name) => expectRepeated(await app.get(`/api/v1/${path}`), name));

  test.each(['checks', 'map.nin', 'reference'])('a field of a form: %s', async (name) => {
    const fields = [...(name === 'checks' ? [] : [['checks', 'nin_basic']]), [name, '{}'], [name, 'nin_basic']];
    const parts = fields.map(([field, value]) => `--x\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`);
    const file = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nnin\n${NIN}\n\r\n--x--\r\n`;
    const answer = await app.post('/api/v1/batches', parts.join('') + file, { 'Content-Type': 'multipart/form-data; boundary=x' });
    expectRepeated(answer, name);
  });

  test.each([
    ['v1/verify/passport', '{"passport_number":"A00123456","last_name":"Wrong","last_name":"Durojaiye"}', 'last_name'],
    ['api/v1/jobs', `{"check":"nin_basic","input":{"nin":"${NIN}","nin":"70123456780"}}`, 'nin'],
    ['api/v1/aml/screening', '{"name":"Ade Bayo","name":"Other"}', 'name'],
  ])('a member: POST %s', async (path, body, name) => {
    const before = await app.wallet();
    expectRepeated(await app.post(`/${path}`, body, { 'Content-Type': 'application/json' }), name);
    expect(await app.wallet()).toEqual(before);
  });

  test.each<[string, string, (rows: string[]) => string]>([
    ['of NDJSON', 'application/x-ndjson', (rows) => rows.join('\n')],
    ['of a JSON document', 'application/json', (rows) => `{"checks":["nin_basic"],"rows":[${rows.join(',')}]}`],
    ['of an array of rows', 'application/json', (rows) => `[${rows.join(',')}]`],
  ])('a member of a row %s, which is invalid like any other', async (kind, type, fileOf) => {
    const file = fileOf([`{"nin":"${NIN}","nin":"70123456780"}`, `{"nin":"${NIN}"}`]);
    const query = kind === 'of a JSON document' ? '' : '?checks=nin_basic';
    const answer = await (await api.createApp()).post<BatchEntity>(`/api/v1/batches${query}`, file, { 'Content-Type': type });
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body.entity).toMatchObject({
      counts: { rows: 2, jobs: 1, invalid: 1 },
      errors: [{ path: 'nin', row: 1, message: 'Row 1 gives nin more than once', rule: 'repeated' }],
    });
  });

  test('an option of a JSON document', async () => {
    const answer = await app.post('/api/v1/batches', `{"checks":["nin_basic"],"checks":["nin_advance"],"rows":[{"nin":"${NIN}"}]}`, {
      'Content-Type': 'application/json',
    });
    expect([answer.status, answer.body.code, answer.body.details]).toMatchObject([
      400,
      'invalid_upload',
      [{ path: 'checks', rule: 'repeated' }],
    ]);
  });
});

describe('an unknown member of a body is refused', () => {
  test.each<[string, unknown, string, string?]>([
    ['jobs', { ...JOB, cahce: 'refresh' }, 'cahce', 'cache'],
    ['jobs', { ...JOB, consent: { reference: 'a', purpose: 'b', obtained_at: '2025-01-01T00:00:00Z', by: 'c' } }, 'consent.by'],
    ['jobs', { check: 'bvn_match', input: { bvn: '22222222222', first_nam: 'Ada' } }, 'input.first_nam', 'first_name'],
    ['batches', { ...ROWS, on_invlid: 'reject' }, 'on_invlid', 'on_invalid'],
    ['batches', { ...ROWS, 'map.nin': 'nin' }, 'map.nin', 'mapping'],
    ['batches/quote', { ...ROWS, row: [] }, 'row', 'rows'],
    ['webhooks/endpoints', { url: 'http://127.0.0.1:9/', event: ['job.completed'] }, 'event', 'events'],
  ])('POST %s', async (path, body, name, likely) => {
    const before = await app.wallet();
    expectUnknown(await app.post(`/api/v1/${path}`, body), name, likely);
    expect(await app.wallet()).toEqual(before);
  });

  test('of the operator', async () => {
    const { body } = await api.admin.post<{ id: string }>('/api/v1/admin/apps', { name: 'Other' });
    const path = `/api/v1/admin/apps/${body.entity.id}`;
    expectUnknown(await api.admin.post('/api/v1/admin/apps', { name: 'A', setings: {} }), 'setings', 'settings');
    expectUnknown(await api.admin.post('/api/v1/admin/apps', { name: 'A', settings: { daylyCap: 5 } }), 'settings.daylyCap', 'dailyCap');
    expectUnknown(await api.admin.post(`${path}/keys`, { mode: 'test', dailycap: 5 }), 'dailycap', 'daily_cap');
    expectUnknown(await api.admin.post(`${path}/topups`, { amount: 5, mod: 'test' }), 'mod', 'mode');
    expectUnknown(await api.admin.post(`${path}/prices`, { check: 'nin_basic', price: 5, cachedprice: 1 }), 'cachedprice', 'cached_price');
    const patch = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ settings: { weigth: 2 } }) };
    expectUnknown(await api.admin.send('PATCH', path, patch), 'settings.weigth', 'weight');
  });

  test('for a path that takes no options; an empty body and {} are accepted', async () => {
    const { body } = await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
    const path = `/api/v1/batches/${body.entity.id}`;
    expectUnknown(await app.post(`${path}/start`, { expires_at: '2030-01-01T00:00:00Z' }), 'expires_at');
    expect((await app.get<BatchEntity>(path)).body.entity.status).toBe('awaiting_start');
    expect((await app.post(`${path}/cancel`, {})).status).toBe(200);
  });

  test('for a link to results', async () => {
    const { body } = await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
    const path = `/api/v1/batches/${body.entity.id}`;
    expectUnknown(await app.post(`${path}/links`, { formt: 'xlsx' }), 'formt', 'format');
    expect((await app.post(`${path}/cancel`)).status).toBe(200);
  });
});

test('a value that is none of the accepted ones breaks the same rule in a query, a header and a body', async () => {
  const { body } = await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
  const path = `/api/v1/batches/${body.entity.id}`;
  const refusals: [string, Promise<Answer<Entity>>][] = [
    ['status', app.get('/api/v1/jobs?status=gone')],
    ['outcome', app.get(`${path}/jobs?outcome=maybe`)],
    ['flagged', app.get(`${path}/jobs?flagged=perhaps`)],
    ['format', app.get(`${path}/results?format=pdf`)],
    ['action', app.get('/api/v1/audit?action=nothing')],
    ['Audit-Purpose', app.get('/api/v1/audit', { 'Audit-Purpose': 'curiosity' })],
    ['on_invalid', app.post('/api/v1/batches', { ...ROWS, on_invalid: 'shrug' })],
    ['format', app.post(`${path}/links`, { format: 'pdf' })],
  ];
  for (const [name, asked] of refusals) expect((await asked).body.details, name).toMatchObject([{ path: name, rule: 'invalid_value' }]);
  expect((await app.post(`${path}/cancel`)).status).toBe(200);
});

test('an unknown form field is refused, before and after the file', async () => {
  const field = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nreject\r\n`;
  const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nnin\n${NIN}\n\r\n`;
  for (const parts of [`${field('on_invlid')}${file}`, `${file}${field('on_invlid')}`]) {
    const answer = await app.post('/api/v1/batches?checks=nin_basic', `${parts}--b--\r\n`, {
      'Content-Type': 'multipart/form-data; boundary=b',
    });
    expectUnknown(answer, 'on_invlid', 'on_invalid');
  }
});

test('a column addressed to a check that is none of its inputs is refused; result columns are not', async () => {
  const quote = (head: string) =>
    app.post('/api/v1/batches/quote?checks=bvn_match,nin_basic', `bvn,nin,${head}\n22222222222,${NIN},Ada\n`, {
      'Content-Type': 'text/csv',
    });
  const answer = await quote('bvn_match.first_nam');
  expect([answer.status, answer.body.details[0]]).toMatchObject([400, { path: 'bvn_match.first_nam', rule: 'unknown_column' }]);
  expect(answer.body.details[0]!.message).toContain('did you mean bvn_match.first_name?');
  for (const head of [
    'bvn_match.first_name',
    'BVN_match.notes',
    'nin_basic.status',
    'nin_basic.firstname',
    'nin_basic.entity.status',
    'notes',
  ])
    expect((await quote(head)).status, head).toBe(200);
});

test('a mapping is also accepted as JSON, and map.<input> wins', async () => {
  const query = new URLSearchParams({ checks: 'nin_basic', mapping: '{"nin":"Number","reference":"Ref"}', 'map.reference': 'Customer' });
  const text = `Number,Ref,Customer\n${NIN},a,b\n`;
  const { body } = await app.post<{ mapping: Entity }>(`/api/v1/batches/quote?${query}`, text, { 'Content-Type': 'text/csv' });
  expect(body.entity.mapping).toMatchObject({ nin: 'Number', reference: 'Customer' });
  for (const mapping of ['3', '[1]', '"nin"']) {
    query.set('mapping', mapping);
    const answer = await app.post(`/api/v1/batches/quote?${query}`, text, { 'Content-Type': 'text/csv' });
    expect([answer.status, answer.body.details[0]!.path.split('.')[0]], mapping).toEqual([400, 'mapping']);
  }
});

describe('a single call', () => {
  test('accepts unknown parameters, on our own paths and on those of other services’ clients', async () => {
    expect((await app.get(`/api/v1/kyc/nin?nin=${NIN}&utm=x`)).status).toBe(200);
    expect((await app.get(`/v1/kyc/nin?nin=${NIN}&utm=x`)).status).toBe(200);
    expect((await app.get('/api/v1/balance?x=1')).status).toBe(200);
    expect((await app.get('/api/v1/webhook/fetch?x=1')).status).toBe(200);
  });

  test('with cache=refresh looks up anew and costs the live price, in the query and in the body', async () => {
    const own = await api.createApp({ naira: 10_000 });
    const path = `/api/v1/kyc/nin?nin=${NIN}`;
    expect((await own.get(path)).body).toMatchObject({ cached: false, billed_amount: 125 });
    expect((await own.get(path)).body).toMatchObject({ cached: true, billed_amount: 50 });
    expect((await own.get(`${path}&cache=`)).body).toMatchObject({ cached: true, billed_amount: 50 });
    expect((await own.get(`${path}&cache=use`)).body).toMatchObject({ cached: true, billed_amount: 50 });
    expect((await own.get(`${path}&cache=refresh`)).body).toMatchObject({ cached: false, billed_amount: 125 });
    const preview = { passport_number: 'A00123456', last_name: 'x' };
    const refused = await own.post('/v1/verify/passport', { ...preview, cache: 'anew' });
    expect([refused.status, refused.body.details[0]]).toMatchObject([400, { path: 'cache' }]);
  });

  test('refuses another value of cache, free of charge', async () => {
    const before = await app.wallet();
    const answer = await app.get(`/api/v1/kyc/nin?nin=${NIN}&cache=refrsh`);
    expect([answer.status, answer.body.code, answer.body.details[0]!.path]).toEqual([400, 'invalid_request', 'cache']);
    expect(await app.wallet()).toEqual(before);
  });
});

describe('lists are equally forgiving', () => {
  const isOwnList = ({ method, who, path, options }: (typeof routes)[number]) =>
    method === 'get' && who === 'app' && !path.includes(':') && options?.includes('cursor');

  test('about an empty cursor: it is the first page', async () => {
    const lists = routes.filter(isOwnList).map(({ path }) => path);
    expect(lists.length).toBeGreaterThan(8);
    // One of them lists nothing without a reference.
    const given = (path: string) => (path === '/api/v1/rows' ? 'reference=c-1&' : '');
    for (const path of lists) expect((await app.get(`${path}?${given(path)}cursor=`)).status, path).toBe(200);
  });

  test('about an empty reference or time, and an unescaped + in a time', async () => {
    const { body } = await app.post('/api/v1/batches?checks=nin_basic', `nin\n${NIN}\n`, { 'Content-Type': 'text/csv' });
    const all = await app.get<{ data: Entity[] }>('/api/v1/batches?reference=');
    expect(all.body.entity.data.map(({ id }) => id)).toContain(body.entity.id);
    for (const path of ['batches', 'jobs', 'wallet/entries', 'audit'])
      for (const since of ['', '2026-11-21T09:30:00+01:00', '2026-11-21T09:30:00%2B01:00'])
        expect((await app.get(`/api/v1/${path}?since=${since}`)).status, `${path} ${since}`).toBe(200);
  });
});
