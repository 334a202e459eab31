/** Bad input of every kind gets the refusal envelope with a 4xx, never a 5xx, and nothing is billed, held or left behind. */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type BatchEntity, type Entity, openClient, sendBytes, sendRaw, type TestApp, useApi } from '../setup/api.ts';

const api = useApi({
  CONFAM_TRUSTED_PROXIES: '127.0.0.1',
  CONFAM_UPLOAD_BYTES_MAX: String(8 * 1024 * 1024),
  CONFAM_UPLOAD_ROWS_MAX: '5000',
});
/** What comes back to a request whose headers do not end. Begun before the tests, which take longer than the 15 seconds that it gets. */
let slowHeaders: Promise<string>;
beforeAll(() => {
  slowHeaders = sendBytes(api.port, 'GET /api/v1/wallet HTTP/1.1\r\nHost: x\r\nX-Slow: ', 60_000);
  // A run of a few tests ends the API first.
  slowHeaders.catch(() => {});
});
let app: TestApp;
beforeEach(async () => {
  app = await api.createApp({ naira: 1_000 });
});
/** Holds for every test here: a refused request cost nothing and left nothing. */
afterEach(async () => {
  expect(await app.wallet()).toEqual({ currency: 'NGX', available: 1_000, held: 0 });
  expect(await api.drift()).toBe(0);
  expect(await leftovers(app)).toEqual({ batches: 0, jobs: 0, holds: 0, waiting: 0, lanes: 0 });
});

async function leftovers({ app }: TestApp): Promise<Entity> {
  const own = parseId('app', app);
  const [row] = await api.service.sql`
    select (select count(*)::int from batches where app_id = ${own}) as batches, (select count(*)::int from jobs where app_id = ${own}) as jobs,
      (select count(*)::int from holds where app_id = ${own}) as holds, (select count(*)::int from waiting_jobs where app_id = ${own}) as waiting,
      (select count(*)::int from lanes where app_id = ${own}) as lanes`;
  return { ...row };
}

test('a NUL in any option of a list is a refusal', async () => {
  const lists = routes.filter(({ method, who, path, options }) => method === 'get' && who === 'app' && !path.includes(':') && options);
  const asked = lists.flatMap(({ path, options }) => options!.map((option) => `${path}?${option}=%00`));
  expect(asked.length).toBeGreaterThan(20);
  for (const path of asked) {
    const { status, text } = await app.get(path);
    expect(status, `${path} ${text}`).toBeLessThan(500);
  }
  for (const path of ['/api/v1/requests?route=%00', '/api/v1/batches?reference=a%00'])
    expect((await app.get(path)).body.details[0]).toMatchObject({ rule: 'invalid_characters' });
});

test('a day or time in a year outside 1000 to 9999 is a refusal', async () => {
  const { body } = await app.post('/api/v1/webhooks/endpoints', { url: 'https://example.com/hook' });
  const early = '0000-01-01T00:00:00Z';
  const late = '9999-12-31T23:59:59-12:00';
  const consent = JSON.stringify({ reference: 'r', purpose: 'p', obtained_at: early });
  const clearance = { name: 'Ada Bello', list: 'un', source_id: '1', reason: 'x', cleared_by: 'y', expires_at: late };
  const price = { check: 'nin_basic', price: 1, valid_from: early };
  const refused: [path: string, answer: Promise<Answer<Entity>>][] = [
    ...['0000-01-01', '0999-12-31', early, late].flatMap((at): [string, Promise<Answer<Entity>>][] => [
      ['since', app.get(`/api/v1/wallet/entries?since=${at}`)],
      ['until', app.get(`/api/v1/audit?until=${at}`)],
      ['since', app.get(`/api/v1/jobs?since=${at}`)],
      ['expires_at', app.post('/api/v1/keys', { expires_at: at })],
    ]),
    ['to', app.get('/api/v1/usage?to=0001-01-15')],
    ['from', api.admin.get('/api/v1/admin/providers?from=0000-01-01')],
    ['since', app.post(`/api/v1/webhooks/endpoints/${body.entity.id}/replay`, { since: early })],
    ['expires_at', app.post(`/api/v1/batches?checks=nin_basic&expires_at=${early}`, `nin\n${NIN}\n`, { 'Content-Type': 'text/csv' })],
    ['Consent.obtained_at', app.get(`/api/v1/kyc/nin?nin=${NIN}`, { Consent: consent })],
    ['expires_at', app.post('/api/v1/aml/clearances', clearance)],
    ['valid_from', api.admin.post(`/api/v1/admin/apps/${app.app}/prices`, price)],
  ];
  for (const [path, asked] of refused) {
    const answer = await asked;
    expect([answer.status, answer.body.details?.[0]?.path], answer.text).toEqual([400, path]);
  }
  // As some write "never".
  for (const expires_at of ['9999-12-31', '9999-12-31T23:59:59Z'])
    expect((await app.post('/api/v1/keys', { expires_at })).status).toBe(201);
  for (const path of ['usage?to=9999-12-31', 'usage?to=1000-01-01', 'audit?until=9999-12-31', 'wallet/entries?since=1000-01-01'])
    expect((await app.get(`/api/v1/${path}`)).status, path).toBe(200);
});

const NIN = '70123456789';
const JOB = { check: 'nin_basic', input: { nin: NIN } };
const json = { 'Content-Type': 'application/json' };

