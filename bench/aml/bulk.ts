/** 100,000 people screened against all lists as a batch through the whole service, while another app makes single screenings. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configureLists } from '../../src/aml/definitions.ts';
import { storeList } from '../../src/aml/store.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { openContext } from '../../src/foundation/context.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Summary, summarize } from '../figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size } from '../harness.ts';
import { openClient, openLoop } from '../load.ts';
import { cpuSeconds } from '../memory.ts';
import { openRealList, readListings, realFormats, realLists } from './lists.ts';
import { collectParts, inventNames, type NameParts } from './names.ts';

const ROWS: Size = { full: 100_000, tiny: 200 };
const WARM_UP_ROWS = 100;
const CALLS_PER_SECOND = 20;
const LOOK_MS = 50;
const INDEXED_MS_MAX = 60_000;
const RUN_MS_MAX = 10 * 60_000;

export interface Bulk {
  rows: number;
  uploadMs: number;
  /** From the end of the upload to the last row. */
  runMs: number;
  /** Processor seconds of the API process in that time; null: not Linux. */
  apiCpu: number | null;
  calls: Summary;
}

export async function bulk(bench: Bench, options: Options): Promise<Bulk> {
  const [{ backend }, rows] = [options, rowsOf(options, ROWS)];
  const folder = await mkdtemp(join(bench.folder, 'aml-'));
  try {
    const file = join(folder, 'lists.json');
    const house = Object.fromEntries(realLists().map(({ list, category }) => [list, { category }]));
    // Required unless a file says otherwise; a tiny run does without it.
    const unread = 'ofac_sdn' in house ? {} : { ofac_sdn: { required: false } };
    await writeFile(file, JSON.stringify({ lists: { ...house, ...unread } }));
    const confam = await bench.startConfam(backend, { CONFAM_LISTS: file });
    const parts = await importLists(confam);
    const [app, caller] = [await confam.createApp('Bulk', 'live'), await confam.createApp('Caller', 'live')];
    const client = openClient(confam.baseUrl, caller.headers);
    const callNames = inventNames(parts, 10_000, 6);
    const screen = (i: number) => client.post('/api/v1/aml/screening', { name: callNames[i % callNames.length] });
    await untilIndexed(() => screen(0));
    // The pools' process has an index of its own, which this builds.
    const first = await upload(confam, app, inventNames(parts, WARM_UP_ROWS, 7));
    await untilOver(confam, first.id, WARM_UP_ROWS);

    const apiCpu = cpuSeconds(confam.pid);
    const { id, uploadMs } = await upload(confam, app, inventNames(parts, rows, 5));
    const over = new AbortController();
    const began = performance.now();
    const calls = openLoop(CALLS_PER_SECOND, { stop: over.signal }, screen);
    await untilOver(confam, id, rows);
    const runMs = performance.now() - began;
    over.abort();
    const { samples } = await calls;
    const apiCpuAfter = cpuSeconds(confam.pid);
    await client.close();
    await confam.stop();
    return {
      rows,
      uploadMs,
      runMs,
      apiCpu: apiCpu === null || apiCpuAfter === null ? null : apiCpuAfter - apiCpu,
      calls: summarize(samples),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first request makes the service index the lists; it refuses until they are indexed. */
async function untilIndexed(ask: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + INDEXED_MS_MAX; ; await sleep(LOOK_MS)) {
    const error = await ask().then(
      () => null,
      (error: Error) => error,
    );
    if (!error) return;
    if (performance.now() > deadline || !error.message.includes('lists_not_loaded')) throw error;
  }
}

/** Imports into the database of a running Confam from outside, as `confam lists import` does. */
async function importLists({ environment, databaseUrl }: Confam): Promise<NameParts> {
  const config = readConfig({ ...environment, CONFAM_LOG_LEVEL: 'silent' });
  const definitions = configureLists(config);
  const ctx = openContext(config, databaseUrl, { poolMax: 2 });
  try {
    for (const real of realLists()) {
      const definition = definitions.find(({ list }) => list === real.list)!;
      const outcome = await storeList(ctx, definition, await openRealList(real), { origin: 'bench', fetched: [] }, realFormats);
      if (outcome.kind !== 'stored') throw new Error(`${real.list}: ${JSON.stringify(outcome)}`);
    }
  } finally {
    await ctx.close();
  }
  const parts: NameParts = { given: [], family: [] };
  for await (const listing of readListings('all')) collectParts(parts, listing);
  return parts;
}

async function upload(confam: Confam, { headers }: App, names: readonly string[]): Promise<{ id: string; uploadMs: number }> {
  const body = `name\n${names.map((name) => `"${name.replaceAll('"', '')}"`).join('\n')}\n`;
  const began = performance.now();
  const answer = await fetch(`${confam.baseUrl}/api/v1/batches?checks=aml_screening`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body,
  });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`upload: ${answer.status} ${text.slice(0, 500)}`);
  return { id: parseId('bat', (JSON.parse(text) as { entity: { id: string } }).entity.id)!, uploadMs: performance.now() - began };
}

/** Throws unless every valid row that is not a duplicate was answered: a failing batch is a fast one. */
async function untilOver({ sql }: Confam, id: string, rows: number): Promise<void> {
  for (const deadline = performance.now() + RUN_MS_MAX; ; ) {
    const [batch] = await sql<{ status: string; found: number; invalid: number; duplicate: number }[]>`
      select status, found, invalid, duplicate from batches where id = ${id}`;
    if (batch!.status === 'completed') {
      if (batch!.found + batch!.invalid + batch!.duplicate !== rows) throw new Error(`of ${rows} rows ${batch!.found} were screened`);
      return;
    }
    if (performance.now() > deadline) throw new Error(`after ${RUN_MS_MAX} ms the batch was ${batch!.status}`);
    await sleep(LOOK_MS);
  }
}
