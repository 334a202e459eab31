/** The index of the current lists: built at the first screening, and again when a list changes. The old one answers until the new one is ready. */
import { availableParallelism } from 'node:os';
import { openScreener, type Screener } from '../engines/aml/screener.ts';
import { openThreads } from '../engines/threads.ts';
import type { Context } from '../foundation/context.ts';
import type { ScreenedList } from './answer.ts';
import type { BuildTask, Built } from './build-thread.ts';
import { LISTS_CHANNEL } from './current-lists.ts';

/** The index that all concurrent screenings use. */
export interface Generation {
  screener: Screener;
  /** The live list versions it was built from. */
  versions: Version[];
  lists: ScreenedList[];
}

interface Version {
  list: string;
  versionId: string;
}

export interface CheckedVersion extends Version {
  checkedAt: string;
}

export interface IndexTiming {
  /** How long the index may lag behind the lists in force. Allow for two builds: with large lists, one takes tens of seconds on a busy machine. */
  behindMs: number;
  /** A build that takes longer is stopped and started again. */
  buildMs: number;
}

export const INDEX_TIMING: IndexTiming = { behindMs: 600_000, buildMs: 240_000 };

/** Changes within this time share one build. */
const SETTLE_MS = 200;
const RETRY_MS = 5_000;
const POLL_MS = 60_000;

export class LiveIndex {
  /** The versions that the database last named. */
  inForce: CheckedVersion[] = [];
  private readonly ctx: Context;
  private readonly lists: readonly string[];
  private readonly timing: IndexTiming;
  private readonly threads: number;
  private current: Promise<Generation> | null = null;
  private timer: NodeJS.Timeout | null = null;
  /** When the index in use fell behind the lists in force, by `performance.now()`; null: it has not. */
  private behindSince: number | null = null;
  private building: Promise<void> = Promise.resolve();
  private readonly stop = new AbortController();

  constructor(ctx: Context, lists: readonly string[], timing: IndexTiming) {
    this.ctx = ctx;
    this.lists = lists;
    this.timing = timing;
    this.threads = ctx.config.CONFAM_AML_THREADS ?? availableParallelism();
  }

  /** Reads which versions are in force, and listens for changes. Returns a function that stops listening. */
  async follow(): Promise<() => Promise<void>> {
    await this.readVersions();
    // After a reconnect, reading again makes up for missed announcements; the poll is the second safety net.
    const listener = await this.ctx.sql.listen(
      LISTS_CHANNEL,
      () => this.heard(SETTLE_MS),
      () => this.heard(0),
    );
    const poll = setInterval(() => {
      // A hanging build must not stop this metric.
      this.tellBehind();
      this.heard(0);
    }, POLL_MS).unref();
    return async () => {
      clearInterval(poll);
      await listener.unlisten();
    };
  }

  /** Whether the index has been behind for so long that screening with it would be wrong. */
  isTooOld(): boolean {
    return this.behindMs() > this.timing.behindMs;
  }

  /** Builds it on the first call. */
  generation(): Promise<Generation> {
    if (!this.current) {
      const first = this.build();
      this.current = first;
      // The next caller tries again.
      first.catch((error) => {
        if (this.current === first) this.current = null;
        if (!this.stop.signal.aborted) this.ctx.log.error({ err: error }, 'watch lists could not be indexed');
      });
    }
    return this.current;
  }

  /** Also ends the thread of a running build. */
  abort(): void {
    this.stop.abort();
    if (this.timer) clearTimeout(this.timer);
  }

  /** To be called after `abort`. */
  async close(): Promise<void> {
    await this.building;
    const generation = await this.current?.catch(() => null);
    await generation?.screener.close();
  }

  private async readVersions(): Promise<void> {
    this.inForce = await this.ctx.sql<
      CheckedVersion[]
    >`select list, version_id, checked_at::text from aml_lists where list = any(${this.lists}::text[])`;
  }

  private behindMs(): number {
    return this.behindSince === null ? 0 : performance.now() - this.behindSince;
  }

  private tellBehind(): void {
    this.ctx.metrics.listIndexBehind.set(this.behindMs() / 1_000);
  }

  /** Reads the versions again, and rebuilds the index if this process uses it. */
  private heard(afterMs: number): void {
    if (this.stop.signal.aborted || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.building = this.building
        .then(() => this.renew())
        .catch((error) => {
          if (!this.stop.signal.aborted) this.ctx.log.error({ err: error }, 'the watch list index was not renewed');
          this.heard(RETRY_MS);
        })
        .finally(() => this.tellBehind());
    }, afterMs).unref();
  }

  /** Compares with what the index was built from, so that a failed build is made up for. */
  private async renew(): Promise<void> {
    await this.readVersions();
    const old = await this.current?.catch(() => null);
    const isCurrent = !old || sameVersions(old.versions, this.inForce);
    this.behindSince = isCurrent ? null : (this.behindSince ?? performance.now());
    if (isCurrent) return;
    this.current = Promise.resolve(await this.build());
    this.behindSince = null;
    await old.screener.close();
  }

  private async build(): Promise<Generation> {
    const began = performance.now();
    const task = { databaseUrl: this.ctx.databaseUrl, lists: [...this.lists] };
    const { index, versions } = await runBuild(task, this.stop.signal, this.timing.buildMs);
    const screener = await openScreener(index, this.threads);
    this.ctx.log.info(
      {
        lists: versions.length,
        persons: index.persons.entryCount,
        organizations: index.organizations.entryCount,
        ms: Math.round(performance.now() - began),
      },
      'watch lists indexed',
    );
    return {
      screener,
      versions: versions.map(({ list, id }) => ({ list, versionId: id })),
      lists: versions.map(({ list, label, publishedOn, entries }) => ({ list, version: label, publishedOn, entries })),
    };
  }
}

const sameVersions = (one: readonly Version[], other: readonly Version[]): boolean =>
  one.length === other.length && one.every(({ list, versionId }) => other.some((o) => o.list === list && o.versionId === versionId));

/** Runs in a thread of its own that ends with the build: it blocks no event loop, and its memory is freed afterwards. */
async function runBuild(task: BuildTask, stop: AbortSignal, limitMs: number): Promise<Built> {
  stop.throwIfAborted();
  // Not `AbortSignal.any`: Node 20 garbage-collects a time-out that only the compound signal refers to, so that it never fires.
  const signals = [stop, AbortSignal.timeout(limitMs)];
  const pool = openThreads<BuildTask, Built>(import.meta.url, './build-thread', { threads: 1 });
  let ended: Promise<void> | null = null;
  // Destroys the pool once, and without the signal of `run`: otherwise piscina 5.3.2 replaces the thread it ends.
  const end = () => {
    ended ??= pool.destroy();
    return ended;
  };
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  try {
    return await pool.run(task);
  } catch (error) {
    throw signals.find(({ aborted }) => aborted)?.reason ?? error;
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', end);
    await end();
  }
}
