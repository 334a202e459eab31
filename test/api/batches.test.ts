/** Batches over HTTP: the three formats, counts, money, row errors, results, paging, start and cancel. */
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type JobEntity, type Page, type TestApp, useApi } from '../setup/api.ts';

const api = useApi();

const NIN = '70123456789';
const BVN = '22222222222';
const path = (batch: { id: string }) => `/api/v1/batches/${batch.id}`;
const wallet = (available: number, held: number) => ({ currency: 'NGX', available, held });
/** Distinct ordinary numbers. */
const nins = (count: number, from = 30_000_000_000) => Array.from({ length: count }, (_, i) => String(from + i));

async function accepted(answer: { status: number; text: string; body: { entity: BatchEntity } }): Promise<BatchEntity> {
  expect(answer.status, answer.text).toBe(202);
  return answer.body.entity;
}

async function run(app: TestApp, query: string, csv: string): Promise<BatchEntity> {
  const batch = await accepted(await app.csv(query, csv));
  return app.ended<BatchEntity>(path(batch));
}

async function csvResults(app: TestApp, batch: BatchEntity): Promise<Record<string, string>[]> {
  const answer = await app.get(`${path(batch)}/results?format=csv`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${batch.id}.csv"`);
  return parse(answer.text, { columns: true });
}

interface ResultLine {
  row: number;
  reference: string | null;
  input: Record<string, unknown> | null;
  status: string;
  errors: { field: string | null; rule: string; message: string }[];
  checks: Record<string, JobEntity & { entity: Record<string, unknown> | null }>;
}

async function jsonlResults(app: TestApp, batch: BatchEntity): Promise<ResultLine[]> {
  const answer = await app.get(`${path(batch)}/results?format=jsonl`);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  expect(answer.text.endsWith('\n')).toBe(true);
  return answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The same six rows in each format: three found (one of them twice), one not found, one short, one without a number. */
const ROWS = [
  { nin: NIN, note: 'first' },
  { nin: '00000000001', note: 'unknown' },
  { nin: '7012345678', note: 'short' },
  { nin: '12345678901', note: 'second' },
  { nin: NIN, note: 'again' },
  { nin: '', note: 'none' },
];
const formats = [
  { format: 'csv', type: 'text/csv', query: 'checks=nin_advance', body: `nin,note\n${ROWS.map((r) => `${r.nin},${r.note}`).join('\n')}\n` },
  { format: 'ndjson', type: 'application/x-ndjson', query: 'checks=nin_advance', body: ROWS.map((r) => `${JSON.stringify(r)}\n`).join('') },
  { format: 'json', type: 'application/json', query: '', body: JSON.stringify({ checks: ['nin_advance'], rows: ROWS }) },
];

describe('a batch', () => {
  test.each(formats)(
    'of $format runs to its end with consistent counts, quote, hold, bill, errors and results',
    async ({ type, query, body }) => {
      const app = await api.createApp({ naira: 1_000 });
      const answer = await app.post<BatchEntity>(`/api/v1/batches?${query}`, body, { 'Content-Type': type });
      const batch = await accepted(answer);
      expect(batch.id).toMatch(/^bat_[0-9a-f]{32}$/);
      expect(answer.headers.get('location')).toBe(path(batch));
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(batch).toMatchObject({
        object: 'batch',
        checks: ['nin_advance'],
        quote_amount: 375,
        hold_amount: 375,
        billed_amount: 0,
        reference: null,
        metadata: null,
        callback_url: null,
        completed_at: null,
        canceled_at: null,
      });
      expect(batch.counts).toMatchObject({ rows: 6, jobs: 3, completed: 0, failed: 0, canceled: 0, invalid: 2, duplicate: 1 });
      expect(batch.errors).toEqual([
        { row: 3, path: 'nin', rule: 'invalid_format', message: 'must be 11 digits; this has 10, so a leading zero may have been lost' },
        { row: 6, path: 'nin', rule: 'required', message: 'is required' },
      ]);

      const done = await app.ended<BatchEntity>(path(batch));
      expect(done.counts).toEqual({
        rows: 6,
        jobs: 3,
        queued: 0,
        leased: 0,
        completed: 3,
        found: 2,
        not_found: 1,
        flagged: 0,
        failed: 0,
        canceled: 0,
        invalid: 2,
        duplicate: 1,
      });
      // The number that appears twice is charged once.
      expect(done).toMatchObject({ status: 'completed', quote_amount: 375, billed_amount: 250, errors: batch.errors });
      expect(Date.parse(done.started_at!)).toBeGreaterThanOrEqual(Date.parse(done.created_at));
      expect(Date.parse(done.completed_at!)).toBeGreaterThanOrEqual(Date.parse(done.started_at!));
      expect(await app.wallet()).toEqual(wallet(750, 0));

      const csv = await csvResults(app, done);
      expect(csv.map((row) => [row.nin, row.note, row['nin_advance.status'], row['nin_advance.outcome'], row.row_errors])).toEqual([
        [NIN, 'first', 'completed', 'found', ''],
        ['00000000001', 'unknown', 'completed', 'not_found', ''],
        ['7012345678', 'short', 'invalid', '', 'nin: must be 11 digits; this has 10, so a leading zero may have been lost'],
        ['12345678901', 'second', 'completed', 'found', ''],
        [NIN, 'again', 'duplicate', 'found', ''],
        ['', 'none', 'invalid', '', 'nin: is required'],
      ]);
      expect(csv.reduce((sum, row) => sum + Number(row['nin_advance.billed_amount']), 0)).toBe(250);
      expect(csv[4]).toMatchObject({ 'nin_advance.firstname': 'Morenike', 'nin_advance.billed_amount': '0' });
      expect(csv[0]).toMatchObject({ 'nin_advance.firstname': 'Morenike', 'nin_advance.surname': 'Durojaiye', 'nin_advance.nin': NIN });
      expect(Object.keys(csv[0]!).slice(0, 7)).toEqual([
        'nin',
        'note',
        'nin_advance.status',
        'nin_advance.outcome',
        'nin_advance.error',
        'nin_advance.cached',
        'nin_advance.billed_amount',
      ]);
      expect(Object.keys(csv[0]!)).not.toContain('nin_advance.photo');

      const lines = await jsonlResults(app, done);
      expect(lines.map((line) => [line.row, line.status, line.input, Object.keys(line.checks)])).toEqual(
        ROWS.map((row, i) => (i === 2 || i === 5 ? [i + 1, 'invalid', row, []] : [i + 1, 'valid', row, ['nin_advance']])),
      );
      expect(lines[0]!.checks.nin_advance).toMatchObject({ status: 'completed', outcome: 'found', entity: { nin: NIN } });
      expect(lines[0]!.checks.nin_advance!.entity!.photo).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(lines[1]!.checks.nin_advance).toMatchObject({ outcome: 'not_found', entity: null, billed_amount: 0 });
      expect(lines[5]!.errors).toEqual([{ field: 'nin', rule: 'required', message: 'is required' }]);
    },
  );

  test('runs several checks for each row, billed and shown separately', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const batch = await accepted(await app.csv('checks=nin_advance,bvn_full', `nin,bvn\n${NIN},${BVN}\n00000000001,00000000001\n1,2\n`));
    expect(batch).toMatchObject({ checks: ['nin_advance', 'bvn_full'], quote_amount: 440, hold_amount: 440 });
    expect(batch.counts).toMatchObject({ rows: 3, jobs: 4, invalid: 1, duplicate: 0 });
    expect(batch.errors.map((error) => [error.row, error.path])).toEqual([
      [3, 'nin'],
      [3, 'bvn'],
    ]);
    const done = await app.ended<BatchEntity>(path(batch));
    expect(done).toMatchObject({ billed_amount: 220, counts: { completed: 4, found: 2, not_found: 2 } });
    expect(await app.wallet()).toEqual(wallet(780, 0));
    const csv = await csvResults(app, done);
    expect(csv.map((row) => [row['nin_advance.outcome'], row['bvn_full.outcome'], row['bvn_full.first_name']])).toEqual([
      ['found', 'found', 'Morenike'],
      ['not_found', 'not_found', ''],
      ['', '', ''],
    ]);
    expect(csv[2]!.row_errors).toBe('nin: must be 11 digits; bvn: must be 11 digits');
    const page = (await app.get<Page>(`${path(done)}/jobs`)).body.entity;
    expect(page.data.map((job) => [job.row, job.check, job.service])).toEqual([
      [1, 'bvn_full', 'bvn'],
      [1, 'nin_advance', 'nin_advance'],
      [2, 'bvn_full', 'bvn'],
      [2, 'nin_advance', 'nin_advance'],
    ]);
  });

  test('that names a check twice runs it once', async () => {
    const app = await api.createApp();
    expect((await accepted(await app.csv('checks=nin_basic,nin_basic, nin_basic', `nin\n${NIN}\n`))).checks).toEqual(['nin_basic']);
  });

  test('takes its options from the query beside a JSON body, or from the body itself', async () => {
    const app = await api.createApp();
    const rows = [{ 'National ID': NIN, id: 'r1' }];
    const options = { mapping: { nin: 'National ID', reference: 'id' }, start: 'manual', reference: 'b1', metadata: { a: [1] } };
    const fromBody = await accepted(await app.post('/api/v1/batches', { rows, checks: 'nin_basic', ...options }));
    expect(fromBody).toMatchObject({ status: 'awaiting_start', reference: 'b1', metadata: { a: [1] }, checks: ['nin_basic'] });
    const query = new URLSearchParams({
      checks: 'nin_basic',
      start: 'manual',
      reference: 'b1',
      metadata: '{"a":[1]}',
      'map.nin': 'National ID',
      'map.reference': 'id',
    });
    const fromQuery = await accepted(await app.post(`/api/v1/batches?${query}`, { rows }));
    expect(fromQuery).toMatchObject({ status: 'awaiting_start', reference: 'b1', metadata: { a: [1] }, checks: ['nin_basic'] });
    for (const batch of [fromBody, fromQuery])
      expect((await app.get<Page>(`${path(batch)}/jobs`)).body.entity.data[0]).toMatchObject({ reference: 'r1', row: 1, status: 'queued' });
  });

  test('echoes reference, metadata and callback address', async () => {
    const app = await api.createApp();
    const query = new URLSearchParams({
      checks: 'nin_basic',
      start: 'manual',
      reference: "№ 7's",
      metadata: '{"run":{"no":7}}',
      callback_url: 'http://127.0.0.1:9/hook',
    });
    const batch = await accepted(await app.csv(String(query), `nin\n${NIN}\n`));
    const echoed = { reference: "№ 7's", metadata: { run: { no: 7 } }, callback_url: 'http://127.0.0.1:9/hook' };
    expect(batch).toMatchObject(echoed);
    expect((await app.get<BatchEntity>(path(batch))).body.entity).toMatchObject(echoed);
  });

  test('holds its quote while it runs: available, held and billed always add up', async () => {
    const app = await api.createApp({ naira: 10_000 });
    const batch = await accepted(await app.csv('checks=nin_basic', `nin\n${nins(60).join('\n')}\n00000000004\n`));
    expect(batch.quote_amount).toBe(61 * 125);
    for (let looks = 0; ; looks++) {
      const [before, now] = [(await app.get<BatchEntity>(path(batch))).body.entity, await app.wallet()];
      const after = (await app.get<BatchEntity>(path(batch))).body.entity;
      const { queued, leased, completed, failed, canceled, found, not_found, jobs } = after.counts;
      expect(queued + leased + completed + failed + canceled).toBe(jobs);
      expect(found + not_found).toBe(completed);
      // The wallet was read between the two looks.
      const spent = 10_000 - now.available - now.held;
      expect(spent).toBeGreaterThanOrEqual(before.billed_amount);
      expect(spent).toBeLessThanOrEqual(after.billed_amount);
      if (after.status === 'completed') {
        expect(looks).toBeGreaterThan(0);
        break;
      }
      expect(now.available).toBe(10_000 - 61 * 125);
    }
    expect(await app.wallet()).toEqual(wallet(10_000 - 61 * 125, 0));
    expect(await api.drift()).toBe(0);
  });

  test('looks up and charges a number once however often the file has it, and counts the repetitions', async () => {
    const app = await api.createApp({ naira: 2_000 });
    const done = await run(app, 'checks=nin_basic', `nin\n${NIN}\n${NIN}\n ${NIN} \n12345678901\n${NIN}\n`);
    expect(done.counts).toMatchObject({ rows: 5, jobs: 2, found: 2, duplicate: 3, invalid: 0 });
    expect(done).toMatchObject({ quote_amount: 250, billed_amount: 250 });
    expect(await app.wallet()).toEqual(wallet(1_750, 0));
  });

  test('with cache=refresh looks everything up anew; with the cache a second run costs the cached price', async () => {
    const app = await api.createApp({ naira: 2_000 });
    const csv = `nin\n${NIN}\n12345678901\n`;
    expect((await run(app, 'checks=nin_basic', csv)).billed_amount).toBe(250);
    expect((await run(app, 'checks=nin_basic', csv)).billed_amount).toBe(100);
    expect((await run(app, 'checks=nin_basic&cache=refresh', csv)).billed_amount).toBe(250);
    expect(await app.wallet()).toEqual(wallet(1_400, 0));
  });

  test('with scripted numbers ends: failed rows cost nothing, once-failing ones are found', async () => {
    const app = await api.createApp({ naira: 2_000 });
    const numbers = ['00000000000', '00000000001', '00000000003', '00000000005', '00000000006'];
    const done = await run(app, 'checks=nin_basic', `nin\n${numbers.join('\n')}\n`);
    expect(done).toMatchObject({ status: 'completed', billed_amount: 375, counts: { completed: 4, found: 3, not_found: 1, failed: 1 } });
    expect(await app.wallet()).toEqual(wallet(1_625, 0));
    const csv = await csvResults(app, done);
    expect(csv.map((row) => [row.nin, row['nin_basic.status'], row['nin_basic.error']])).toEqual(
      numbers.map((nin) => (nin.endsWith('3') ? [nin, 'failed', 'provider_failed'] : [nin, 'completed', ''])),
    );
  });

  test('says why checks failed, by check and reason, the most frequent first, and counts a duplicate with its original', async () => {
    const app = await api.createApp({ naira: 20_000 });
    const done = await run(app, 'checks=nin_basic,nin_advance', `nin\n${NIN}\n00000000003\n00000000003\n00000000004\n`);
    const id = parseId('bat', done.id)!;
    await api.service.sql`
      update jobs set status = 'failed', outcome = null, error_code = 'image_blurry:selfie_image' where batch_id = ${id} and row_number = 1 and check_id = 'nin_basic'`;
    await api.service
      .sql`update jobs set status = 'failed', outcome = null, error_code = 'provider_failed' where batch_id = ${id} and row_number = 4 and check_id = 'nin_advance'`;
    const failures = await app.get<Page>(`${path(done)}/failures`);
    const down = { code: 'provider_failed', message: 'The provider was asked and failed; nothing was charged.' };
    expect(failures.body.entity).toEqual({
      object: 'list',
      data: [
        { check: 'nin_advance', ...down, jobs: 2, first_row: 2 },
        {
          check: 'nin_basic',
          code: 'image_blurry',
          message: expect.stringMatching(/^selfie_image: .*Nothing was charged\.$/),
          jobs: 1,
          first_row: 1,
        },
        { check: 'nin_basic', ...down, jobs: 1, first_row: 2 },
      ],
    });
    expect((await (await api.createApp()).get(`${path(done)}/failures`)).status).toBe(404);
    const well = await run(app, 'checks=nin_basic', `nin\n${NIN}\n`);
    expect((await app.get<Page>(`${path(well)}/failures`)).body.entity).toEqual({ object: 'list', data: [] });
  });

  test('without a valid row is over at once, bills nothing and still returns its rows', async () => {
    const app = await api.createApp({ naira: 10 });
    const done = await run(app, 'checks=nin_basic', 'nin\n1\n2\nabc\n');
    expect(done).toMatchObject({ status: 'completed', quote_amount: 0, hold_amount: 0, billed_amount: 0 });
    expect(done.counts).toMatchObject({ rows: 3, jobs: 0, invalid: 3, completed: 0 });
    expect(done.completed_at).toEqual(expect.any(String));
    expect(await app.wallet()).toEqual(wallet(10, 0));
    expect((await csvResults(app, done)).map((row) => [row.nin, row.row_errors])).toEqual([
      ['1', 'nin: must be 11 digits'],
      ['2', 'nin: must be 11 digits'],
      ['abc', 'nin: must be 11 digits'],
    ]);
    expect((await app.get<Page>(`${path(done)}/jobs`)).body.entity).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      next_cursor: null,
    });
  });

  test('invalid rows are listed page by page with their references and what is wrong, in any format', async () => {
    const app = await api.createApp();
    const csv = await run(app, 'checks=nin_basic&map.nin=National%20number', `reference,National number\nc-1,${NIN}\nc-2,12\nc-3,\n`);
    const rows = async (batch: BatchEntity, query = '') =>
      (await app.get<{ data: object[]; next_cursor: string | null }>(`${path(batch)}/invalid-rows${query}`)).body.entity;
    const format = { field: 'nin', column: 'National number', rule: 'invalid_format', message: 'must be 11 digits' };
    const second = { object: 'invalid_row', row: 2, reference: 'c-2', problems: [format] };
    const third = { ...second, row: 3, reference: 'c-3', problems: [{ ...format, rule: 'required', message: 'is required' }] };
    expect((await rows(csv)).data).toEqual([second, third]);
    expect((await rows(csv, '?from_row=3')).data).toEqual([third]);
    const first = await rows(csv, '?limit=1');
    expect(first.data).toEqual([second]);
    expect((await rows(csv, `?cursor=${encodeURIComponent(first.next_cursor!)}`)).data).toEqual([third]);
    expect((await app.get(`${path(csv)}/invalid-rows?cursor=abc`)).status).toBe(400);
    const json = await accepted(await app.post('/api/v1/batches?checks=nin_basic', [{ reference: 'j-1', nin: '12' }]));
    expect((await rows(json)).data).toMatchObject([{ row: 1, reference: 'j-1', problems: [{ field: 'nin', column: 'nin' }] }]);
  });

  test('shows its first 100 row errors; the rest is in the results', async () => {
    const app = await api.createApp();
    const batch = await accepted(await app.csv('checks=nin_basic', `nin\n${'1\n'.repeat(130)}`));
    expect(batch.counts.invalid).toBe(130);
    expect(batch.errors).toHaveLength(100);
    const done = await app.ended<BatchEntity>(path(batch));
    expect(done.errors).toEqual(batch.errors);
    expect(await csvResults(app, done)).toHaveLength(130);
  });
});

