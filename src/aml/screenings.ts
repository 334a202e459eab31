/**
 * The indexes that this process screens with: the current lists for live keys, the sandbox lists for test keys. When a list changes, a second index is built;
 * the old one answers until that is ready.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderFailure } from '../checks/provider.ts';
import { buildIndex } from '../engines/aml/match/build.ts';
import { openScreener, type Screener, type ScreenRequest } from '../engines/aml/screener.ts';
import { openThreads } from '../engines/threads.ts';
import type { Context } from '../foundation/context.ts';
import type { Screened, ScreenedList } from './answer.ts';
import type { BuildTask, Built } from './build-thread.ts';
import { LISTS_CHANNEL, missingLists } from './current-lists.ts';
import type { ListDefinition } from './definitions.ts';
import type { SandboxLists } from './sandbox-lists.ts';

export interface Screenings {
  /** Throws `ProviderFailure`: `lists_not_loaded` if a required list is missing, `list_not_loaded` if a list that the request names is. */
  screen(live: boolean, request: ScreenRequest): Promise<Screened>;
  /** A sentence saying why live screenings are refused; null if they are not. */
  unready(): string | null;
  /** Indexes the current lists, if any, before the first screening. */
  preload(): void;
  close(): Promise<void>;
}

/** The index that all concurrent screenings use. */
interface Generation {
  screener: Screener;
  /** The live list versions it was built from. */
  versions: Version[];
  lists: ScreenedList[];
}

interface Version {
  list: string;
  versionId: string;
}

interface InForce extends Version {
  checkedAt: string;
}

/** Changes within this time share one build. */
const SETTLE_MS = 200;
const RETRY_MS = 5_000;
const POLL_MS = 60_000;
const INDEX_WAIT_MS = 4_000;

export async function openScreenings(
  ctx: Context,
  definitions: readonly ListDefinition[],
  sandboxLists: SandboxLists,
): Promise<Screenings> {
  const threads = ctx.config.CONFAM_AML_THREADS ?? availableParallelism();
  let inForce: InForce[] = [];
  let current: Promise<Generation> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let building: Promise<void> = Promise.resolve();
  const stop = new AbortController();
  const required = definitions.filter(({ isRequired }) => isRequired).map(({ list }) => list);

  const readVersions = async () => {
    inForce = await ctx.sql<
      InForce[]
    >`select list, version_id, checked_at::text from aml_lists where list = any(${definitions.map(({ list }) => list)}::text[])`;
  };
  await readVersions();
  // After a reconnect, reading again makes up for missed announcements; the poll is the second safety net.
  const listener = await ctx.sql.listen(
    LISTS_CHANNEL,
    () => heard(SETTLE_MS),
    () => heard(0),
  );
  const poll = setInterval(() => heard(0), POLL_MS).unref();

  /** Reads the versions again, and rebuilds the index if this process uses it. */
  function heard(afterMs: number): void {
    if (stop.signal.aborted || timer) return;
    timer = setTimeout(() => {
      timer = null;
      building = building.then(renew).catch((error) => {
        if (!stop.signal.aborted) ctx.log.error({ err: error }, 'the watch list index was not renewed');
        heard(RETRY_MS);
      });
    }, afterMs).unref();
  }

  /** Compares with what the index was built from, so that a failed build is made up for. */
  async function renew(): Promise<void> {
    await readVersions();
    const old = await current?.catch(() => null);
    if (!old || sameVersions(old.versions, inForce)) return;
    current = Promise.resolve(await build());
    await old.screener.close();
  }

  async function build(): Promise<Generation> {
    const began = performance.now();
    const { index, versions } = await runBuild({ databaseUrl: ctx.databaseUrl, lists: definitions.map(({ list }) => list) }, stop.signal);
    const screener = await openScreener(index, threads);
    ctx.log.info(
      { lists: versions.length, entries: index.entryCount, names: index.rowCount, ms: Math.round(performance.now() - began) },
      'watch lists indexed',
    );
    return {
      screener,
      versions: versions.map(({ list, id }) => ({ list, versionId: id })),
      lists: versions.map(({ list, label, publishedOn, entries }) => ({ list, version: label, publishedOn, entries })),
    };
  }

  function live(): Promise<Generation> {
    if (!current) {
      const first = build();
      current = first;
      // The next caller tries again.
      first.catch((error) => {
        if (current === first) current = null;
        if (!stop.signal.aborted) ctx.log.error({ err: error }, 'watch lists could not be indexed');
      });
    }
    return current;
  }

  /** A few dozen people: the first caller indexes them within milliseconds. */
  const openSandbox = once(async (): Promise<Generation> => {
    const lists = await sandboxLists.screened();
    return {
      screener: await openScreener(buildIndex(await sandboxLists.inForce()), 1),
      versions: [],
      lists,
    };
  });

  const unready = (): string | null => {
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
  };

  return {
    async screen(isLive, request) {
      const reason = isLive ? unready() : null;
      if (reason !== null) throw notLoaded(reason);
      const { screener, lists } = await inTime(isLive ? live().catch(notIndexed) : openSandbox());
      const wanted = request.options.lists;
      const isMissing = (list: string) => !lists.some((one) => one.list === list);
      const absent = [...(isLive ? required : []), ...(wanted ?? [])].filter(isMissing);
      if (absent.length > 0) {
        // A list stored after the index was built will be in it in a moment.
        const isComing = isLive && absent.every((list) => inForce.some((one) => one.list === list));
        throw notLoaded(`Not loaded: ${absent.join(', ')}`, isComing ? 'lists_not_loaded' : 'list_not_loaded');
      }
      const matches = await screener.screen(request);
      return { matches, lists: wanted ? lists.filter(({ list }) => wanted.includes(list)) : lists };
    },
    unready,
    preload() {
      if (inForce.length > 0) void live();
    },
    async close() {
      // Also ends the thread of a running build.
      stop.abort();
      if (timer) clearTimeout(timer);
      clearInterval(poll);
      await listener.unlisten();
      await building;
      const generations = await Promise.all([current, openSandbox.made()].map((one) => one?.catch(() => null)));
      await Promise.all(generations.map((generation) => generation?.screener.close()));
    },
  };
}