function expectRefused(answer: Answer<unknown>, status: number, code: string, about = '') {
  expect([answer.status, answer.body.code], `${about} ${answer.text.slice(0, 300)}`).toEqual([status, code]);
  const { status: marker, error, details, meta } = answer.body;
  expect(marker).toBe('error');
  expect(error).toEqual(expect.any(String));
  expect(error.length).toBeGreaterThan(5);
  expect(meta).toEqual({ request_id: answer.headers.get('x-request-id') });
  expect(meta.request_id).toMatch(/^req_[0-9a-f]{32}$/);
  for (const detail of details ?? []) expect(detail).toMatchObject({ path: expect.any(String), message: expect.any(String) });
  expect(answer.text).not.toMatch(/node_modules|\bat .+:\d+:\d+|postgres|zod|sql/i);
}

test('a browser that asks for another site, from the address bar or as a picture is refused before anything is looked up', async () => {
  const ask = async (from: TestApp, headers: Record<string, string>) => {
    const sent = { Authorization: from.key, AppId: from.app, ...headers };
    const { status, text } = await sendRaw(Number(new URL(api.url).port), { path: `/api/v1/kyc/nin?nin=${NIN}`, headers: sent });
    return [status, (JSON.parse(text) as { code: string }).code];
  };
  for (const headers of [
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
    { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
    { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
    { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
  ])
    expect(await ask(app, headers), JSON.stringify(headers)).toEqual([403, 'forbidden']);
  // A script of our own pages gets as far as the price, as a program does.
  const poor = await api.createApp({ naira: 0 });
  const harmless: Record<string, string>[] = [
    {},
    { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' },
    { 'Sec-Fetch-Mode': 'cors' },
  ];
  for (const headers of harmless) expect(await ask(poor, headers), JSON.stringify(headers)).toEqual([402, 'insufficient_funds']);
});

describe('a malformed job body', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const inMetadata = (value: string) => `{"check":"nin_basic","input":{"nin":"${NIN}"},"metadata":${value}}`;
  test.each<[string, string | Uint8Array, number, string]>([
    ['empty', '', 400, 'invalid_request'],
    ['malformed JSON', '{"check":"nin_basic",', 400, 'invalid_request'],
    ['malformed JSON after a whole document', `${JSON.stringify(JOB)}}`, 400, 'invalid_request'],
    ['binary junk', Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256), 400, 'invalid_request'],
    ['not UTF-8', Buffer.concat([Buffer.from('{"check":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]), 400, 'invalid_request'],
    ['null', 'null', 400, 'invalid_request'],
    ['an array', JSON.stringify([JOB]), 400, 'invalid_request'],
    ['text', '"nin_basic"', 400, 'invalid_request'],
    ['a raw NUL inside a text', '{"check":"nin\u0000basic","input":{}}', 400, 'invalid_request'],
    ['a NUL in the reference', JSON.stringify({ ...JOB, reference: 'a\u0000b' }), 400, 'invalid_request'],
    [
      'a lone surrogate in the reference',
      '{"check":"nin_basic","input":{"nin":"70123456789"},"reference":"a\\ud800b"}',
      400,
      'invalid_request',
    ],
    ['a lone surrogate in the NIN', '{"check":"nin_basic","input":{"nin":"7012345678\\udc00"}}', 400, 'invalid_request'],
    ['a lone surrogate in the check', '{"check":"\\ud800","input":{}}', 400, 'invalid_request'],
    ['a NUL in metadata', inMetadata('{"a":{"b":["\\u0000"]}}'), 400, 'invalid_request'],
    ['a NUL in a name of metadata', inMetadata('{"a\\u0000":1}'), 400, 'invalid_request'],
    ['a lone surrogate in metadata', inMetadata('{"a":"\\udfff"}'), 400, 'invalid_request'],
    ['a lone surrogate in a name of metadata', inMetadata('{"a":{"\\ud83d":1}}'), 400, 'invalid_request'],
    ['metadata nested 1,000 deep', inMetadata(`{"a":${nested(1_000)}}`), 400, 'invalid_request'],
    ['metadata nested 100,000 deep', inMetadata(`{"a":${nested(100_000)}}`), 400, 'invalid_request'],
    ['arrays nested 100,000 deep', nested(100_000), 400, 'invalid_request'],
    ['an input nested 100,000 deep', `{"check":"nin_basic","input":{"nin":${nested(100_000)}}}`, 400, 'invalid_request'],
    ['a __proto__ for the input', `{"check":"nin_basic","__proto__":{"input":{"nin":"${NIN}"}}}`, 400, 'invalid_request'],
    ['a __proto__ inside the input', `{"check":"nin_basic","input":{"__proto__":{"nin":"${NIN}"}}}`, 400, 'invalid_request'],
    ['300 KB of metadata', JSON.stringify({ ...JOB, metadata: { a: 'x'.repeat(300 * 1024) } }), 400, 'invalid_request'],
    ['32 MB of spaces', `${' '.repeat(32 * 1024 * 1024)}${JSON.stringify(JOB)}`, 413, 'payload_too_large'],
  ])('%s', async (about, body, status, code) => {
    expectRefused(await app.post('/api/v1/jobs', body, json), status, code, about);
  });

  test('in another content type, or in none, or declared compressed', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
      'application/jsonx',
      '',
    ])
      expectRefused(
        await app.post('/api/v1/jobs', JSON.stringify(JOB), type === '' ? {} : { 'Content-Type': type }),
        415,
        'unsupported_media_type',
        type,
      );
  });

  test('in JSON with a charset is accepted', async () => {
    const other = await api.createApp({ naira: 0 });
    // Read and understood: only the money is missing.
    const answer = await other.post('/api/v1/jobs', JSON.stringify(JOB), { 'Content-Type': 'Application/JSON; charset=utf-8' });
    expectRefused(answer, 402, 'insufficient_funds');
  });
});

test('an empty body is called empty', async () => {
  const answer = await app.post('/api/v1/jobs', '', json);
  expectRefused(answer, 400, 'invalid_request');
  expect(answer.body.error).toBe('The body is empty: send JSON');
});

describe('a malformed upload', () => {
  const csv = { 'Content-Type': 'text/csv' };
  const ndjson = { 'Content-Type': 'application/x-ndjson' };
  const junk = Uint8Array.from({ length: 20_000 }, (_, i) => (i * 7919 + (i >> 3)) % 256);
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.from(junk)]);
  const zip = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.from(junk)]);
  const document = (rest: string) => `{"checks":["nin_basic"],${rest}}`;
  const lines = (count: number) => `nin\n${`${NIN}\n`.repeat(count)}`;
  test.each<[string, Record<string, string>, string | Uint8Array, number, string, string]>([
    ['an empty CSV', csv, '', 400, 'invalid_upload', 'empty_file'],
    ['a CSV of blank lines', csv, '\n\r\n  \n', 400, 'invalid_upload', 'empty_file'],
    ['a CSV with only a header', csv, 'nin\n', 400, 'invalid_upload', 'header_only'],
    ['only a byte-order mark', csv, '\ufeff', 400, 'invalid_upload', 'empty_file'],
    ['binary junk as CSV', csv, junk, 400, 'invalid_upload', 'not_text'],
    ['a picture as CSV', csv, png, 400, 'invalid_upload', 'not_text'],
    ['a spreadsheet as CSV', csv, zip, 400, 'invalid_upload', 'not_text'],
    ['half a surrogate pair in UTF-16', csv, Buffer.from(`\ufeffnin\n${NIN}\n\ud800\n`, 'utf16le'), 400, 'invalid_upload', 'not_text'],
    ['half a character of UTF-16', csv, Buffer.from(`\ufeffnin\n${NIN}\n`, 'utf16le').subarray(0, -1), 400, 'invalid_upload', 'not_text'],
    [
      'UTF-8 with a Latin-1 letter in it',
      csv,
      Buffer.concat([Buffer.from(`nin,n\n${NIN},\u1ecd`), Buffer.from([0xe9, 0x0a])]),
      400,
      'invalid_upload',
      'not_text',
    ],
    ['a NUL among the first bytes of a CSV', csv, `nin\n${NIN}\u0000\n`, 400, 'invalid_upload', 'not_text'],
    [
      'half a surrogate pair in CSV bytes',
      csv,
      Buffer.concat([Buffer.from('nin,n\n1,'), Buffer.from([0xed, 0xa0, 0x80])]),
      400,
      'invalid_upload',
      'not_text',
    ],
    ['an unclosed quote', csv, `nin\n"${NIN}\n1\n2\n`, 400, 'invalid_upload', 'bad_quote'],
    ['a header with an unclosed quote', csv, `"nin\n${NIN}\n`, 400, 'invalid_upload', 'bad_quote'],
    ['two columns with the same name', csv, `nin,nin\n${NIN},1\n`, 400, 'invalid_upload', 'duplicate_column'],
    ['201 columns', csv, `nin,${Array.from({ length: 200 }, (_, i) => `c${i}`).join(',')}\n1\n`, 400, 'invalid_upload', 'too_many_columns'],
    ['a header of 1 MB', csv, `nin,${'x'.repeat(1024 * 1024)}\n${NIN},1\n`, 400, 'invalid_upload', 'header_too_large'],
    ['a row of 5 MB', csv, `nin,x\n${NIN},${'x'.repeat(5 * 1024 * 1024)}\n`, 400, 'invalid_upload', 'row_too_large'],
    ['more rows than allowed', csv, lines(5_001), 400, 'invalid_upload', 'too_many_rows'],
    ['no NIN column', csv, `bvn\n${NIN}\n`, 400, 'invalid_request', 'missing_column'],
    ['a file without a header', csv, `${NIN}\n${NIN}\n`, 400, 'invalid_request', 'missing_column'],
    ['an empty NDJSON', ndjson, '', 400, 'invalid_upload', 'empty_file'],
    ['an NDJSON of blank lines', ndjson, '\n\n', 400, 'invalid_upload', 'empty_file'],
    ['binary junk as NDJSON', ndjson, junk, 400, 'invalid_upload', 'not_text'],
    ['an empty document', json, '', 400, 'invalid_upload', 'empty_file'],
    ['binary junk as JSON', json, junk, 400, 'invalid_upload', 'not_text'],
    ['malformed JSON', json, document('"rows":[{"nin":]'), 400, 'invalid_upload', 'bad_json'],
    ['a document that breaks off', json, '{"checks":["nin_basic"],"rows":[{"nin":"7', 400, 'invalid_upload', 'bad_json'],
    ['a string as the document', json, '"x"', 400, 'invalid_upload', 'not_an_object'],
    ['no rows', json, '{"checks":["nin_basic"]}', 400, 'invalid_upload', 'missing_rows'],
    ['empty rows', json, document('"rows":[]'), 400, 'invalid_upload', 'no_rows'],
    ['rows that are an object', json, document('"rows":{"nin":1}'), 400, 'invalid_upload', 'rows_not_array'],
    [
      'options nested 100 deep',
      json,
      document(`"metadata":{"a":${'['.repeat(100)}${']'.repeat(100)}},"rows":[{"nin":"${NIN}"}]`),
      400,
      'invalid_upload',
      'too_deep',
    ],
    ['a document nested 100,000 deep', json, `{"a":${'['.repeat(100_000)}`, 400, 'invalid_upload', 'too_deep'],
    ['a NUL in an option', json, document(`"reference":"a\\u0000","rows":[{"nin":"${NIN}"}]`), 400, 'invalid_upload', 'invalid_characters'],
    [
      'a lone surrogate in an option',
      json,
      document(`"metadata":{"a":"\\ud800"},"rows":[{"nin":"${NIN}"}]`),
      400,
      'invalid_upload',
      'invalid_characters',
    ],
  ])('%s', async (about, headers, body, status, code, rule) => {
    const query = headers === json ? '' : '?checks=nin_basic';
    const answer = await app.post(`/api/v1/batches${query}`, body, headers);
    expectRefused(answer, status, code, about);
    expect(answer.body.details[0]!.rule).toBe(rule);
    expect(answer.text).not.toContain(NIN);
  });

  test('more bytes than allowed, declared or not', async () => {
    const body = lines(800_000);
    expectRefused(await app.csv('checks=nin_basic', body), 413, 'payload_too_large');
    const headers = { Authorization: app.key, AppId: app.app, 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked' };
    // Rows beyond the limit would be refused first.
    const raw = await sendRaw(api.port, {
      method: 'POST',
      path: '/api/v1/batches?checks=nin_basic',
      headers,
      body: `nin\n${' \n'.repeat(4_500_000)}`,
    });
    expect([raw.status, JSON.parse(raw.text).code]).toEqual([413, 'payload_too_large']);
  });

  test("a fault far into the file, while earlier rows are being stored, is still the client's refusal", async () => {
    const bad: [string, string, string][] = [
      ['text/csv', `nin\n${`${NIN}\n`.repeat(4_500)}"unclosed`, 'bad_quote'],
      ['text/csv', lines(5_001), 'too_many_rows'],
      ['application/json', document(`"rows":[${`{"nin":"${NIN}"},`.repeat(4_500)}}`), 'bad_json'],
    ];
    for (let round = 0; round < 5; round++) {
      for (const [type, body, rule] of bad) {
        const answer = await app.post(`/api/v1/batches${type === 'application/json' ? '' : '?checks=nin_basic'}`, body, {
          'Content-Type': type,
        });
        expectRefused(answer, 400, 'invalid_upload', `${rule}, round ${round}`);
        expect(answer.body.details[0]!.rule).toBe(rule);
      }
    }
  });

  test('with a format that contradicts its content type, or a sheet though it is no workbook', async () => {
    for (const [query, path] of [
      ['format=xlsx', 'format'],
      ['format=nope', 'format'],
      ['sheet=Staff', 'sheet'],
    ] as const) {
      const answer = await app.csv(`checks=nin_basic&${query}`, `nin\n${NIN}\n`);
      expectRefused(answer, 400, 'invalid_request', query);
      expect(answer.body.details[0]!.path).toBe(path);
    }
  });

  test.each(['[{"nin":"70123456789"}]', '5\n6\n', '"x"'])('as NDJSON that has no objects: %j', async (text) => {
    const answer = await app.post('/api/v1/batches?checks=nin_basic', text, { 'Content-Type': 'application/x-ndjson' });
    expectRefused(answer, 400, 'invalid_upload', text);
    expect(answer.body.details[0]).toMatchObject({ rule: 'not_an_object', row: 1 });
  });

  test('a compressed JSON body of anything but an upload', async () => {
    const body = JSON.stringify({ check: 'nin_basic', input: { nin: NIN } });
    for (const [coding, sent] of [
      ['gzip', gzipSync(body)],
      ['br', body],
    ] as const) {
      const answer = await app.post('/api/v1/jobs', sent, { 'Content-Type': 'application/json', 'Content-Encoding': coding });
      expectRefused(answer, 415, 'unsupported_media_type', coding);
      expect(answer.body.error).toContain('Content-Encoding');
    }
    const plain = { 'Content-Type': 'application/json', 'Content-Encoding': 'identity' };
    expectRefused(await app.post('/api/v1/jobs', '{}', plain), 400, 'invalid_request', 'identity');
  });

  test('in a charset that is not read', async () => {
    const job = JSON.stringify({ check: 'nin_basic', input: { nin: NIN } });
    const rows = JSON.stringify([{ nin: NIN }]);
    const sent = (path: string, body: string | Buffer, type: string) => app.post(path, body, { 'Content-Type': type });
    for (const charset of ['utf-16', 'ISO-8859-1', '"windows-1252"']) {
      const answer = await sent('/api/v1/jobs', Buffer.from(job, 'utf16le'), `application/json; charset=${charset}`);
      expectRefused(answer, 415, 'unsupported_media_type', charset);
      expect(answer.body.error).toBe('charset in the Content-Type must be one of utf-8, utf8, us-ascii; UTF-8 needs none');
    }
    for (const charset of ['UTF-8', '"utf-8"', 'us-ascii'])
      expectRefused(await sent('/api/v1/jobs', '{}', `application/json;charset=${charset}`), 400, 'invalid_request', charset);
    const quote = '/api/v1/batches/quote?checks=nin_basic';
    for (const [type, body] of [
      ['text/csv; charset=gb2312', `nin\n${NIN}\n`],
      ['text/csv; header=present; charset=iso-8859-15', `nin\n${NIN}\n`],
      ['application/json; charset=windows-1252', rows],
      ['application/x-ndjson; charset=latin1', rows.slice(1, -1)],
    ] as const) {
      const answer = await sent(quote, body, type);
      expectRefused(answer, 415, 'unsupported_media_type', type);
      expect(answer.body.error).toMatch(/^charset in the Content-Type must be one of utf-8, .*utf-16/);
    }
    for (const [type, body] of [
      ['text/csv; charset=windows-1252', Buffer.from(`nin,n\n${NIN},\xe9\n`, 'latin1')],
      ['text/csv; charset=UTF-16', Buffer.from(`\ufeffnin\n${NIN}\n`, 'utf16le')],
      ['application/json; charset=utf-16le', Buffer.from(rows, 'utf16le')],
    ] as const)
      expect((await sent(quote, body, type)).status, type).toBe(200);
  });

  test('in another content type, or in none', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'multipart/mixed; boundary=x', 'application/vnd.ms-excel', '']) {
      const answer = await app.post('/api/v1/batches?checks=nin_basic', `nin\n${NIN}\n`, type === '' ? {} : { 'Content-Type': type });
      expectRefused(answer, 415, 'unsupported_media_type', type);
      expect(answer.body.error).toContain('text/csv');
    }
  });

  test.each<[string, string, string]>([
    ['without checks', '', 'checks'],
    ['with empty checks', 'checks=', 'checks'],
    ['with checks that are commas', 'checks=,,%20,', 'checks'],
    ['with an unknown check', 'checks=nin_gold', 'checks'],
    ['with a known and an unknown check', 'checks=nin_basic,nin_gold', 'checks'],
    ['with 21 checks', `checks=${Array.from({ length: 21 }, (_, i) => `c${i}`).join(',')}`, 'checks'],
    ['with a NUL in the checks', 'checks=nin_basic%00', 'checks'],
    ['with another start', 'checks=nin_basic&start=later', 'start'],
    ['with another on_invalid', 'checks=nin_basic&on_invalid=ignore', 'on_invalid'],
    ['with another cache', 'checks=nin_basic&cache=no', 'cache'],
    ['with metadata that is not JSON', 'checks=nin_basic&metadata={', 'metadata'],
    ['with metadata that is not an object', 'checks=nin_basic&metadata=7', 'metadata'],
    ['with metadata nested deep', `checks=nin_basic&metadata={"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`, 'metadata'],
    ['with consent that is not JSON', 'checks=nin_basic&consent=yes', 'consent'],
    ['with an empty reference', 'checks=nin_basic&reference=', 'reference'],
    ['with a NUL in the reference', 'checks=nin_basic&reference=a%00b', 'reference'],
    ['with half a surrogate pair in the reference', 'checks=nin_basic&reference=%ED%A0%80', 'reference'],
    ['with a broken escape in the reference', 'checks=nin_basic&reference=100%', 'reference'],
    ['with a NUL in metadata', 'checks=nin_basic&metadata={"a":"%5Cu0000"}', 'metadata'],
    ['with a callback that is a script', 'checks=nin_basic&callback_url=javascript:alert(1)', 'callback_url'],
    ['with an empty mapping', 'checks=nin_basic&map.nin=', 'mapping.nin'],
    ['with a NUL in the mapping', 'checks=nin_basic&map.nin=n%00', 'mapping.nin'],
    ['with a mapping for nothing', 'checks=nin_basic&map.=nin', 'map.'],
  ])('%s', async (about, query, path) => {
    const answer = await app.csv(query, `nin\n${NIN}\n`);
    expectRefused(answer, 400, 'invalid_request', about);
    expect(answer.body.details.map((detail) => detail.path)).toContain(path);
  });

  test('the same wrong options in a document', async () => {
    const rows = [{ nin: NIN }];
    for (const [options, path] of [
      [{}, 'checks'],
      [{ checks: [] }, 'checks'],
      [{ checks: 7 }, 'checks'],
      [{ checks: [['nin_basic']] }, 'checks'],
      [{ checks: Array.from({ length: 21 }, (_, i) => `c${i}`) }, 'checks'],
      [{ checks: 'nin_basic', mapping: [] }, 'mapping'],
      [{ checks: 'nin_basic', mapping: { nin: 7 } }, 'mapping.nin'],
      [{ checks: 'nin_basic', mapping: { bvn: 'x' } }, 'map.bvn'],
      [{ checks: 'nin_basic', callback_url: 'javascript:alert(1)' }, 'callback_url'],
      [{ checks: 'nin_basic', metadata: [1] }, 'metadata'],
    ] as const) {
      const answer = await app.post('/api/v1/batches', { ...options, rows });
      expect([400, 413], JSON.stringify(options)).toContain(answer.status);
      if (path !== 'checks' || 'checks' in options) expectRefused(answer, 400, 'invalid_request', JSON.stringify(options));
      expect(answer.body.details?.map((detail) => detail.path) ?? ['checks'], JSON.stringify(options)).toContain(path);
    }
  });

  test('options are refused before the upload is read', async () => {
    const headers = { Authorization: app.key, AppId: app.app, 'Content-Type': 'text/csv', 'Content-Length': '1000000' };
    const text = await sendBytes(
      api.port,
      `POST /api/v1/batches?checks=nin_basic&start=later HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\nnin\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"invalid_request"');
  });
});

describe('unreadable rows do not spoil the upload', () => {
  const rows = async (type: string, body: string | Uint8Array) => {
    const answer = await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic&on_invalid=reject', body, { 'Content-Type': type });
    expectRefused(answer, 400, 'invalid_request');
    return answer.body.details.map((detail) => [detail.row, detail.rule]);
  };
  const big = 'x'.repeat(1024 * 1024);

  test('in CSV: a row of 1 MB, a stray quote, a cell too many, a NUL far in', async () => {
    const filler = `${NIN},\n`.repeat(4_990);
    const body = `nin,x\n${filler}${NIN},${big}\n${NIN},a"b\n${NIN},1,2\n${NIN},\u0000\n${NIN},ok\n`;
    expect(await rows('text/csv', body)).toEqual([
      [4_991, 'row_too_large'],
      [4_992, 'bad_quote'],
      [4_993, 'column_count'],
      [4_994, 'invalid_characters'],
    ]);
  });

  test('in NDJSON: a row of 1 MB, malformed JSON, a number for the NIN, NUL, lone surrogate, nesting, __proto__', async () => {
    const body = [
      JSON.stringify({ nin: NIN }),
      JSON.stringify({ nin: NIN, x: big }),
      '{"nin":',
      '{"nin":70123456789}',
      `{"nin":"${NIN}","x":"\\u0000"}`,
      `{"nin":"${NIN}","x":"\\ud800"}`,
      `{"nin":"${NIN}","x":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
      `{"__proto__":{"nin":"${NIN}"}}`,
      `{"nin":["${NIN}"]}`,
      `{"nin":"${NIN}","reference":{}}`,
    ].join('\n');
    expect(await rows('application/x-ndjson', body)).toEqual([
      [2, 'row_too_large'],
      [3, 'bad_json'],
      [4, 'invalid_type'],
      [5, 'invalid_characters'],
      [6, 'invalid_characters'],
      [7, 'too_deep'],
      [8, 'required'],
      [9, 'invalid_type'],
      [10, 'invalid_reference'],
    ]);
  });

  test('a NIN sent as a JSON number says why it is refused', async () => {
    const answer = await app.post('/api/v1/batches', { checks: ['nin_basic'], on_invalid: 'reject', rows: [{ nin: 70123456789 }] });
    expect(answer.body.details).toEqual([
      { path: 'nin', row: 1, rule: 'invalid_type', message: 'must be a string of 11 digits (a JSON number loses leading zeros)' },
    ]);
  });
});

describe('a single call with a wrong number', () => {
  test.each<[string, string, string]>([
    ['none', '', 'is required'],
    ['an empty one', 'nin=', 'must not be empty'],
    ['10 digits', 'nin=7012345678', 'must be 11 digits; this has 10, so a leading zero may have been lost'],
    ['12 digits', 'nin=701234567890', 'must be 11 digits'],
    ['a letter', 'nin=7012345678O', 'must be 11 digits'],
    ['a NUL after it', `nin=${NIN}%00`, 'must not contain control characters or unpaired surrogates'],
    ['half a surrogate pair', 'nin=7012345678%ED%A0%80', 'is not percent-encoded UTF-8'],
    ['a broken escape', `nin=${NIN}%`, 'is not percent-encoded UTF-8'],
    ['a broken UTF-8 escape', 'nin=%E0%A4%A', 'is not percent-encoded UTF-8'],
    ['two of them', `nin=${NIN}&nin=${NIN}`, 'is given more than once'],
    ['another name for it', `NIN=${NIN}`, 'is required; NIN is not taken: nin_advance takes nin'],
    ['an array', `nin[]=${NIN}`, 'is required; nin[] is not taken: nin_advance takes nin'],
    ['100 KB', `nin=${'7'.repeat(12_000)}`, 'must be 11 digits'],
  ])('%s', async (_, query, message) => {
    const answer = await app.get(`/api/v1/kyc/nin/advance?${query}`);
    expectRefused(answer, 400, 'invalid_request');
    expect(answer.body.details.map((detail) => [detail.path, detail.message])).toEqual([['nin', message]]);
    expect(answer.body.error).toBe(`nin ${message}`);
  });
});

describe('access control', () => {
  const paths = [
    ['GET', `/api/v1/kyc/nin?nin=${NIN}`],
    ['GET', `/api/v1/kyc/bvn/full?bvn=${NIN}`],
    ['POST', '/api/v1/jobs'],
    ['GET', `/api/v1/jobs/job_${'0'.repeat(32)}`],
    ['POST', '/api/v1/batches?checks=nin_basic'],
    ['GET', `/api/v1/batches/bat_${'0'.repeat(32)}`],
    ['POST', `/api/v1/batches/bat_${'0'.repeat(32)}/cancel`],
    ['GET', `/api/v1/batches/bat_${'0'.repeat(32)}/jobs`],
    ['GET', `/api/v1/batches/bat_${'0'.repeat(32)}/results`],
    ['GET', '/api/v1/wallet'],
  ] as const;

  test.each(paths)('%s %s answers 401 to a missing, wrong or mistyped key and to a missing or unknown AppId', async (method, path) => {
    const other = await api.createApp({ naira: 0 });
    const mistyped = `${app.key.slice(0, -1)}${app.key.endsWith('A') ? 'B' : 'A'}`;
    const wrong = `cf_test_${'0'.repeat(38)}`;
    for (const [about, id, key] of [
      ['no headers', '', ''],
      ['no key', app.app, ''],
      ['no AppId', '', app.key],
      ['a wrong key', app.app, wrong],
      ['a mistyped key', app.app, mistyped],
      ['a key of another scheme', app.app, `Basic ${app.key}`],
      ['words for a key', app.app, "' or 1=1 --"],
      ["another app's id", other.app, app.key],
      ['swapped', app.key, app.app],
      ['a key for an app', app.key, app.key],
      ['an unknown app', `app_${'0'.repeat(32)}`, app.key],
      ['a malformed app', '1', app.key],
    ] as const) {
      const answer = await openClient(api.url, id, key).send(method, path);
      expectRefused(answer, 401, 'unauthenticated', about);
      expect(answer.headers.get('www-authenticate'), about).toBe('ApiKey');
      expect(answer.text).not.toContain(app.key);
      if (about === 'swapped') expect(answer.body.error).toMatch('The Authorization header holds the id of an app');
      if (about === 'a key for an app') expect(answer.body.error).toMatch('The AppId header holds an API key');
      if (about === 'a key of another scheme') expect(answer.body.error).toMatch('The Authorization header holds a user and password');
      if (about === 'no AppId') expect(answer.body.error).toBe('The AppId header is missing: send the id of the app (app_…) as its value');
    }
  });

  test('an admin key acts for no app, and an app key is no admin', async () => {
    expectRefused(await openClient(api.url, app.app, api.admin.key).get('/api/v1/wallet'), 403, 'forbidden');
    expectRefused(await app.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 5 }), 403, 'forbidden');
    expectRefused(await openClient(api.url, '', '').post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 5 }), 401, 'unauthenticated');
  });

  test('a revoked key is refused from the very next request on', async () => {
    for (let i = 0; i < 25; i++) {
      const revoked = await api.createApp({ naira: 0 });
      expect((await revoked.get('/api/v1/wallet')).status).toBe(200);
      expect((await api.admin.post(`/api/v1/admin/keys/${revoked.keyId}/revoke`)).status).toBe(200);
      expectRefused(await revoked.get('/api/v1/wallet'), 401, 'unauthenticated', `round ${i}`);
      // Its app has another key, which still works.
      expect((await revoked.live.get('/api/v1/wallet')).status).toBe(200);
      expectRefused(await api.admin.post(`/api/v1/admin/keys/${revoked.keyId}/revoke`), 404, 'resource_not_found');
    }
  });

  test('an upload without a key is refused before it is read, however large', async () => {
    const answer = await openClient(api.url, app.app, '').csv('checks=nin_basic', `nin\n${`${NIN}\n`.repeat(500_000)}`);
    expectRefused(answer, 401, 'unauthenticated');
  });
});

describe('paths and methods', () => {
  test.each<[string, string, string]>([
    ['POST', '/api/v1/kyc/nin', 'GET'],
    ['POST', '/v1/kyc/nin', 'GET'],
    ['DELETE', '/api/v1/kyc/bvn/advance', 'GET'],
    ['PUT', '/api/v1/jobs', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/jobs', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/batches', 'GET, HEAD, POST'],
    ['PUT', `/api/v1/jobs/job_${'0'.repeat(32)}`, 'DELETE, GET, HEAD'],
    ['PATCH', `/api/v1/batches/bat_${'0'.repeat(32)}`, 'DELETE, GET, HEAD'],
    ['GET', `/api/v1/batches/bat_${'0'.repeat(32)}/cancel`, 'POST'],
    ['POST', `/api/v1/batches/bat_${'0'.repeat(32)}/results`, 'GET, HEAD'],
    ['POST', '/api/v1/wallet', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/wallet', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is 405 with Allow: %3$s', async (method, path, allow) => {
    const answer = await app.send(method, path);
    expectRefused(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow);
    expect(answer.body.error).toBe(`${method} is not allowed here; use ${answer.headers.get('allow')!.replaceAll(', ', ' or ')}`);
  });

  test('an unknown path is 404 for every method', async () => {
    for (const path of [
      '/api',
      '/api/v1',
      '/api/v1/',
      '/api/v2/jobs',
      '/api/v1/kyc',
      '/api/v1/kyc/nin/gold',
      '/api/v1/jobs/',
      '/API/V1/JOBS',
      '/.env',
      `/${NIN}`,
    ])
      for (const method of ['GET', 'POST', 'DELETE'])
        expectRefused(await app.send(method, path), 404, 'resource_not_found', `${method} ${path}`);
  });

  test('a path with a slash too many says so', async () => {
    for (const path of [`/api/v1/kyc/nin/?nin=${NIN}`, `//api/v1/kyc/nin?nin=${NIN}`, '/api/v1//jobs'])
      expect((await app.get(path)).body.error, path).toMatch(/no slash at the end/);
    expect((await app.get('/api/v1/nothing')).body.error).toBe('There is no such path; /docs/reference lists all');
  });

  test('malformed percent-encoding and odd characters in the path are a 404', async () => {
    for (const path of [
      '/api/v1/jobs/%',
      '/api/v1/jobs/%E0%A4%A',
      '/api/v1/jobs/%ED%A0%80',
      '/api/v1/jobs/%00',
      '/%',
      '/api/v1/jobs/a%2Fb',
      '/api/v1//jobs/x',
      '//example.com/api',
    ]) {
      const raw = await sendRaw(api.port, { path, headers: { Authorization: app.key, AppId: app.app } });
      expect([raw.status, JSON.parse(raw.text).code], path).toEqual([404, 'resource_not_found']);
    }
  });

  test('an id that is unknown, malformed or of another kind is 404 for every resource', async () => {
    for (const path of [
      `jobs/job_${'0'.repeat(32)}`,
      'jobs/1',
      `batches/bat_${'f'.repeat(32)}`,
      'batches/1',
      'batches/1/jobs',
      'batches/1/results',
    ])
      expectRefused(await app.get(`/api/v1/${path}`), 404, 'resource_not_found', path);
    for (const path of ['batches/1/start', `batches/bat_${'0'.repeat(32)}/cancel`])
      expectRefused(await app.post(`/api/v1/${path}`), 404, 'resource_not_found');
  });
});