describe('columns', () => {
  test('are found whatever their case, spaces and punctuation', async () => {
    const app = await api.createApp();
    for (const header of ['NIN', ' nin ', 'N.I.N.', '"n_i n"', '\ufeffNin'])
      expect((await run(app, 'checks=nin_basic', `x,${header}\ny,${NIN}\n`.replace('x,\ufeff', '\ufeffx,'))).counts, header).toMatchObject({
        found: 1,
      });
    const match = await run(app, 'checks=bvn_match', `BVN,First Name,LAST-NAME,Dob\n${BVN},morenike,OKAFOR,1991-04-17\n`);
    const [row] = await csvResults(app, match);
    expect(row).toMatchObject({
      'bvn_match.first_name.status': 'true',
      'bvn_match.last_name.status': 'false',
      'bvn_match.date_of_birth.status': 'true',
    });
  });

  test('are taken as mapped, spaces and all, and results keep their names', async () => {
    const app = await api.createApp();
    const query = new URLSearchParams({ checks: 'nin_basic', 'map.nin': 'National ID', 'map.reference': 'customer ref' });
    const done = await run(app, String(query), `customer ref,nin,National ID\nC-1,not this one,${NIN}\n`);
    expect(done.counts).toMatchObject({ found: 1, invalid: 0 });
    const [row] = await csvResults(app, done);
    expect(Object.keys(row!).slice(0, 3)).toEqual(['customer ref', 'nin', 'National ID']);
    expect((await jsonlResults(app, done))[0]).toMatchObject({ reference: 'C-1', checks: { nin_basic: { entity: { nin: NIN } } } });
    expect((await app.get<Page>(`${path(done)}/jobs`)).body.entity.data[0]!.reference).toBe('C-1');
  });

  test('that are missing are named together with those found, and nothing is stored', async () => {
    const app = await api.createApp();
    const answer = await app.csv('checks=nin_basic,bvn_full', `National NIN,x\n${NIN},1\n`);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map((d) => [d.path, d.rule])).toEqual([
      ['map.nin', 'missing_column'],
      ['map.bvn', 'missing_column'],
    ]);
    expect(answer.body.error).toContain('Columns found: National NIN, x');
    expect(answer.body.details[0]!.message).toContain('is it "National NIN"?');
  });

  test('that are ambiguous, mapped to nothing, or mapped for an unknown input are refused by name', async () => {
    const app = await api.createApp();
    const csv = `NIN,nin_\n${NIN},${NIN}\n`;
    const rule = async (query: string, text = csv) => (await app.csv(`checks=nin_basic&${query}`, text)).body.details[0];
    expect(await rule('')).toMatchObject({ path: 'map.nin', rule: 'ambiguous_column' });
    expect(await rule('map.nin=other')).toMatchObject({ path: 'map.nin', rule: 'missing_column' });
    expect(await rule('map.bvn=NIN', `nin\n${NIN}\n`)).toMatchObject({ path: 'map.bvn', rule: 'unknown_field' });
    expect((await app.csv('checks=nin_basic&start=manual&map.nin=NIN', csv)).status).toBe(202);
  });
});