const sameVersions = (one: readonly Version[], other: readonly Version[]): boolean =>
  one.length === other.length && one.every(({ list, versionId }) => other.some((o) => o.list === list && o.versionId === versionId));

/** Building an index takes seconds. A call is told to come again; a job retries by itself. */
async function inTime(made: Promise<Generation>): Promise<Generation> {
  const timer = new AbortController();
  const late = sleep(INDEX_WAIT_MS, null, { signal: timer.signal, ref: false }).catch(() => null);
  const generation = await Promise.race([made, late]);
  timer.abort();
  if (generation === null) throw notLoaded('The lists are being indexed');
  return generation;
}

const notIndexed = (): never => {
  throw notLoaded('The lists cannot be indexed at present');
};

const notLoaded = (detail: string, code: 'lists_not_loaded' | 'list_not_loaded' = 'lists_not_loaded') =>
  new ProviderFailure(code, { scope: 'subject', detail });

/** Makes it on the first call; after a failure, again on the next. */
function once<T>(make: () => Promise<T>): { (): Promise<T>; made(): Promise<T> | null } {
  let made: Promise<T> | null = null;
  const get = () => {
    made ??= make().catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
  return Object.assign(get, { made: () => made });
}

/** Runs in a thread of its own that ends with the build: it blocks no event loop, and its memory is freed afterwards. */
async function runBuild(task: BuildTask, stop: AbortSignal): Promise<Built> {
  stop.throwIfAborted();
  const pool = openThreads<BuildTask, Built>(import.meta.url, './build-thread', { threads: 1 });
  let ended: Promise<void> | null = null;
  // Destroys the pool once, and without the signal of `run`: otherwise piscina 5.3.2 replaces the thread it ends.
  const end = () => {
    ended ??= pool.destroy();
    return ended;
  };
  stop.addEventListener('abort', end, { once: true });
  try {
    return await pool.run(task);
  } finally {
    stop.removeEventListener('abort', end);
    await end();
  }
}
