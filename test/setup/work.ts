/** Apps with money, and batches made without HTTP, for the tests of single modules. */
import { afterAll, beforeAll } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import { createKey } from '../../src/access/keys.ts';
import type { Owner } from '../../src/access/owner.ts';
import { submitBatch } from '../../src/batches/submit.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import type { Provider } from '../../src/checks/provider.ts';
import type { BatchRow } from '../../src/contract/batches.ts';
import { batchOptions } from '../../src/contract/batches.ts';
import type { Context } from '../../src/foundation/context.ts';
import { sealEntity } from '../../src/jobs/entities.ts';
import { topUp } from '../../src/money/ledger.ts';
import { openService, type Service } from '../../src/pipeline/service.ts';
import { readCsv } from '../../src/rows/csv.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/provider.ts';
import type { TestDatabase } from './database.ts';
import { sealedEarlier } from './keys.ts';

export interface Bench {
  service: Service;
  sandbox: Sandbox;
}

/** A service without HTTP and workers; the test plays their part. */
export async function openBench(
  database: TestDatabase,
  options: { extra?: Record<string, string>; providers?: Provider[] } = {},
): Promise<Bench> {
  const sandbox = createSandbox();
  const providers = options.providers ?? [sandbox];
  const service = await openService(database.openContext({ CONFAM_JOB_BACKOFF_MS: '1', ...options.extra }), {
    live: providers,
    test: providers,
  });
  return { service, sandbox };
}

/** Such a service for the whole file. Its members are there once the tests run. */
export function useBench(database: TestDatabase): Bench {
  const bench = {} as Bench;
  beforeAll(async () => {
    Object.assign(bench, await openBench(database));
  });
  afterAll(() => bench.service.close());
  return bench;
}

export async function makeOwner(service: Service, naira = 1_000_000, settings: Owner['settings'] = {}): Promise<Owner> {
  const { id } = await createApp(service, 'test', settings);
  if (naira > 0) await topUp(service.sql, { appId: id, live: false }, naira * 100, null);
  const key = await createKey(service, 'test', id);
  return { appId: id, keyId: key!.id, live: false, settings };
}

/** For a sweep that nothing stops. */
export const never = new AbortController().signal;

/** Aborted from its `looks`-th look on, as if the process were told to stop between two steps. */
export const stopAfter = (looks: number) =>
  ({
    get aborted() {
      return looks-- <= 0;
    },
  }) as AbortSignal;

let seed = 10_000_000_000 + Math.floor(Math.random() * 80_000_000_000);
/** A well-formed number that the sandbox knows and this process has not used yet. */
export const freshNin = (): string => String(seed++).padStart(11, '0');

export async function uploadNins(service: Service, owner: Owner, nins: string[], options: Record<string, unknown> = {}): Promise<BatchRow> {
  async function* csv() {
    yield Buffer.from(['nin', ...nins].join('\n'));
  }
  const { batch } = await submitBatch(
    service,
    owner,
    {
      format: 'csv',
      source: await readCsv(csv()),
      options: batchOptions.parse({ checks: 'nin_basic', ...options }),
      whole: async () => {},
      thread: () => null,
    },
    bySystem('test'),
  );
  return batch;
}

/** Stores this result for a job outside of any block: as earlier releases stored every result, and as results with large images are still stored. */
export async function storeAlone(ctx: Context, jobId: string, checkId: string, result: Record<string, unknown>): Promise<void> {
  const { sql } = ctx;
  const { entity, entityImages } = sealEntity(sealedEarlier(ctx), knownCheck(checkId), jobId, result);
  await sql.begin(async (tx) => {
    await tx`update jobs set result_block = null, result_slot = null where id = ${jobId}`;
    await tx`
      insert into results (job_id, entity, entity_images) values (${jobId}, ${entity}, ${entityImages})
      on conflict (job_id) do update set entity = excluded.entity, entity_images = excluded.entity_images`;
  });
}

/** Locks the row of a hold, as another transaction would. The result unlocks it. */
export async function lockHold({ sql }: Service, id: string): Promise<() => Promise<void>> {
  let isLocked = true;
  let holding: Promise<void> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    holding = sql.begin(async (tx) => {
      await tx`select 1 from holds where id = ${id} for update`;
      locked();
      // Postgres ends a transaction that is idle for a second and a half.
      while (isLocked) await tx`select pg_sleep(0.02)`;
    });
    holding.catch(failed);
  });
  return () => {
    isLocked = false;
    return holding;
  };
}