describe('results', () => {
  test('have one line per submitted row in submitted order, over several pages, before and after the end', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const rows = nins(1_203).map((nin, i) => (i % 100 === 7 ? `short,${i}` : i % 100 === 9 ? `${nin},${i},too many` : `${nin},${i}`));
    const batch = await accepted(await app.csv('checks=nin_basic&start=manual', `nin,n\n${rows.join('\n')}`));
    expect(batch.counts).toMatchObject({ rows: 1_203, invalid: 24, jobs: 1_179 });
    const before = await csvResults(app, batch);
    expect(before.map((row) => row.n)).toEqual(rows.map((_, i) => String(i)));
    expect(new Set(before.map((row) => row['nin_basic.status']))).toEqual(new Set(['queued', 'invalid']));
    await app.post(`${path(batch)}/start`);
    const done = await app.ended<BatchEntity>(path(batch));
    const after = await csvResults(app, done);
    expect(after.map((row) => row.n)).toEqual(rows.map((_, i) => String(i)));
    expect(after.filter((row) => row['nin_basic.nin'] === row.nin)).toHaveLength(1_179);
    expect((await jsonlResults(app, done)).map((line) => line.row)).toEqual(rows.map((_, i) => i + 1));
  });

  test('keep cells as they were: quotes, line ends, delimiters, spaces, leading zeros, other scripts', async () => {
    const app = await api.createApp();
    const note = ' "Ọlá", said; she\r\nand\tleft ';
    const done = await run(app, 'checks=nin_basic', `nin,note,zip\n00000000000,"${note.replaceAll('"', '""')}",00123\n`);
    const [row] = await csvResults(app, done);
    expect(row).toMatchObject({ nin: '00000000000', note, zip: '00123', 'nin_basic.nin': '00000000000' });
  });

  test('guard cells that a spreadsheet would run as a formula, in CSV and nowhere else', async () => {
    const app = await api.createApp();
    const cells = ['=1+1', '+1', '-1', '@SUM(A1)', ' =HYPERLINK()', "'ok", '5-1'];
    const done = await run(app, 'checks=nin_basic', `nin,=cmd\n${cells.map((cell) => `${NIN},${cell}`).join('\n')}\n`);
    const csv = await csvResults(app, done);
    expect(csv.map((row) => row["'=cmd"])).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", "' =HYPERLINK()", "'ok", '5-1']);
    expect((await jsonlResults(app, done)).map((line) => line.input!['=cmd'])).toEqual(cells);
  });

  test('show object rows by their own keys, in order of first appearance', async () => {
    const app = await api.createApp();
    const lines = [{ b: 1, nin: NIN }, { nin: NIN, a: { deep: [true] }, b: null }, 'not an object', { c: '' }];
    const answer = await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic', lines.map((line) => JSON.stringify(line)).join('\n'), {
      'Content-Type': 'application/x-ndjson',
    });
    const done = await app.ended<BatchEntity>(path(await accepted(answer)));
    const csv = await csvResults(app, done);
    expect(Object.keys(csv[0]!).slice(0, 4)).toEqual(['b', 'nin', 'a', 'c']);
    expect(csv.map(({ b, nin, a, c }) => [b, nin, a, c])).toEqual([
      ['1', NIN, '', ''],
      ['', NIN, '{"deep":[true]}', ''],
      ['', '', '', ''],
      ['', '', '', ''],
    ]);
    expect((await jsonlResults(app, done)).map((line) => line.input)).toEqual([lines[0], lines[1], null, lines[3]]);
    expect(done.errors.map((error) => [error.row, error.rule])).toEqual([
      [3, 'not_an_object'],
      [4, 'required'],
    ]);
  });

  test('in an unknown format are refused; the default is CSV', async () => {
    const app = await api.createApp();
    const done = await run(app, 'checks=nin_basic', `nin\n${NIN}\n`);
    expect((await app.get(`${path(done)}/results`)).headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const answer = await app.get(`${path(done)}/results?format=pdf`);
    expect([answer.status, answer.body.details[0]!.path]).toEqual([400, 'format']);
  });
});

