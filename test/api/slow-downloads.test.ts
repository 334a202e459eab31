/** Clients that read their results slowly, or not at all: what they hold, and who has to wait for them. */
import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { spool } from '../../src/rows/spool.ts';
import { readXlsx } from '../../src/rows/xlsx.ts';
import { type Body, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const STALL_MS = 3_000;
/** Two downloads of an app at a time, of four. */
const SHARE = 2;
/** Longer than it takes to fill what the kernel buffers for a client, and longer than a page is kept. */
const STOP_MS = 2_500;
const ROWS = 16_000;
/** Data that no compression shrinks by more than half. */
const noteOf = (i: number): string => createHash('shake256', { outputLength: 500 }).update(`${i}`).digest('hex');

const api = useApi({ CONFAM_DOWNLOADS_MAX: '4', CONFAM_EVENT_STREAMS_MAX: '4', CONFAM_ANSWER_STALL_MS: `${STALL_MS}` });
let app: TestApp;
let other: TestApp;
let batch: string;
beforeAll(async () => {
  app = await api.createApp({ naira: 100_000_000 });
  other = await api.createApp();
  // Every hundredth is invalid; the file is larger than what the kernel buffers for a client.
  const row = (i: number) => `${i % 100 === 0 ? 'bad' : 50_000_000_000 + i},${noteOf(i)}\n`;
  const upload = await app.csv('checks=nin_basic&start=manual', `nin,note\n${Array.from({ length: ROWS }, (_, i) => row(i)).join('')}`);
  expect(upload.status, upload.text).toBe(202);
  batch = upload.body.entity.id;
}, 120_000);

interface Download {
  status: number;
  response: IncomingMessage;
  closed: Promise<void>;
}

/** Sends the request and reads the headers, and nothing else unless the test does. */
function open(path: string, headers: Record<string, string> = {}): Promise<Download> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: api.port, path, agent: false, headers });
    asked.on('error', reject);
    asked.on('response', (response) => {
      const closed = new Promise<void>((ended) => response.once('close', ended));
      response.on('error', () => {});
      response.pause();
      resolve({ status: response.statusCode!, response, closed });
    });
    asked.end();
  });
}

const as = ({ key, app: id }: TestApp) => ({ Authorization: key, AppId: id });

async function bodyOf({ response }: Download): Promise<Body<unknown>> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return JSON.parse(text);
}

/** Reads the file with pauses longer than a page is kept. */
async function readWithStops(path: string, headers: Record<string, string>): Promise<Buffer> {
  const { response, status } = await open(path, headers);
  expect(status).toBe(200);
  const parts: Buffer[] = [];
  let sinceStop = 0;
  let stops = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    sinceStop += part.length;
    if (sinceStop < 1_000_000 || stops === 2) continue;
    await sleep(STOP_MS);
    sinceStop = 0;
    stops++;
  }
  return Buffer.concat(parts);
}

describe('downloads that nobody reads', () => {
  test('are cut after a time without progress; meanwhile others get theirs, and the app is told to come back', async () => {
    const path = `/api/v1/batches/${batch}/results`;
    const stalled = [await open(path, as(app)), await open(path, as(app))];
    expect(stalled.map(({ status }) => status)).toEqual(Array(SHARE).fill(200));
    const began = performance.now();
    const third = await open(path, as(app));
    expect([third.status, third.response.headers['retry-after']]).toEqual([429, '30']);
    expect(await bodyOf(third)).toMatchObject({ code: 'too_many_in_progress' });
    const small = (await other.csv('checks=nin_basic&start=manual', 'nin\n70123456789\n')).body.entity;
    expect((await other.get(`/api/v1/batches/${small.id}/results`)).status).toBe(200);
    await waitFor('both slots', async () => {
      const again = await Promise.all([open(path, as(app)), open(path, as(app))]);
      for (const { response } of again) response.destroy();
      return again.every(({ status }) => status === 200);
    });
    expect(performance.now() - began).toBeGreaterThan(STALL_MS / 2);
    for (const { response, closed } of stalled) {
      response.resume();
      await closed;
      expect(response.complete).toBe(false);
    }
  });

  test("count towards the batch's app if they come by a link", async () => {
    const link = await app.post<{ path: string }>(`/api/v1/batches/${batch}/links`, {
      kind: 'results',
      format: 'csv',
      expires_in_seconds: 600,
    });
    expect(link.status, link.text).toBe(201);
    const { path } = link.body.entity;
    const stalled = [await open(path), await open(path)];
    expect(stalled.map(({ status }) => status)).toEqual(Array(SHARE).fill(200));
    const third = await open(path);
    expect(third.status).toBe(429);
    third.response.destroy();
    for (const { response } of stalled) response.destroy();
    await waitFor('their slots', async () => {
      const again = await open(path);
      again.response.destroy();
      return again.status === 200;
    });
  });

  test('of events have their share too', async () => {
    const path = `/api/v1/batches/${batch}/events`;
    const streams = [await open(path, as(app)), await open(path, as(app))];
    expect(streams.map(({ status }) => status)).toEqual(Array(SHARE).fill(200));
    const third = await open(path, as(app));
    expect(third.status).toBe(429);
    expect(await bodyOf(third)).toMatchObject({ code: 'too_many_in_progress' });
    for (const { response } of streams) response.destroy();
  });
});

describe('a download whose client pauses now and then', () => {
  test.each(['csv', 'jsonl'])('is the same file, row for row (%s)', { timeout: 60_000 }, async (format) => {
    const path = `/api/v1/batches/${batch}/results?format=${format}`;
    const whole = (await app.get(path)).text;
    expect(whole.match(/\n/g)).toHaveLength(ROWS + (format === 'csv' ? 1 : 0));
    expect(new TextDecoder().decode(await readWithStops(path, as(app)))).toBe(whole);
  });

  test('is the same file compressed', { timeout: 60_000 }, async () => {
    const path = `/api/v1/batches/${batch}/results`;
    const whole = (await app.get(path)).text;
    expect(new TextDecoder().decode(gunzipSync(await readWithStops(path, { ...as(app), 'Accept-Encoding': 'gzip' })))).toBe(whole);
  });

  test('is the same sheet', { timeout: 60_000 }, async () => {
    const bytes = await readWithStops(`/api/v1/batches/${batch}/results?format=xlsx`, as(app));
    const { columns, rows } = await readXlsx(await spool(Readable.from([bytes])), { sheet: null, expandedMax: 1_000_000_000 });
    const at = columns.indexOf('row_number');
    let row = 0;
    for await (const some of rows) {
      for (const { value } of some) {
        expect(value![at]).toBe(`${++row}`);
        expect(value![1]).toBe(noteOf(row - 1));
      }
    }
    expect(row).toBe(ROWS);
  });

  test('is the same file of rows to correct', async () => {
    const whole = (await app.get(`/api/v1/batches/${batch}/errors`)).text;
    const lines = whole.trimEnd().split('\r\n');
    expect(lines).toHaveLength(ROWS / 100 + 1);
    expect(lines.slice(1).map((line) => Number(line.split(',')[2]))).toEqual(Array.from({ length: ROWS / 100 }, (_, i) => i * 100 + 1));
  });
});