describe('headers', () => {
  test('that are very long are a 4xx', async () => {
    for (const name of ['Authorization', 'AppId', 'X-Request-Id', 'Content-Type', 'X-Whatever']) {
      const raw = await sendRaw(api.port, { path: '/api/v1/wallet', headers: { AppId: app.app, [name]: 'x'.repeat(10_000) } });
      expect([raw.status, JSON.parse(raw.text).code], name).toEqual([401, 'unauthenticated']);
    }
  });

  test("a client's X-Request-Id is never taken over", async () => {
    const answer = await app.get('/api/v1/wallet', { 'X-Request-Id': NIN });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  // Side by side, because most answers are over only when nothing more has come for a while.
  test.concurrent.each([
    ['no Host', 'GET /api/v1/wallet HTTP/1.1\r\n\r\n', 400, 'malformed'],
    ['a Host with a space', 'GET /api/v1/wallet HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'malformed'],
    ['a Host with a path', 'GET /api/v1/wallet HTTP/1.1\r\nHost: exa^mple.com/x?y#z\r\n\r\n', 400, 'malformed'],
    ['a Host with an invalid port', 'GET /healthz HTTP/1.1\r\nHost: x:99999\r\n\r\n', 400, 'malformed'],
    ['a backslash in the path', 'GET /api\\v1/wallet HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed'],
    ['the whole server as target', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed'],
    ['an absolute URI with a bad port', 'GET http://x:99999/api/v1/wallet HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed'],
    [
      'an unknown expectation',
      'POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nExpect: x\r\nContent-Length: 2\r\n\r\n{}',
      417,
      'unknown_expectation',
    ],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed'],
    ['headers of 40 kB', `GET /api/v1/wallet HTTP/1.1\r\nHost: x\r\nX-Whatever: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'too_large'],
  ] as const)('a request with %s is refused in the envelope', async (_, bytes, status, rule) => {
    const answer = await sendBytes(api.port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const [head, body] = [answer.slice(0, answer.indexOf('\r\n\r\n')), answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)];
    expect(head).toMatch(/^x-request-id: req_[0-9a-f]{32}$/im);
    expect(JSON.parse(body)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^The request /),
      code: 'invalid_request',
      details: [{ path: 'request', rule }],
      meta: { request_id: expect.stringMatching(/^req_/) },
    });
  });

  test.concurrent('a bad escape in the path is a 404 in the envelope, with a key and without', async () => {
    for (const path of ['/%zz', '/api/v1/jobs/%', '/api/v1/batches/%C0%80/results']) {
      const answer = await sendBytes(api.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer, path).toMatch(/^HTTP\/1\.1 40[14] /);
      expect(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)), path).toMatchObject({ status: 'error' });
    }
  });

  test('that do not arrive in 15 seconds are a 408 in the envelope', async () => {
    const answer = await slowHeaders;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"rule":"timeout"');
  }, 60_000);

  test('HTTP/1.0 needs no Host', async () => {
    expect(await sendBytes(api.port, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('no funds', () => {
  test('a live call, a job and a batch are 402 with their quote, before anything is asked or stored', async () => {
    const poor = await api.createApp({ naira: 124 });
    const asked = async () => (await api.service.metrics.providerCalls.get()).values.reduce((sum, { value }) => sum + value, 0);
    const before = await asked();
    const call = await poor.get(`/api/v1/kyc/nin/advance?nin=${NIN}`);
    expectRefused(call, 402, 'insufficient_funds');
    expect(call.body.quote_amount).toBe(125);
    const job = await poor.job({ check: 'nin_premium', input: { nin: NIN } });
    expectRefused(job, 402, 'insufficient_funds');
    expect(job.body.quote_amount).toBe(150);
    const batch = await poor.csv('checks=nin_basic,bvn_full', `nin,bvn\n${NIN},${NIN}\nx,y\n${NIN},${NIN}\n`);
    expectRefused(batch, 402, 'insufficient_funds');
    expect(batch.body).toMatchObject({ quote_amount: 220, available_amount: 124 });
    expect(await poor.wallet()).toEqual({ currency: 'NGX', available: 124, held: 0 });
    expect(await leftovers(poor)).toMatchObject({ batches: 0, jobs: 0, holds: 0 });
    expect(await asked()).toEqual(before);
  });

  test('a batch with a manual start also needs its money at once', async () => {
    const poor = await api.createApp({ naira: 0 });
    expectRefused(await poor.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`), 402, 'insufficient_funds');
  });

  test("live and test money are separate: a test key does not spend the live key's", async () => {
    const other = await api.createApp({ naira: 0 });
    await api.admin.post(`/api/v1/admin/apps/${other.app}/topups`, { amount: 500, mode: 'live' });
    expectRefused(await other.get(`/api/v1/kyc/nin?nin=${NIN}`), 402, 'insufficient_funds');
    expect(await other.live.wallet()).toMatchObject({ available: 500 });
  });
});