describe('on_invalid=reject', () => {
  test('refuses the upload for one invalid row, names it, and leaves nothing', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const answer = await app.csv('checks=nin_basic&on_invalid=reject', `nin\n${NIN}\n123\n12345678901\n`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', details: [{ path: 'nin', row: 2, message: 'must be 11 digits' }] });
    expect(answer.body.error).toContain('1 of 3 rows');
    await expectNothingLeft(app);
    expect(await app.wallet()).toEqual(wallet(1_000, 0));
  });

  test('accepts an upload without invalid rows', async () => {
    const app = await api.createApp();
    expect((await run(app, 'checks=nin_basic&on_invalid=reject', `nin\n${NIN}\n`)).counts.found).toBe(1);
  });
});

async function expectNothingLeft(app: TestApp): Promise<void> {
  const [left] = await api.service.sql`
    with own as (select id from apps where 'app_' || replace(id::text, '-', '') = ${app.app})
    select (select count(*)::int from batches where app_id in (table own)) as batches, (select count(*)::int from jobs where app_id in (table own)) as jobs,
      (select count(*)::int from holds where app_id in (table own)) as holds, (select count(*)::int from lanes where app_id in (table own)) as lanes`;
  expect(left).toEqual({ batches: 0, jobs: 0, holds: 0, lanes: 0 });
}

