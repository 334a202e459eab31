/**
 * The whole life of a 1,000,000-row batch: from the first byte of its upload to the webhook that reports its end, while another app makes cached calls. Then
 * how soon after a cancel nothing more of such a batch is leased.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilStarted } from './batch.ts';
import { startCallers } from './callers.ts';
import { ms, type Report, type Summary, summarize } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { cacheNumbers, RATE } from './sync.ts';

const ROWS: Size = { full: 1_000_000, tiny: 2_000 };
/** Rows of the batch that is canceled; it must still be running by then. */
const CANCELED_ROWS: Size = { full: 1_000_000, tiny: 20_000 };
const CANCEL_AFTER_MS: Size = { full: 3_000, tiny: 100 };
const MINUTES_MAX = 1.5;
const CALL_P99_MS_MAX = 25;
const CANCEL_MS_MAX = 1_000;
const LOOK_MS = 10;

export async function million(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, ROWS);
  const confam = await bench.startConfam(options.backend, { CONFAM_WEBHOOK_ALLOW_PRIVATE: 'true' });
  const [app, caller] = [await confam.createApp('Million'), await confam.createApp('Caller')];
  const paths = await cacheNumbers(confam, caller);
  const callers = await startCallers(bench, confam.baseUrl, caller.headers);
  const receiver = await openReceiver();

  const [uploaded, over] = [new AbortController(), new AbortController()];
  const callsOfUpload = callers.call(RATE, { stop: uploaded.signal }, paths);
  const began = performance.now();
  const { uploadMs } = await app.upload(rows, { callback_url: receiver.url });
  uploaded.abort();
  const uploadSamples = (await callsOfUpload).samples;
  const callsOfRun = callers.call(RATE, { stop: over.signal }, paths);
  const told = await receiver.ended;
  const wholeMs = performance.now() - began;
  over.abort();
  const runSamples = (await callsOfRun).samples;
  const [whileUploading, whileRunning, meanwhile] = [uploadSamples, runSamples, [...uploadSamples, ...runSamples]].map(summarize) as [
    Summary,
    Summary,
    Summary,
  ];
  if (told.found !== rows) throw new Error(`of ${rows} rows ${told.found} were found`);

  const cancelMs = await cancel(confam, app, rowsOf(options, CANCELED_ROWS), sized(options, CANCEL_AFTER_MS));
  await callers.stop();
  await receiver.close();
  await confam.stop();
  const size = rows.toLocaleString('en');
  return {
    figures: [
      {
        what: `${size} rows from upload to webhook`,
        measured: `${(wholeMs / 60_000).toFixed(2)} min`,
        reference: `upload ${(uploadMs / 1000).toFixed(1)} s`,
        target: `≤ ${MINUTES_MAX} min`,
        ok: wholeMs <= MINUTES_MAX * 60_000,
      },
      {
        what: `cached call, ${RATE}/s meanwhile, p99`,
        measured: ms(meanwhile.p99),
        reference: `${ms(whileUploading.p99)} while uploading, ${ms(whileRunning.p99)} while running`,
        target: `≤ ${CALL_P99_MS_MAX} ms`,
        ok: meanwhile.p99 <= CALL_P99_MS_MAX,
      },
      {
        what: `cancel of ${size} rows until nothing new is leased`,
        measured: ms(cancelMs),
        target: `≤ ${CANCEL_MS_MAX} ms`,
        ok: cancelMs <= CANCEL_MS_MAX,
      },
    ],
    detail: { rows, wholeMs, uploadMs, meanwhile, whileUploading, whileRunning, cancelMs },
  };
}

/** Milliseconds from the request to the last lease, from the chunks' rows on Postgres's clock; 0 if nothing was leased after it. */
async function cancel(confam: Confam, app: App, rows: number, afterMs: number): Promise<number> {
  const { id } = await app.upload(rows);
  await untilStarted(confam.sql, id);
  await sleep(afterMs);
  const [sent] = await confam.sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  const answer = fetch(`${confam.baseUrl}/api/v1/batches/bat_${id.replaceAll('-', '')}/cancel`, { method: 'POST', headers: app.headers });
  for (;;) {
    const [batch] = await confam.sql<{ status: string }[]>`select status from batches where id = ${id}`;
    if (batch!.status === 'canceled') break;
    if (batch!.status === 'completed') throw new Error('the batch was over before it was canceled');
    await sleep(LOOK_MS);
  }
  if (!(await answer).ok) throw new Error(`cancel: ${(await answer).status}`);
  // Chunks are created in the transaction of their lease, and kept for a minute after their end.
  const [last] = await confam.sql<{ ms: number | null }[]>`
    select extract(epoch from max(created_at) - ${sent!.at}::timestamptz)::float8 * 1000 as ms from chunks where app_id = ${app.id}`;
  return Math.max(0, last!.ms ?? 0);
}

/** Receives the webhook that reports the end of one batch. */
async function openReceiver(): Promise<{ url: string; ended: Promise<{ found: number }>; close(): Promise<void> }> {
  let tell: (counts: { found: number }) => void = () => {};
  const ended = new Promise<{ found: number }>((resolve) => {
    tell = resolve;
  });
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    response.writeHead(204).end();
    const event = JSON.parse(text) as { type: string; data: { counts: { found: number } } };
    if (event.type === 'batch.completed') tell(event.data.counts);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ended,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
