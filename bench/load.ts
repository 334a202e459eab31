/**
 * Two ways to load a server. A closed loop (a fixed number of clients, each asking again as soon as it is answered) finds what a server can do; an open loop
 * (a fixed number of requests a second, whatever the answers) finds how long a client of a server with spare capacity waits.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import autocannon from 'autocannon';
import { Pool } from 'undici';

export type Headers = Record<string, string>;

/** An answer that takes longer counts as missing. The slowest answers of a slow vendor take more than autocannon's default of ten seconds. */
const ANSWER_SECONDS = 60;

/** Milliseconds of every answer. Throws if one was not 200: refusals are quick and would pass for speed. */
export async function closedLoop(
  url: string,
  { connections, seconds, paths, headers = {} }: { connections: number; seconds: number; paths: readonly string[]; headers?: Headers },
): Promise<number[]> {
  const samples: number[] = [];
  let clients = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      duration: seconds,
      headers,
      timeout: ANSWER_SECONDS,
      // Each client starts at a different place in the list, so that they do not all ask for the same thing at once.
      setupClient: (client) => {
        const from = Math.floor((clients++ * paths.length) / connections);
        client.setRequests([...paths.slice(from), ...paths.slice(0, from)].map((path) => ({ path, method: 'GET' })));
      },
    };
    // autocannon's own histogram only has whole milliseconds.
    autocannon(options, (error, done) => (error ? reject(error) : resolve(done))).on('response', (_client, _status, _bytes, responseMs) =>
      samples.push(responseMs),
    );
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${samples.length} requests failed: ${JSON.stringify(result.statusCodeStats)}`);
  return samples;
}

export interface Paced {
  /** Milliseconds from the time that a request was due to the end of its answer. */
  samples: number[];
  /** Milliseconds that requests were sent late: the load generator's own share of `samples`. */
  lateness: number[];
}

/**
 * The thread that keeps time for the open loop (JavaScript: tsx loads no worker threads). It sleeps to a tenth of a millisecond, while a timer of the event
 * loop is up to a millisecond late; and unlike spinning it costs next to nothing.
 */
const PACER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const never = new Int32Array(new SharedArrayBuffer(4));
  const now = () => Number(process.hrtime.bigint()) / 1e6;
  const began = now() + workerData.leadMs;
  for (let index = 0; index < workerData.count; index++) {
    const due = began + index * workerData.intervalMs;
    Atomics.wait(never, 0, 0, Math.max(0, due - now()));
    parentPort.postMessage({ index, due });
  }`;

/** Delay before the first request of a timed round. Starting the pacing thread takes a tenth of a second of processor time, which a server under full load would be missing. */
const LEAD_MS = 1_000;

/** Milliseconds on a clock that is the same in every thread. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Calls `fire` on a fixed schedule for `seconds` or until `stop`, whether or not earlier calls have ended; then waits for all of them and throws the first error. */
export async function openLoop(
  rate: number,
  until: { seconds: number } | { stop: AbortSignal },
  fire: (index: number) => Promise<void>,
): Promise<Paced> {
  const paced: Paced = { samples: [], lateness: [] };
  const underWay = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  const count = 'seconds' in until ? Math.ceil(until.seconds * rate) : Number.MAX_SAFE_INTEGER;
  const leadMs = 'seconds' in until ? LEAD_MS : 0;
  const pacer = new Worker(PACER, { eval: true, execArgv: [], workerData: { intervalMs: 1000 / rate, count, leadMs } });
  const ended = once(pacer, 'exit');
  if ('stop' in until) until.stop.addEventListener('abort', () => void pacer.terminate(), { once: true });
  pacer.on('message', ({ index, due }: { index: number; due: number }) => {
    if ('stop' in until && until.stop.aborted) return;
    paced.lateness.push(now() - due);
    const fired: Promise<void> = fire(index)
      .then(() => void paced.samples.push(now() - due))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => underWay.delete(fired));
    underWay.add(fired);
  });
  await ended;
  await Promise.all(underWay);
  if (failure) throw (failure as { error: unknown }).error;
  return paced;
}

export interface HttpClient {
  get(path: string): Promise<void>;
  post(path: string, body: unknown): Promise<void>;
  close(): Promise<void>;
}

/** A client over many connections. Throws on any answer that is not 2xx; reads bodies to their end. */
export function openClient(url: string, headers: Headers): HttpClient {
  const pool = new Pool(url, { connections: 128 });
  const send = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await pool.request({
      method,
      path,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path.split('?')[0]}: ${answer.statusCode} ${text.slice(0, 300)}`);
  };
  return { get: (path) => send('GET', path), post: (path, body) => send('POST', path, body), close: () => pool.close() };
}