describe('start=manual', () => {
  test('waits with its money held until it is started, then runs', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const batch = await accepted(await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`));
    expect(batch).toMatchObject({ status: 'awaiting_start', started_at: null, hold_amount: 125 });
    expect(await app.wallet()).toEqual(wallet(875, 125));
    const started = await app.post<BatchEntity>(`${path(batch)}/start`);
    expect(started.status).toBe(200);
    expect(['queued', 'running', 'completed']).toContain(started.body.entity.status);
    const done = await app.ended<BatchEntity>(path(batch));
    expect(done).toMatchObject({ status: 'completed', billed_amount: 125 });
    const again = await app.post(`${path(batch)}/start`);
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
  });

  test('does not run before it is started, while others do', async () => {
    const app = await api.createApp();
    const batch = await accepted(await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`));
    await run(app, 'checks=nin_basic', `nin\n${NIN}\n`);
    expect((await app.get<BatchEntity>(path(batch))).body.entity).toMatchObject({
      status: 'awaiting_start',
      counts: { queued: 1, leased: 0 },
    });
  });

  test('without a valid row ends when it is started', async () => {
    const app = await api.createApp();
    const batch = await accepted(await app.csv('checks=nin_basic&start=manual', 'nin\n1\n'));
    expect(batch.status).toBe('awaiting_start');
    expect((await app.post<BatchEntity>(`${path(batch)}/start`)).body.entity.status).toBe('completed');
  });
});

