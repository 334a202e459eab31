/**
 * GET requests on a schedule, sent by a process of their own (`callers-program.ts`). The process of a benchmark has a heap of 100 MB whose collections take
 * both processors for 30 to 80 ms. Requests sent from it were late by that, and also waited for the processors.
 */
import { Agent, fetch } from 'undici';
import type { Bench } from './harness.ts';
import type { Headers, Paced } from './load.ts';

/** Heap sizes (MB) so large that only young objects are collected, at most every half a minute, by the one thread that also sends. */
const FLAGS = [
  '--single-threaded-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--initial-heap-size=512',
  '--no-memory-reducer',
];

/** The request to the program. */
export interface Round {
  rate: number;
  /** Null: until it is told to stop. */
  seconds: number | null;
  /** The n-th request asks for the n-th, and then from the first on again. */
  paths: readonly string[];
}

/** Times of all requests, and the reason of each that was not answered well. */
export interface Called extends Paced {
  failures: string[];
}

export interface Callers {
  /** Requests for `paths` on a fixed schedule, until `until` and the last answer. `stop` ends all rounds without an end. Throws if one was not answered well. */
  call(rate: number, until: { seconds: number } | { stop: AbortSignal }, paths: readonly string[]): Promise<Paced>;
  /** As `call`, but failures are returned. */
  tryToCall(rate: number, until: { seconds: number } | { stop: AbortSignal }, paths: readonly string[]): Promise<Called>;
  stop(): Promise<void>;
}

export async function startCallers(bench: Bench, baseUrl: string, headers: Headers): Promise<Callers> {
  const program = await bench.startProgram<{ url: string }>(
    new URL('./callers-program.ts', import.meta.url),
    { CALLERS: JSON.stringify({ baseUrl, headers }) },
    FLAGS,
  );
  // A round is answered when it ends, however long it takes.
  const dispatcher = new Agent({ headersTimeout: 0 });
  const tell = async (method: 'POST' | 'DELETE', round?: Round) => {
    const answer = await fetch(program.line.url, { method, dispatcher, ...(round && { body: JSON.stringify(round) }) });
    if (!answer.ok) throw new Error(`callers: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  const tryToCall: Callers['tryToCall'] = async (rate, until, paths) => {
    const called = tell('POST', { rate, paths, seconds: 'seconds' in until ? until.seconds : null });
    if ('stop' in until) {
      const stop = () => void tell('DELETE').catch(() => {});
      if (until.stop.aborted) stop();
      else until.stop.addEventListener('abort', stop, { once: true });
    }
    return JSON.parse(await called) as Called;
  };
  return {
    tryToCall,
    async call(rate, until, paths) {
      const { failures, ...paced } = await tryToCall(rate, until, paths);
      if (failures.length > 0) throw new Error(`${failures.length} requests failed, the first with ${failures[0]}`);
      return paced;
    },
    async stop() {
      await dispatcher.close();
      await program.stop();
    },
  };
}
