/** Large uploads, whose rows a thread reads: they are stored, refused and quoted exactly as small ones, which the process reads itself. */
import { randomBytes } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type BatchEntity, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { workbook } from '../setup/xlsx.ts';

const api = useApi();
let app: TestApp;
/** Started by the first large upload. */
let thread: Worker | null = null;
beforeAll(async () => {
  app = await api.createApp({ naira: 20_000_000 });
  process.once('worker', (worker) => {
    thread = worker;
  });
});

/** A body beyond this is in a file when it has arrived (`receive-upload.ts`), and goes to the thread. */
const LARGE = 300 * 1024;
const NIN = '70123456789';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const QUERY = '?checks=nin_basic&start=manual';
const CSV = `nin,reference,note\n${NIN},one,é\n123,two,\n${NIN},three,\n`;
interface Read extends BatchEntity {
  file: { encoding: string | null; header_row: number };
}

const upload = (body: string | Uint8Array, type = 'text/csv', query = QUERY): Promise<Answer<Read>> =>
  app.post<Read>(`/api/v1/batches${query}`, body, { 'Content-Type': type });

/** What an upload came to, without its ids. */
async function outcome(answer: Answer<Read>) {
  expect(answer.status, answer.text).toBe(202);
  const { id, counts, errors, file } = answer.body.entity;
  const results = (await app.get(`/api/v1/batches/${id}/results?format=jsonl`)).text.replaceAll(/job_[0-9a-f]{32}/g, 'job');
  return { counts, errors, file, results };
}

/** Lines of delimiters are blank and do not count. */
const padded = (csv: string): string => `${csv}${',,\n'.repeat(LARGE / 3)}`;
const form = (file: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'),
    Buffer.from(file as string),
    Buffer.from('\r\n--b--\r\n'),
  ]);

describe('a large upload comes to the same as a small one', () => {
  test.each<[string, () => string | Uint8Array, () => string | Uint8Array, string?]>([
    ['CSV', () => CSV, () => padded(CSV)],
    ['CSV in Windows-1252', () => Buffer.from(CSV, 'latin1'), () => Buffer.from(padded(CSV), 'latin1')],
    ['a form', () => form(CSV), () => form(padded(CSV)), 'multipart/form-data; boundary=b'],
    ['a gzip file', () => gzipSync(CSV), () => gzipSync(padded(CSV), { level: 0 }), 'application/gzip'],
    [
      'NDJSON',
      () => `{"nin":"${NIN}"}\n{"nin":"1"}\n`,
      () => `{"nin":"${NIN}"}\n{"nin":"1"}\n${' \n'.repeat(LARGE / 2)}`,
      'application/x-ndjson',
    ],
    ['JSON', () => `[{"nin":"${NIN}"},{"nin":"1"}]`, () => `[{"nin":"${NIN}"},${' '.repeat(LARGE)}{"nin":"1"}]`, 'application/json'],
  ])('%s', async (_, small, large, type) => {
    const body = large();
    expect(Buffer.byteLength(body)).toBeGreaterThan(LARGE - 4);
    expect(await outcome(await upload(body, type))).toEqual(await outcome(await upload(small(), type)));
  });

  test('a workbook', async () => {
    const sheets = [
      {
        rows: [
          ['nin', 'reference'],
          [NIN, 'one'],
          ['123', 'two'],
        ],
      },
    ];
    const [small, large] = [await workbook({ sheets }), await workbook({ sheets, parts: { 'xl/media/image1.png': randomBytes(LARGE) } })];
    expect(await outcome(await upload(large, XLSX))).toEqual(await outcome(await upload(small, XLSX)));
  });
});

const numbered = (of: number, count = 24_000): string =>
  `nin,reference\n${Array.from({ length: count }, (_, at) => `${70_000_000_000 + of * 1_000_000 + at},${at}`).join('\n')}\n`;

test('several large uploads at once are each read whole', async () => {
  const answers = await Promise.all([1, 2, 3].map((of) => upload(numbered(of))));
  for (const { status, body, text } of answers) {
    expect(status, text).toBe(202);
    expect(body.entity.counts).toMatchObject({ rows: 24_000, jobs: 24_000, invalid: 0, duplicate: 0 });
  }
  const [first] = await api.service.sql<{ rows: number }[]>`
    select count(distinct row_number)::int as rows from jobs where batch_id = ${parseId('bat', answers[0]!.body.entity.id)}`;
  expect(first!.rows).toBe(24_000);
});

test('what is wrong with a large upload is refused as it would be of a small one, and nothing is stored', async () => {
  const rest = `${NIN},,\n`.repeat(LARGE / 14);
  const broken = `nin,reference,note\n${rest}"${NIN},,\n`;
  const answer = await upload(broken);
  expect([answer.status, answer.body.details?.[0]?.rule], answer.text).toEqual([400, 'bad_quote']);
  expect(answer.text).not.toContain(NIN);
  const rejected = await upload(padded(CSV), 'text/csv', `${QUERY}&on_invalid=reject`);
  expect([rejected.status, rejected.body.details?.[0]?.path], rejected.text).toEqual([400, 'nin']);
  const cut = await upload(gzipSync(padded(CSV), { level: 0 }).subarray(0, -8), 'application/gzip');
  expect([cut.status, cut.body.details?.[0]?.rule], cut.text).toEqual([400, 'bad_gzip']);
});

test('a large quote counts what the cache has', async () => {
  expect((await app.get(`/api/v1/kyc/nin/advance?nin=${NIN}`)).status).toBe(200);
  const quote = async (body: string) => {
    const {
      status,
      body: answer,
      text,
    } = await app.post<Read>('/api/v1/batches/quote?checks=nin_advance', body, { 'Content-Type': 'text/csv' });
    expect(status, text).toBe(200);
    return answer.entity;
  };
  const [small, large] = [await quote(CSV), await quote(padded(CSV))];
  expect(large).toEqual(small);
  expect(large.counts).toMatchObject({ expected_cache_hits: 1 });
});

/** Beyond 256 KiB, and more slices than are made before the first is stored. */
const DYING_ROWS = 16_000;

test('a thread that dies amid an upload leaves nothing of it; its client is told to send it again, and that works', async () => {
  const { sql, databaseUrl } = api.service;
  const stored = async () =>
    (await sql`select (select count(*) from batches)::int as batches, (select count(*) from jobs)::int as jobs`)[0];
  const [before, wallet] = [await stored(), await app.wallet()];
  const { uploading } = await asOwner(databaseUrl, (owner) =>
    // Its first rows cannot be stored while this transaction is open, so it is not over when the thread ends.
    owner.begin(async (tx) => {
      await tx`lock table jobs in share mode`;
      const uploading = upload(numbered(4, DYING_ROWS));
      await waitFor('rows of the upload', async () => {
        const [waiting] = await tx`select 1 from pg_locks where relation = 'jobs'::regclass and not granted`;
        return waiting;
      });
      await thread!.terminate();
      return { uploading };
    }),
  );
  const refused = await uploading;
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')], refused.text).toEqual([503, 'unavailable', '2']);
  expect(await stored()).toEqual(before);
  expect(await app.wallet()).toEqual(wallet);
  const again = await upload(numbered(4, DYING_ROWS));
  expect([again.status, again.body.entity?.counts.jobs], again.text).toEqual([202, DYING_ROWS]);
});