describe('cancel', () => {
  test('before the start cancels every job and releases the whole hold; repeated, it answers the same', async () => {
    const app = await api.createApp({ naira: 10_000 });
    const batch = await accepted(await app.csv('checks=nin_basic,nin_premium&start=manual', `nin\n${nins(20).join('\n')}\nx\n`));
    expect(await app.wallet()).toEqual(wallet(10_000 - 20 * 275, 20 * 275));
    const canceled = await app.post<BatchEntity>(`${path(batch)}/cancel`);
    expect(canceled.status).toBe(200);
    expect(canceled.body.entity).toMatchObject({ status: 'canceled', billed_amount: 0, completed_at: null });
    expect(canceled.body.entity.canceled_at).toEqual(expect.any(String));
    expect(canceled.body.entity.counts).toMatchObject({
      rows: 21,
      jobs: 40,
      queued: 0,
      leased: 0,
      completed: 0,
      failed: 0,
      canceled: 40,
      invalid: 1,
    });
    expect(await app.wallet()).toEqual(wallet(10_000, 0));
    const again = await app.post<BatchEntity>(`${path(batch)}/cancel`);
    expect(again.status).toBe(200);
    expect(again.body.entity).toEqual(canceled.body.entity);
    const start = await app.post(`${path(batch)}/start`);
    expect([start.status, start.body.code]).toEqual([409, 'conflict']);
    const csv = await csvResults(app, canceled.body.entity);
    expect(csv.map((row) => row['nin_basic.status'])).toEqual([...Array(20).fill('canceled'), 'invalid']);
  });

  test('during the run lets leased jobs finish: counts add up, what was found is billed, the rest released', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    // Each chunk holds one number that takes 3 s, so that the batch is certainly running when it is canceled.
    const batch = await accepted(
      await app.csv(
        'checks=nin_basic',
        `nin\n${Array.from({ length: 3_000 }, (_, i) => (i % 50 === 0 ? '00000000004' : String(40_000_000_000 + i))).join('\n')}\n`,
      ),
    );
    await expect
      .poll(async () => (await app.get<BatchEntity>(path(batch))).body.entity.counts.completed, { timeout: 10_000 })
      .toBeGreaterThan(0);
    const answer = await app.post<BatchEntity>(`${path(batch)}/cancel`);
    expect(answer.status).toBe(200);
    expect(['canceling', 'canceled']).toContain(answer.body.entity.status);
    const done = await app.ended<BatchEntity>(path(batch));
    expect(done.status).toBe('canceled');
    const { jobs, completed, failed, canceled, queued, leased, found } = done.counts;
    expect({ queued, leased, sum: completed + failed + canceled }).toEqual({ queued: 0, leased: 0, sum: jobs });
    expect(canceled).toBeGreaterThan(0);
    expect(found).toBeGreaterThan(0);
    const csv = await csvResults(app, done);
    expect(csv.reduce((sum, row) => sum + Number(row['nin_basic.billed_amount']), 0)).toBe(done.billed_amount);
    expect(await app.wallet()).toEqual(wallet(1_000_000 - done.billed_amount, 0));
    expect(await api.drift()).toBe(0);
  });

  test('after the end is a conflict and changes nothing', async () => {
    const app = await api.createApp();
    const done = await run(app, 'checks=nin_basic', `nin\n${NIN}\n`);
    const answer = await app.post(`${path(done)}/cancel`);
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect((await app.get<BatchEntity>(path(done))).body.entity).toEqual(done);
  });
});

