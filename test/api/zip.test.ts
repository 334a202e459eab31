/** Batches with images: an archive of manifest and files, and JSON rows with base64. What is stored, what a worker gets, what is shown again. */
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { unpackImages } from '../../src/jobs/image-pack.ts';
import { runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { sweepWork } from '../../src/pipeline/sweep.ts';
import type { Answer, BatchEntity, Client } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { type FaceApi, startFaceApi } from '../setup/face-api.ts';
import { archive, picture, type ZipEntry } from '../setup/zip.ts';

const MEGABYTE = 1024 * 1024;
const ZIP = { 'Content-Type': 'application/zip' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const QUERY = 'checks=photoid_verify&start=manual';

let api: FaceApi;
let app: Client;
beforeAll(async () => {
  api = await startFaceApi();
});
beforeEach(async () => {
  app = await api.createApp();
});
afterAll(() => api.stop());

const upload = (body: string | Uint8Array, headers: Record<string, string>, query = QUERY): Promise<Answer<BatchEntity>> =>
  app.post<BatchEntity>(`/api/v1/batches?${query}`, body, headers);

const manifest = (...names: string[]): ZipEntry => ({
  name: 'manifest.csv',
  content: `\ufeffID Type;Id Number;Image;Reference\r\n${names.map((name, i) => `NIN;7012345678${i};${name};r${i}\r\n`).join('')}`,
});

/** The images of a batch's jobs in row order, as a worker opens them. */
async function stored(answer: Answer<BatchEntity>): Promise<(Buffer | null)[]> {
  expect(answer.status, answer.text).toBe(202);
  const rows = await api.service.sql<{ id: string; images: Buffer | null }[]>`
    select id, images from jobs where batch_id = ${parseId('bat', answer.body.entity.id)} order by row_number`;
  const { openBytes } = await api.service.cipher.opener(rows.map(({ images }) => images));
  return rows.map(({ id, images }) =>
    images === null ? null : Buffer.from(unpackImages(openBytes(images, 'images', id)).image!, 'base64'),
  );
}

const fileOf = async (answer: Answer<BatchEntity>, path: string): Promise<string> =>
  (await app.get(`/api/v1/batches/${answer.body.entity.id}/${path}`)).text;

const three = [picture(50_000, 1), picture(70_000, 2), picture(90_000, 3)] as const;
const whole = () =>
  archive([
    { name: 'photos/a/1.jpg', content: three[0], deflate: true },
    { name: 'photos/2.jpg', content: three[1] },
    { name: '3.jpg', content: three[2] },
    { name: 'notes.txt', content: 'x' },
    manifest('photos/a/1.jpg', './photos/2.jpg', '3.jpg'),
  ]);

describe('an archive', () => {
  const form = (name: string, type: string) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`),
      whole(),
      Buffer.from('\r\n--b--\r\n'),
    ]);
  test.each<[string, () => Uint8Array, Record<string, string>]>([
    ['by its media type', whole, ZIP],
    ['as a form, by its name', () => form('staff.zip', 'application/octet-stream'), { 'Content-Type': 'multipart/form-data; boundary=b' }],
    ['as a form, by its directory', () => form('staff', 'application/octet-stream'), { 'Content-Type': 'multipart/form-data; boundary=b' }],
    ['as a gzip file', () => gzipSync(whole()), { 'Content-Type': 'application/gzip' }],
  ])('is accepted %s: images reach the jobs, names stay in the rows', async (_, make, headers) => {
    const answer = await upload(make(), headers);
    expect(await stored(answer)).toEqual(three);
    expect(answer.body.entity).toMatchObject({ counts: { rows: 3, jobs: 3, invalid: 0 }, unused_files: 1, errors: [] });
    const csv = await fileOf(answer, 'results?format=csv');
    expect(csv.split('\r\n')[1]).toMatch(/^NIN,70123456780,photos\/a\/1\.jpg,r0,queued,/);
    expect(csv.length).toBeLessThan(1_000);
  });

  test('is quoted by what is in its files, and nothing is stored', async () => {
    const answer = await app.post(`/api/v1/batches/quote?${QUERY}`, whole(), ZIP);
    expect(answer.body.entity, answer.text).toMatchObject({ counts: { rows: 3, jobs: 3, invalid: 0 }, unused_files: 1, quote_amount: 450 });
    const twins = archive([
      { name: '1.jpg', content: three[0] },
      { name: '2.jpg', content: three[0] },
      { name: 'manifest.csv', content: 'id_type,id_number,image\nNIN,70123456780,1.jpg\nNIN,70123456780,2.jpg\n' },
    ]);
    const quote = await app.post(`/api/v1/batches/quote?${QUERY}`, twins, ZIP);
    expect(quote.body.entity).toMatchObject({ counts: { rows: 2, jobs: 1, duplicate: 1 } });
    expect(await stored(await upload(twins, ZIP))).toEqual([three[0], null]);
  });

  test('with rows that name unavailable files: each such row is invalid, and comes back as a manifest', async () => {
    const answer = await upload(
      archive([
        { name: 'good.jpg', content: three[0] },
        { name: 'text.jpg', content: 'not an image' },
        { name: 'empty.jpg' },
        { name: 'broken.jpg', content: three[1], declared: { crc: 1 } },
        { name: 'large.jpg', content: picture(10 * MEGABYTE + 1) },
        manifest('good.jpg', 'missing.jpg', 'text.jpg', 'empty.jpg', 'broken.jpg', 'large.jpg', '', 'Good.jpg'),
      ]),
      ZIP,
    );
    expect(await stored(answer)).toEqual([three[0]]);
    expect(answer.body.entity.errors.map(({ row, path, rule }) => [row, path, rule])).toEqual([
      [2, 'image', 'file_not_found'],
      [3, 'image', 'invalid_image'],
      [4, 'image', 'empty'],
      [5, 'image', 'file_damaged'],
      [6, 'image', 'file_too_large'],
      [7, 'image', 'required'],
      [8, 'image', 'file_not_found'],
    ]);
    const errors = await fileOf(answer, 'errors');
    expect(errors.split('\r\n').slice(0, 2)).toEqual([
      'ID Type;Id Number;Image;Reference;confam_row;confam_error',
      'NIN;70123456781;missing.jpg;r1;2;Image: names a file that is not in the archive',
    ]);
    const again = await upload(
      archive([
        { name: 'manifest.csv', content: errors },
        ...['missing', 'text'].map((name) => ({ name: `${name}.jpg`, content: three[1] })),
      ]),
      ZIP,
    );
    expect(again.body.entity.counts).toMatchObject({ jobs: 2, invalid: 5 });
  });

  test.each<[string, () => Buffer, number, string]>([
    ['without a manifest', () => archive([{ name: '1.jpg' }]), 400, 'no_manifest'],
    ['that is truncated', () => whole().subarray(0, -30), 400, 'bad_archive'],
    ['with a password', () => archive([{ ...manifest('1.jpg'), deflate: true, declared: { flags: 1 } }]), 400, 'password_protected'],
    [
      'whose manifest lacks a column',
      () => archive([{ name: 'manifest.csv', content: 'id_type,id_number\nNIN,70123456780\n' }]),
      400,
      'missing_column',
    ],
    [
      'that holds a bomb',
      () => archive([manifest('1.jpg'), { name: '1.jpg', content: Buffer.alloc(9 * MEGABYTE), deflate: true }]),
      413,
      'expands_too_far',
    ],
  ])('%s is refused, and nothing is stored', async (_, make, status, rule) => {
    const answer = await upload(make(), ZIP);
    expect([answer.status, answer.body.details?.[0]?.rule], answer.text).toEqual([status, rule]);
    expect(await batchesOf(app)).toBe(0);
  });

  test('for checks without images: the files are ignored', async () => {
    const answer = await upload(
      archive([{ name: 'manifest.csv', content: 'nin,image\n70123456789,1.jpg\n' }, { name: '1.jpg' }]),
      ZIP,
      'checks=nin_basic&start=manual',
    );
    expect(answer.body.entity, answer.text).toMatchObject({ counts: { jobs: 1, invalid: 0 }, unused_files: 1 });
  });

  test('whose client hangs up leaves nothing', async () => {
    const bytes = whole();
    const client = request({
      host: '127.0.0.1',
      port: api.port,
      method: 'POST',
      path: `/api/v1/batches?${QUERY}`,
      headers: { Authorization: app.key, AppId: app.app, ...ZIP, 'Content-Length': String(bytes.length) },
    });
    client.on('error', () => {});
    await new Promise<void>((resolve) => client.write(bytes.subarray(0, -100), () => resolve()));
    client.destroy();
    expect((await upload(bytes, ZIP)).status).toBe(202);
    expect(await batchesOf(app)).toBe(1);
  });
});

const batchesOf = async ({ app: id }: Client): Promise<number> =>
  (await api.service.sql`select 1 from batches where app_id = ${parseId('app', id)}`).length;

describe('rows with base64', () => {
  const row = (bytes: Buffer, own: Record<string, unknown> = {}) => ({
    id_type: 'NIN',
    id_number: '70123456780',
    image: bytes.toString('base64'),
    ...own,
  });
  const lines = (...rows: unknown[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('');

  test.each<[string, (rows: unknown[]) => string, Record<string, string>]>([
    ['NDJSON', (rows) => lines(...rows), NDJSON],
    ['a document', (rows) => JSON.stringify({ checks: ['photoid_verify'], start: 'manual', rows }), { 'Content-Type': 'application/json' }],
  ])('%s: up to 10 MB an image, in rows that stay readable', async (_, write, headers) => {
    const [large, small] = [picture(10 * MEGABYTE), picture(40)];
    const rows = [
      row(large),
      row(small),
      row(picture(10 * MEGABYTE + 3)),
      { ...row(small), image: 'x' },
      row(small, { note: 'n'.repeat(70_000) }),
    ];
    const query = headers === NDJSON ? QUERY : '';
    const answer = await upload(write(rows), headers, query);
    // Compared with `equals`: a matcher would walk ten million bytes one by one.
    const images = await stored(answer);
    expect([images.length, images[0]?.equals(large), images[1]?.equals(small)]).toEqual([2, true, true]);
    expect(answer.body.entity.errors.map((error) => [error.row, error.rule])).toEqual([
      [3, 'image_too_large'],
      [4, 'invalid_image'],
      [5, 'row_too_large'],
    ]);
    const [first, second, third, fourth, fifth] = (await fileOf(answer, 'results?format=jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).input);
    expect(first).toEqual({ id_type: 'NIN', id_number: '70123456780', image: `(image of ${10 * MEGABYTE} bytes)` });
    expect([second.image, third.image, fourth.image, fifth]).toEqual([
      '(image of 40 bytes)',
      `(image of ${10 * MEGABYTE + 3} bytes)`,
      'x',
      null,
    ]);
  });

  test('for checks without images stay bounded to 64 KiB', async () => {
    const answer = await upload(
      lines({ nin: '70123456789' }, { nin: '70123456780', note: 'n'.repeat(70_000) }),
      NDJSON,
      'checks=nin_basic&start=manual',
    );
    expect(answer.body.entity.errors.map((error) => [error.row, error.rule])).toEqual([[2, 'row_too_large']]);
  });

  test('in CSV fit if they are small; larger ones are told of the archive', async () => {
    const csv = (bytes: Buffer) => `id_type,id_number,image\nNIN,70123456780,${bytes.toString('base64')}\n`;
    expect(await stored(await upload(csv(three[0].subarray(0, 40_000)), { 'Content-Type': 'text/csv' }))).toEqual([
      three[0].subarray(0, 40_000),
    ]);
    const answer = await upload(csv(three[1]), { 'Content-Type': 'text/csv' });
    expect(answer.body.entity.errors[0]).toMatchObject({ row: 1, rule: 'row_too_large', message: expect.stringMatching(/ZIP archive/) });
    const refused = await upload(csv(picture(5 * MEGABYTE)), { 'Content-Type': 'text/csv' });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(/ZIP archive/)]);
  });
});

describe('images once a batch runs', () => {
  test('a worker gets them with the row; a canceled job loses them', async () => {
    const answer = await upload(whole(), ZIP, 'checks=photoid_verify');
    const { leased } = await openDispatcher(api.service, api.service.router).fill(api.service.sql);
    expect(leased.length).toBeGreaterThan(0);
    for (const { id } of leased) await runChunk(api.service, id);
    const jobs = await api.service.sql<{ errorCode: string | null }[]>`
      select error_code from jobs where batch_id = ${parseId('bat', answer.body.entity.id)}`;
    // Whatever the answer: the input was whole.
    expect(jobs.filter(({ errorCode }) => errorCode === 'internal')).toEqual([]);

    const manual = await upload(whole(), ZIP);
    await app.post(`/api/v1/batches/${manual.body.entity.id}/cancel`);
    await waitFor('the end of the batch', async () => {
      await sweepWork(api.service);
      return (await stored(manual)).every((images) => images === null);
    });
  });
});
