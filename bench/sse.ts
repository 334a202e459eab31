/**
 * Five hundred streams of one running batch: how long after a commit the event of a status arrives, and what the streams cost the API in processor time.
 * Statuses are changed by hand on a batch that is waiting to be started, so that the moment of the commit is known.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { showId } from '../src/foundation/ids.ts';
import { untilCompleted } from './batch.ts';
import { ms, type Report, summarize } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { cpuSeconds } from './memory.ts';

const STREAMS: Size = { full: 500, tiny: 20 };
const ROWS: Size = { full: 20_000, tiny: 1_000 };
const CHANGES: Size = { full: 20, tiny: 4 };
const CHANGE_EVERY_MS = 330;
const P99_MS_MAX = 1_000;
/** Limit on waiting for the last events. */
const LATE_MS_MAX = 10_000;

export async function sse(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend);
  const app = await confam.createApp('Streams');
  const streams = sized(options, STREAMS);
  const delays = await delaysOfStatuses(confam, app, streams, sized(options, CHANGES));
  const running = await costOfProgress(confam, app, streams, rowsOf(options, ROWS));
  await confam.stop();
  return {
    figures: [
      {
        what: `commit to event, ${streams} streams, p99`,
        measured: ms(delays.p99),
        target: `≤ ${P99_MS_MAX} ms`,
        ok: delays.p99 <= P99_MS_MAX,
      },
      {
        what: `API processor time for ${streams} streams of a running batch`,
        measured:
          running.share === null ? 'unknown: not Linux' : `${(running.share * 100).toFixed(0)} % of a core, ${running.events} events/s`,
      },
    ],
    detail: { delays, running },
  };
}

async function delaysOfStatuses(confam: Confam, app: App, count: number, changes: number) {
  // Only these statements change the status of a batch that is waiting to be started.
  const { id } = await app.upload(1, { start: 'manual' });
  const arrivals = new Map<number, number[]>();
  const streams = await openStreams(confam, app, id, count, (text) => {
    const now = performance.now();
    for (const [, id] of text.matchAll(/^id: (\d+)$/gm)) arrivals.set(Number(id), [...(arrivals.get(Number(id)) ?? []), now]);
  });
  await sleep(1_000);
  const [before] = await confam.sql<{ n: number }[]>`select count(*)::int as n from batch_history where batch_id = ${id}`;
  const committed: number[] = [];
  for (let i = 1; i <= changes; i++) {
    await confam.sql`update batches set status = ${i % 2 === 1 ? 'paused' : 'awaiting_start'} where id = ${id}`;
    committed.push(performance.now());
    await sleep(CHANGE_EVERY_MS + Math.random() * 100);
  }
  const delays = () => committed.flatMap((at, i) => (arrivals.get(before!.n + i + 1) ?? []).map((arrived) => arrived - at));
  for (const deadline = performance.now() + LATE_MS_MAX; delays().length < count * changes && performance.now() < deadline; )
    await sleep(50);
  streams.close();
  const samples = delays();
  if (samples.length < count * changes) throw new Error(`${samples.length} of ${count * changes} events arrived`);
  return summarize(samples);
}

async function costOfProgress(confam: Confam, app: App, count: number, rows: number) {
  const { id } = await app.upload(rows);
  let events = 0;
  const cpuBefore = cpuSeconds(confam.pid);
  const began = performance.now();
  const streams = await openStreams(confam, app, id, count, (text) => {
    events += text.split('event: ').length - 1;
  });
  await untilCompleted(confam.sql, id);
  const seconds = (performance.now() - began) / 1000;
  const cpu = cpuSeconds(confam.pid);
  streams.close();
  return { seconds, events: Math.round(events / seconds), share: cpu === null || cpuBefore === null ? null : (cpu - cpuBefore) / seconds };
}

/** Resolves when all are connected. */
export async function openStreams(
  { baseUrl }: Pick<Confam, 'baseUrl'>,
  { headers }: Pick<App, 'headers'>,
  batchId: string,
  count: number,
  onText: (text: string) => void,
): Promise<{ close(): void }> {
  const agent = new Agent({ keepAlive: false, maxSockets: count });
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve, reject) => {
          const url = `${baseUrl}/api/v1/batches/${showId('bat', batchId)}/events`;
          const made = request(url, { agent, headers }, (response) => {
            if (response.statusCode !== 200) return reject(new Error(`events: ${response.statusCode}`));
            response.setEncoding('utf8').on('data', onText);
            response.on('error', () => {});
            resolve();
          });
          made.on('error', reject);
          made.end();
        }),
    ),
  );
  return { close: () => agent.destroy() };
}
