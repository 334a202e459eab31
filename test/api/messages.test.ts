/** What refusals tell people: which name was wrong and which is right, what is missing and how to get it, in our words rather than the validator's. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type TestApp, useApi } from '../setup/api.ts';
import { archive } from '../setup/zip.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 100 });
});

const NIN = '70123456789';
const CSV = { 'Content-Type': 'text/csv' };
const quote = (query: string, text: string | Uint8Array, headers: Record<string, string> = CSV) =>
  app.post(`/api/v1/batches/quote?${query}`, text, headers);

describe('an unknown check', () => {
  test('is named together with the likely ones: in a job, an upload and an agreed price', async () => {
    const { body } = await api.admin.post<{ id: string }>('/api/v1/admin/apps', { name: 'Other' });
    const answers = [
      await app.job({ check: 'nin_advanced', input: { nin: NIN } }),
      await quote('checks=nin_advanced', `nin\n${NIN}\n`),
      await api.admin.post(`/api/v1/admin/apps/${body.entity.id}/prices`, { check: 'nin_advanced', price: 1 }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.details[0]!.rule]).toEqual([400, 'unknown_check']);
      expect(answer.body.error).toMatch(/^"nin_advanced" is not a check; did you mean nin_advance/);
    }
  });

  test('that resembles none of ours points to the list of all; one that may be somebody’s number is not repeated', async () => {
    expect((await app.job({ check: 'zzzz', input: {} })).body.error).toContain('GET /api/v1/checks');
    expect((await app.job({ check: NIN, input: {} })).text).not.toContain(NIN);
  });
});

describe('a column that does not match', () => {
  test('is suggested in query form, so that the hint can be pasted', async () => {
    const answer = await quote('checks=bvn_full', 'Bvn & number of staff\n22222222222\n');
    expect(answer.body.details[0]!.message).toContain('send map.bvn=Bvn%20%26%20number%20of%20staff');
    const pasted = /map\.bvn=\S+/.exec(answer.body.details[0]!.message)![0];
    expect((await quote(`checks=bvn_full&${pasted}`, 'Bvn & number of staff\n22222222222\n')).status).toBe(200);
  });

  test('that was named and does not exist is reported, and another one suggested', async () => {
    const answer = await quote('checks=nin_basic&map.nin=Natoinal%20card', `National card,Name\n${NIN},Ada\n`);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0]!.message).toBe(
      'there is no column "Natoinal card" for the input "nin" of nin_basic; is it "National card"? then send map.nin=National%20card',
    );
    const none = await quote('checks=nin_basic&map.nin=Xyz', `nin,Name\n${NIN},Ada\n`);
    expect(none.body.details[0]!.message).toBe('there is no column "Xyz" for the input "nin" of nin_basic');
  });

  test.each(['NIN:Name', 'NIN^Name', 'NIN~Name', '"NIN,Name"', '"NIN;Name"', '"NIN|Name"'])(
    'because its line was not split is not suggested; the delimiters are: %s',
    async (header) => {
      for (const query of ['', '&map.nin=NIN']) {
        const answer = await quote(`checks=nin_basic${query}`, `${header}\n${header.replace('NIN', NIN)}\n`);
        expect([answer.status, answer.body.details[0]!.rule], answer.text).toEqual([400, 'missing_column']);
        expect(answer.body.error).toMatch(
          /The header has only one column: separate the cells by commas, semicolons, tabs or bars \(\|\), and/,
        );
        expect(answer.body).toMatchObject({ found_columns: [header.replaceAll('"', '')], suggested_mapping: {} });
        expect(answer.text).not.toContain('is it');
      }
    },
  );

  test.each(['Identity: NIN', 'NIN (11 digits, no spaces)'])('that is the only one of its file is still suggested: %s', async (name) => {
    const answer = await quote('checks=nin_basic&map.nin=x', `"${name}"\n${NIN}\n`);
    expect(answer.body.error).not.toContain('only one column');
    const mapped = await quote(`checks=nin_basic&map.nin=${encodeURIComponent(name)}`, `"${name}"\n${NIN}\n`);
    expect(mapped.status, mapped.text).toBe(200);
  });

  test("with a mistyped input's name leads to the input", async () => {
    const answer = await quote('checks=bvn_match&map.first_nam=Vorname', 'bvn,Vorname\n22222222222,Ada\n');
    expect(answer.body.details[0]).toMatchObject({
      path: 'map.first_nam',
      message: 'is not an input of bvn_match; did you mean first_name?',
    });
  });
});

describe('402 gives the price, the balance and the way to top up', () => {
  function expectHelp(answer: Answer<unknown>, price: number, live: boolean) {
    expect([answer.status, answer.body.code]).toEqual([402, 'insufficient_funds']);
    const [available, mode] = live ? [0, 'live'] : [100, 'test'];
    expect(answer.body).toMatchObject({ quote_amount: price, available_amount: available });
    expect(answer.body.error).toContain(`The price is ${price} NGX and the ${mode} wallet has ${available} NGX`);
    expect(answer.body.error).toContain(
      `POST /api/v1/admin/apps/${app.app}/topups with {"amount": ${price - available}, "mode": "${mode}"}`,
    );
  }
  test('to a call, a job and a batch', async () => {
    expectHelp(await app.get(`/api/v1/kyc/nin?nin=${NIN}`), 125, false);
    expectHelp(await app.job({ check: 'nin_basic', input: { nin: NIN } }), 125, false);
    expectHelp(await app.csv('checks=nin_basic', `nin\n${NIN}\n70123456780\n`), 250, false);
  });
});

describe('an unsupported spreadsheet is answered with advice to save it as XLSX or CSV', () => {
  const form = (name: string, bytes: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
      bytes,
      Buffer.from('\r\n--b--\r\n'),
    ]);
  const ods = archive([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'content.xml', content: '<x/>' },
    { name: 'META-INF/manifest.xml', content: '<x/>' },
  ]);
  const xlsb = archive([{ name: '[Content_Types].xml' }, { name: '_rels/.rels' }, { name: 'xl/workbook.bin' }]);
  const numbers = archive([{ name: 'Index/Document.iwa' }, { name: 'Metadata/Properties.plist' }]);
  const xls = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(8192)]);
  test.each([
    ['staff.ods', ods, /OpenDocument/],
    ['staff.xlsb', xlsb, /binary workbook/],
    ['staff.numbers', numbers, /Apple Numbers/],
    ['staff.xls', xls, /\.xls\b/],
  ])('%s', async (name, bytes, kind) => {
    const answer = await quote('checks=nin_basic', form(name, bytes), { 'Content-Type': 'multipart/form-data; boundary=b' });
    expect([answer.status, answer.body.details?.[0]?.rule], answer.text).toEqual([400, 'bad_workbook']);
    expect(answer.body.error).toMatch(kind);
    expect(answer.body.error).toContain('as XLSX or CSV');
  });

  test('recognized by its media type alone', async () => {
    for (const type of ['application/vnd.oasis.opendocument.spreadsheet', 'application/vnd.ms-excel']) {
      const answer = await quote('checks=nin_basic', ods, { 'Content-Type': type });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
      expect(answer.body.error).toContain('as XLSX or CSV');
    }
  });
});

test('rules are in our words, not the validator’s', async () => {
  const { body } = await api.admin.post<{ id: string }>('/api/v1/admin/apps', { name: 'Other' });
  const prices = `/api/v1/admin/apps/${body.entity.id}/prices`;
  const answers = [
    await app.get('/api/v1/kyc/bvn?bvn=22222222222&dob=31/12/1990'),
    await app.job({ check: 'bvn_match', input: { bvn: '22222222222', dob: '31/12/1990' } }),
    await app.job({ check: 'nin_basic', input: { nin: NIN }, callback_url: 'ftp://x' }),
    await app.post('/api/v1/batches', { checks: 7, rows: [{}] }),
    await app.get('/api/v1/wallet/entries?since=yesterday'),
    await app.get('/api/v1/usage?from=2026-02-02&to=2026-01-01'),
    await api.admin.post(prices, { check: 'nin_basic', price: 0.001 }),
    await api.admin.post(prices, { check: 'nin_basic', price: 1, cached_price: 2 }),
  ];
  for (const answer of answers) {
    expect(answer.status, answer.text).toBe(400);
    for (const { rule, message } of answer.body.details) {
      expect(rule, answer.text).toBe('invalid_value');
      expect(message).not.toMatch(/invalid input/i);
    }
  }
});

test('texts are plain too, where a schema has none of its own', async () => {
  const { body } = await app.post<{ id: string }>('/api/v1/keys', { name: 'x' });
  const job = { check: 'nin_basic', input: { nin: NIN } };
  const identifiers = [{ type: 'account', value: 'A1' }];
  const hook = { url: 'https://example.com/hook' };
  const refused: [answer: Promise<Answer<unknown>>, path: string, message: string, rule: string][] = [
    [app.job({ ...job, metadata: 'x' }), 'metadata', 'must be an object', 'invalid_type'],
    [app.job({ ...job, consent: true }), 'consent', 'must be an object', 'invalid_type'],
    [app.job({ ...job, reference: 7 }), 'reference', 'must be a string', 'invalid_type'],
    [app.job({ ...job, reference: [] }), 'reference', 'must be a string', 'invalid_type'],
    [
      app.job({ ...job, metadata: { id: 2 ** 53 } }),
      'metadata',
      'has a number beyond ±9007199254740991: send it as a string',
      'inexact_number',
    ],
    [app.job({ check: 'nin_basic' }), 'input', 'is required', 'required'],
    [
      app.send('PATCH', `/api/v1/keys/${body.entity.id}`, { headers: { 'Content-Type': 'application/json' }, body: '[]' }),
      '',
      'must be an object',
      'invalid_type',
    ],
    [app.post('/api/v1/keys', { scopes: [] }), 'scopes', 'must have at least 1 item', 'too_small'],
    [app.post('/api/v1/subjects/erase', {}), 'identifiers', 'is required', 'required'],
    [app.post('/api/v1/subjects/erase', { identifiers: [{}] }), 'identifiers.0.type', 'is required', 'required'],
    [
      app.post('/api/v1/subjects/erase', { identifiers }),
      'identifiers.0.type',
      'must be one of nin, bvn, phone, email, passport, drivers_license, voter_card, meter, tin, person',
      'invalid_value',
    ],
    [app.post('/api/v1/webhooks/endpoints', {}), 'url', 'is required', 'required'],
    [app.post('/api/v1/webhook/subscribe', {}), 'webhook', 'is required', 'required'],
    [app.post('/api/v1/webhooks/endpoints', { ...hook, disabled: 'yes' }), 'disabled', 'must be true or false', 'invalid_type'],
    [app.post('/api/v1/webhooks/endpoints', { ...hook, signing: 'v2' }), 'signing', 'must be one of v1, v1a', 'invalid_value'],
  ];
  for (const [answer, path, message, rule] of refused) {
    const { status, body } = await answer;
    expect([status, body.details]).toEqual([400, [{ path, message, rule }]]);
  }
});

test('a number out of range is told the limit, and one problem is told once', async () => {
  const { body } = await app.post<{ id: string }>('/api/v1/keys', { name: 'x' });
  const hook = { url: 'https://example.com/hook' };
  const endpoint = await app.post<{ id: string }>('/api/v1/webhooks/endpoints', hook);
  const rich = await api.createApp({ naira: 1_000 });
  const submitted = await rich.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
  const links = `/api/v1/batches/${submitted.body.entity.id}/links`;
  const rotate = `/api/v1/keys/${body.entity.id}/rotate`;
  const topUps = `/api/v1/admin/apps/${app.app}/topups`;
  const refused: [answer: Promise<Answer<unknown>>, error: string][] = [
    [app.post('/api/v1/webhooks/endpoints', { ...hook, rate_per_second: 0 }), 'rate_per_second must be at least 1'],
    [app.post('/api/v1/webhooks/endpoints', { ...hook, rate_per_second: 1001 }), 'rate_per_second must be at most 1000'],
    [app.post('/api/v1/webhooks/endpoints', { ...hook, rate_per_second: 1.5 }), 'rate_per_second must be a whole number'],
    [rich.post(links, { expires_in_seconds: 604_801 }), 'expires_in_seconds must be at most 604800'],
    [rich.post(links, { expires_in_seconds: 0.5 }), 'expires_in_seconds must be a whole number'],
    [app.post(rotate, { overlap_seconds: -1 }), 'overlap_seconds must be at least 0'],
    [app.post('/api/v1/keys', { daily_cap: -1 }), 'daily_cap must be at least 0'],
    [app.post('/api/v1/keys', { daily_cap: 1e300 }), 'daily_cap must be at most 1000000000'],
    [app.post('/api/v1/keys', { expires_at: 'tomorrow' }), 'expires_at must be a date or an ISO time with an offset'],
    [api.admin.post(topUps, { amount: -5 }), 'amount must be more than 0'],
    [api.admin.post(topUps, { amount: 0 }), 'amount must be more than 0'],
    [api.admin.post(topUps, { amount: '5' }), 'amount must be a number'],
    [app.csv('checks=nin_basic&expires_at=tomorrow', `nin\n${NIN}\n`), 'expires_at must be an ISO time with an offset'],
    [
      app.post(`/api/v1/webhooks/endpoints/${endpoint.body.entity.id}/replay`, { since: 'yesterday' }),
      'since must be an ISO 8601 date and time',
    ],
    [app.get('/api/v1/usage?from=yesterday'), 'from must be a day: YYYY-MM-DD'],
  ];
  for (const [answer, error] of refused) {
    const { status, body } = await answer;
    expect([status, body.error, body.details?.length]).toEqual([400, error, 1]);
  }
});

test.each([
  ['email', 'email=%20'],
  ['email', 'email='],
  ['tin', 'tin='],
  ['cac/basic', 'rc_number='],
  ['cac/basic', 'rc_number=%20'],
  ['nin', 'nin='],
  ['bvn/full', 'bvn=%20'],
  ['passport', 'passport_number=&surname=Obi'],
])('an input that is sent empty is told so: %s?%s', async (check, query) => {
  const { status, body } = await app.get(`/api/v1/kyc/${check}?${query}`);
  const [path] = query.split('=');
  expect([status, body.details]).toEqual([400, [{ path, message: 'must not be empty', rule: 'empty' }]]);
});

test('so is a member of a body', async () => {
  const erased = await app.post('/api/v1/subjects/erase', { identifiers: [{ type: 'email', value: ' ' }] });
  expect(erased.body.details).toEqual([{ path: 'identifiers.0.value', message: 'must not be empty', rule: 'empty' }]);
  const screened = await app.post('/api/v1/aml/screening', { name: '' });
  expect(screened.body.details).toEqual([{ path: 'name', message: 'must not be empty', rule: 'empty' }]);
  const { body } = await app.post('/api/v1/webhooks/endpoints', { url: '' });
  expect(body.details).toEqual([{ path: 'url', message: 'must not be empty', rule: 'empty' }]);
});

describe('a picture', () => {
  const owner = { id_type: 'NIN', id_number: NIN };
  test('under another name, or a video in its place: the answer says what is accepted', async () => {
    for (const name of ['photo', 'video']) {
      const answer = await app.post('/v1/verify/biometrics/face-match', { ...owner, [name]: 'AAAA' });
      expect([answer.status, answer.body.details[0]]).toMatchObject([400, { path: 'image', rule: 'required' }]);
      expect(answer.body.error).toContain(
        `image is required; ${name} is not taken: face_match takes id_type, id_number, image (JPEG, PNG or WebP in base64)`,
      );
    }
  });

  test.each(['', ' ', 'data:image/png;base64,'])('that is empty is told so, like any other text: "%s"', async (image) => {
    const { status, body } = await app.post('/v1/verify/biometrics/face-match', { ...owner, image });
    const details = [{ path: 'image', message: 'must not be empty', rule: 'empty' }];
    expect([status, body.code, body.details]).toEqual([400, 'invalid_request', details]);
  });

  test('that is a video is told that videos are not accepted', async () => {
    const mp4 = Buffer.concat([Buffer.from('00000020', 'hex'), Buffer.from('ftypisom'), Buffer.alloc(64)]).toString('base64');
    const answer = await app.post('/v1/verify/biometrics/face-match', { ...owner, image: mp4 });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_image']);
    expect(answer.body.error).toContain('videos, PDFs and other files are not accepted');
  });

  test('other services’ clients see the names that they sent', async () => {
    const answer = await app.get('/api/v1/kyc/vin?number=x');
    expect(answer.body.error).toContain('vin is required; number is not taken: pvc takes vin');
  });
});

test('a reference in a row that is no text, or too long, is told so in plain words; results show a reference only as text', async () => {
  const rich = await api.createApp({ naira: 1_000 });
  const references = [true, 'x'.repeat(201), {}, 7];
  const rows = references.map((reference, i) => ({ nin: i < 3 ? `4000000000${i}` : '1', reference }));
  const { id } = (await rich.post<{ id: string }>('/api/v1/batches', { checks: ['nin_basic'], rows })).body.entity;
  const { data } = (
    await rich.get<{ data: { reference: string | null; problems: { message: string }[] }[] }>(`/api/v1/batches/${id}/invalid-rows`)
  ).body.entity;
  expect(data.map(({ problems }) => problems.map(({ message }) => message))).toEqual([
    ['must be a string'],
    ['must be at most 200 characters'],
    ['must be a string'],
    ['must be 11 digits'],
  ]);
  const lines = (await rich.get(`/api/v1/batches/${id}/results?format=jsonl`)).text.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { reference: unknown }).reference)).toEqual([null, null, null, '7']);
  expect(data.map(({ reference }) => reference)).toEqual([null, null, null, '7']);
});

test.each([[5], [[5]], [null], [{}], [[]], ['']])('checks that are %j are told what they must be', async (checks) => {
  const answer = await app.post('/api/v1/batches', { checks, rows: [{ nin: NIN }] });
  expect([answer.status, answer.body.details]).toEqual([
    400,
    [{ path: 'checks', message: 'must name 1 to 20 checks', rule: 'invalid_value' }],
  ]);
});
