/** The state of this process, as far as it can tell: what `/healthz`, `/readyz` and `/metrics` answer from. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Context } from '../foundation/context.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { isNearlyFull } from '../foundation/disk.ts';

export type Trouble = 'database down' | 'database unreachable' | 'database read-only' | 'disk full' | 'queue unusable' | 'check failed';

export interface Health {
  /** Trouble that only a restart could fix. Always null with an external database, which this process does not run. */
  alive(): Trouble | null;
  /** Trouble that keeps requests from being answered or, in a process without the API, work from being done. */
  ready(): Promise<Trouble | null>;
}

export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

export interface ProcessState {
  /** `starting` until everything that clients need is up. */
  phase(): 'starting' | 'ready' | 'draining';
  health: Health;
  /** The metrics of this process and of those beside it. */
  metrics(): Promise<MetricsJson[]>;
}

/** A probe that takes longer has failed: a frozen database never answers. */
const PROBE_MS = 2_000;
/** The disk is examined at most this often, however often somebody asks. */
const DISK_LOOK_MS = 5_000;
/** SQLSTATE disk_full. */
const DISK_FULL = '53100';

/** The embedded Postgres. */
export interface OwnDatabase {
  isRunning(): boolean;
  /** The database's own folder, which may be on another disk than the data folder. */
  dataDir: string;
}

/** `database`: null if it is external. */
export function openHealth(ctx: Context, database: OwnDatabase | null): Health {
  let disk: Promise<boolean> = Promise.resolve(false);
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function isDiskFull(): Promise<boolean> {
    if (performance.now() - lookedAt > DISK_LOOK_MS) {
      lookedAt = performance.now();
      disk = lookAtDisk(ctx, database);
      // The caller sees the failure; the next caller may look again at once.
      disk.catch(() => {
        lookedAt = Number.NEGATIVE_INFINITY;
      });
    }
    return disk;
  }

  const alive = (): Trouble | null => (database?.isRunning() === false ? 'database down' : null);
  return {
    alive,
    async ready() {
      const trouble = alive();
      if (trouble) return (await isNearlyFull(database!.dataDir)) ? 'disk full' : trouble;
      try {
        const [probe] = await within(
          PROBE_MS,
          ctx.sql<{ isReadOnly: boolean }[]>`select current_setting('transaction_read_only')::bool as is_read_only`,
        );
        if (probe!.isReadOnly) return 'database read-only';
        if (await within(PROBE_MS, isDiskFull())) return 'disk full';
        // The API needs no queue: what it accepts waits in the database.
        return ctx.process === 'api' || (await ctx.queues.isUsable(PROBE_MS)) ? null : 'queue unusable';
      } catch (error) {
        if (error instanceof NoAnswer || isDatabaseFault(error)) return 'database unreachable';
        ctx.log.error({ err: error }, 'readiness could not be checked');
        return 'check failed';
      }
    },
  };
}

async function lookAtDisk({ sql }: Context, database: OwnDatabase | null): Promise<boolean> {
  if (database && (await isNearlyFull(database.dataDir))) return true;
  try {
    // A sort that exceeds its memory writes a file. Without it only a write would notice a full disk.
    await sql.begin(async (tx) => {
      await tx`set local work_mem = '64kB'`;
      await tx`select n from (select n, repeat('x', 100) as filler from generate_series(1, 2000) n order by filler desc, n desc offset 1999) sorted`;
    });
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code === DISK_FULL) return true;
    throw error;
  }
}

class NoAnswer extends Error {}

/** Throws `NoAnswer` if the work takes longer. */
async function within<T>(ms: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
