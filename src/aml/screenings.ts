/**
 * The indexes that this process screens with: the current lists for live keys (`live-index.ts`), the sandbox lists for test keys.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderFailure } from '../checks/provider.ts';
import { buildIndex } from '../engines/aml/match/build.ts';
import { openScreener, type ScreenRequest } from '../engines/aml/screener.ts';
import type { Context } from '../foundation/context.ts';
import { once } from '../foundation/once.ts';
import type { Screened } from './answer.ts';
import { missingLists } from './current-lists.ts';
import type { ListDefinition } from './definitions.ts';
import { type CheckedVersion, type Generation, INDEX_TIMING, type IndexTiming, LiveIndex } from './live-index.ts';
import type { SandboxLists } from './sandbox-lists.ts';

export interface Screenings {
  /** Throws `ProviderFailure`: `lists_not_loaded` if a required list is missing, `list_not_loaded` if a list that the request names is. */
  screen(live: boolean, request: ScreenRequest): Promise<Screened>;
  /** Resolves once screenings can be answered. Throws `lists_not_loaded` if that takes too long. */
  prepared(live: boolean): Promise<void>;
  /** Ids of all lists that live screenings may name, loaded or not. */
  watchLists: readonly string[];
  /** A sentence saying why live screenings are refused; null if they are not. */
  unready(): string | null;
  /** Indexes the current lists, if any, before the first screening. */
  preload(): void;
  close(): Promise<void>;
}

/** How long a screening waits for its index. The sandbox's index is built only when the first screening asks for it, so that one waits longer. */
const INDEX_WAIT_MS = { live: 4_000, sandbox: 15_000 } as const;
const INDEXING_RETRY_MS = 2_000;

export async function openScreenings(
  ctx: Context,
  definitions: readonly ListDefinition[],
  sandboxLists: SandboxLists,
  timing: IndexTiming = INDEX_TIMING,
): Promise<Screenings> {
  const watchLists = definitions.map(({ list }) => list);
  const live = new LiveIndex(ctx, watchLists, timing);
  const unfollow = await live.follow();
  const required = definitions.filter(({ isRequired }) => isRequired).map(({ list }) => list);
  // A few dozen people. Made at the first screening: a service that is used for live screenings only need not keep the thread that compares them.
  const sandbox = once(() => indexSandbox(sandboxLists));
  const unready = () =>
    whyUnready(definitions, live.inForce) ?? (live.isTooOld() ? 'Indexing the current lists has been failing for too long' : null);

  const generation = async (isLive: boolean): Promise<Generation> => {
    const reason = isLive ? unready() : null;
    if (reason !== null) throw notLoaded(reason);
    return isLive ? inTime(live.generation().catch(notIndexed), INDEX_WAIT_MS.live) : inTime(sandbox(), INDEX_WAIT_MS.sandbox);
  };

  return {
    async screen(isLive, request) {
      const { screener, lists } = await generation(isLive);
      const wanted = request.options.lists;
      const isMissing = (list: string) => !lists.some((one) => one.list === list);
      const absent = [...(isLive ? required : []), ...(wanted ?? [])].filter(isMissing);
      if (absent.length > 0) {
        // A list stored after the index was built will be in it in a moment.
        const isComing = isLive && absent.every((list) => live.inForce.some((one) => one.list === list));
        throw isComing ? indexing(`Not loaded: ${absent.join(', ')}`) : notLoaded(`Not loaded: ${absent.join(', ')}`, 'list_not_loaded');
      }
      const matches = await screener.screen(request);
      return { matches, lists: wanted ? lists.filter(({ list }) => wanted.includes(list)) : lists };
    },
    async prepared(isLive) {
      await generation(isLive);
    },
    watchLists,
    unready,
    preload() {
      if (live.inForce.length > 0) void live.generation();
    },
    async close() {
      live.abort();
      await unfollow();
      await Promise.all([live.close(), sandbox.made().then((generation) => generation?.screener.close())]);
    },
  };
}

async function indexSandbox(sandboxLists: SandboxLists): Promise<Generation> {
  const lists = await sandboxLists.screened();
  return { screener: await openScreener(buildIndex(await sandboxLists.inForce()), 1), versions: [], lists };
}

/** A sentence; null if no required list is missing or too old. */
function whyUnready(definitions: readonly ListDefinition[], inForce: readonly CheckedVersion[]): string | null {
  const missing = missingLists(definitions, inForce, Date.now());
  if (missing.length === 0) return null;
  const names = (reason: string) => missing.filter((one) => one.reason === reason).map(({ list }) => list);
  const [absent, old] = [names('absent'), names('too_old')];
  return [
    absent.length > 0 ? `Not loaded: ${absent.join(', ')}` : '',
    old.length > 0 ? `Not confirmed by the publisher for too long: ${old.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('. ');
}

/** Building an index takes seconds. A call is asked to retry; a job retries by itself. */
async function inTime(made: Promise<Generation>, waitMs: number): Promise<Generation> {
  const timer = new AbortController();
  const late = sleep(waitMs, null, { signal: timer.signal, ref: false }).catch(() => null);
  const generation = await Promise.race([made, late]);
  timer.abort();
  if (generation === null) throw indexing('The lists are being indexed');
  return generation;
}

const notIndexed = (): never => {
  throw notLoaded('The lists cannot be indexed at present');
};

const notLoaded = (detail: string, code: 'lists_not_loaded' | 'list_not_loaded' = 'lists_not_loaded') =>
  new ProviderFailure(code, { scope: 'subject', detail });

/** It will be there in a moment, so a call may ask again soon. */
const indexing = (detail: string) => new ProviderFailure('lists_not_loaded', { scope: 'subject', detail, retryAfterMs: INDEXING_RETRY_MS });