describe('the jobs of a batch', () => {
  let app: TestApp;
  let batch: BatchEntity;
  const numbers = nins(25).map((nin, i) => (i === 4 ? '00000000001' : nin));
  beforeAll(async () => {
    app = await api.createApp();
    batch = await run(app, 'checks=nin_basic,nin_slip', `nin,reference\n${numbers.map((nin, i) => `${nin},r${i + 1}`).join('\n')}\n`);
  });

  async function pages(query: string): Promise<JobEntity[][]> {
    const found: JobEntity[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await app.get<Page>(`${path(batch)}/jobs?${query}${cursor && `&cursor=${cursor}`}`);
      expect(answer.status, answer.text).toBe(200);
      const page: Page = answer.body.entity;
      expect(page.has_more).toBe(page.next_cursor !== null);
      found.push(page.data);
      cursor = page.next_cursor;
    }
    return found;
  }

  test('are listed in row order, each once, however large the page', async () => {
    const all = (await pages('limit=1000')).flat();
    expect(all).toHaveLength(50);
    expect(all.map((job) => job.row)).toEqual(numbers.flatMap((_, i) => [i + 1, i + 1]));
    expect(all.map((job) => job.reference)).toEqual(numbers.flatMap((_, i) => [`r${i + 1}`, `r${i + 1}`]));
    for (const job of all) expect(job).toMatchObject({ object: 'job', batch: batch.id, status: 'completed', live: false });
    for (const limit of [1, 7, 25, 49, 50]) {
      const paged = await pages(`limit=${limit}`);
      expect(paged.map((page) => page.length)).toEqual([
        ...Array(Math.ceil(50 / limit) - 1).fill(limit),
        50 - limit * (Math.ceil(50 / limit) - 1),
      ]);
      expect(paged.flat()).toEqual(all);
    }
    expect((await app.get<Page>(`${path(batch)}/jobs`)).body.entity.data).toEqual(all);
  });

  test('can be read one by one like any job', async () => {
    const [job] = (await pages('limit=1000')).flat();
    expect((await app.get(`/api/v1/jobs/${job!.id}`)).body.entity).toEqual(job);
  });

  test('can be filtered by status and outcome, also page by page', async () => {
    expect((await pages('outcome=not_found&limit=1')).flat().map((job) => job.row)).toEqual([5, 5]);
    expect((await pages('outcome=found&status=completed')).flat()).toHaveLength(48);
    expect((await pages('status=failed')).flat()).toEqual([]);
  });

  test('refuse a tampered cursor and an invalid limit, status or outcome', async () => {
    const { next_cursor: cursor } = (await app.get<Page>(`${path(batch)}/jobs?limit=1`)).body.entity;
    for (const bad of [
      'cursor=x',
      `cursor=${cursor!.slice(0, 4)}`,
      `cursor=${cursor}${cursor}`,
      `cursor=${Buffer.from("1:a' or 1=1").toString('base64url')}`,
      `cursor=${Buffer.from('99999999999:nin_basic').toString('base64url')}`,
      `cursor=${Buffer.from('-1:nin_basic').toString('base64url')}`,
      'cursor=%00',
      'limit=0',
      'limit=1001',
      'limit=1.5',
      'limit=-1',
      'limit=x',
      'status=done',
      'outcome=maybe',
      'outcome=found%00',
    ]) {
      const answer = await app.get(`${path(batch)}/jobs?${bad}`);
      expect(answer.status, bad).toBe(400);
      expect(answer.body, bad).toMatchObject({ status: 'error', code: 'invalid_request', details: [{ path: bad.split('=')[0] }] });
    }
  });
});

describe('a batch stays hidden', () => {
  test('under an unknown or malformed id and from another app, with the same 404 everywhere', async () => {
    const [owner, stranger] = [await api.createApp(), await api.createApp()];
    const batch = await accepted(await owner.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`));
    for (const id of [batch.id, `bat_${'0'.repeat(32)}`, 'bat_1', batch.id.replace('bat_', 'job_'), '%00']) {
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/jobs'],
        ['GET', '/results'],
        ['POST', '/start'],
        ['POST', '/cancel'],
      ] as const) {
        const answer = await stranger.send(method, `/api/v1/batches/${id}${rest}`);
        expect(answer.status, `${method} ${id}${rest}`).toBe(404);
        expect(answer.body).toMatchObject({ status: 'error', code: 'resource_not_found' });
      }
    }
    expect((await owner.get<BatchEntity>(path(batch))).body.entity.status).toBe('awaiting_start');
  });
});
