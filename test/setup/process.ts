/**
 * Runs Confam as its image does: compiled, as a child process in its own process group, driven by signals and HTTP. Without the image's source maps, which
 * take a tenth of a start. Reads the database only to count money and jobs. Linux: finds leftover processes in /proc (elsewhere it finds none).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { Webhook } from 'standardwebhooks';
import { expect, inject } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { createKey } from '../../src/access/keys.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { showId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type TestDatabase, waitFor } from './database.ts';

export interface Confam {
  pid: number;
  stdout(): string;
  stderr(): string;
  isRunning(): boolean;
  /** Signals only the process, as a supervisor does. */
  signal(name: NodeJS.Signals): void;
  /** Signals its whole group, as a terminal does on Ctrl-C. */
  interrupt(): void;
  /** Sends SIGKILL to its whole group; resolves once it is gone. */
  kill(): Promise<void>;
  /** Resolves when the process has ended; fails after `timeoutMs`. */
  ended(timeoutMs?: number): Promise<{ code: number | null; signal: string | null; ms: number }>;
}

const children = new Set<ChildProcess>();

/** Arguments of Node for the program from its sources, as `npm start` runs it. */
export const FROM_SOURCES = ['--import', 'tsx', join('src', 'cli.ts')];

/** Passes nothing of the caller's environment except what any program needs to run. */
export function startConfam(
  args: string[],
  environment: Record<string, string> = {},
  program = [join(inject('compiled'), 'src', 'cli.js')],
  cwd = packageRoot(),
): Confam {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: Object.fromEntries(Object.entries({ PATH, HOME, TMPDIR, LANG, ...environment }).filter(([, value]) => value !== undefined)),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const [stdout, stderr] = [collect(child.stdout!), collect(child.stderr!)];
  const exited = once(child, 'close').then(() => children.delete(child));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid!,
    stdout,
    stderr,
    isRunning,
    signal: (name) => void child.kill(name),
    interrupt: () => void process.kill(-child.pid!, 'SIGINT'),
    async kill() {
      if (isRunning()) process.kill(-child.pid!, 'SIGKILL');
      await exited;
    },
    async ended(timeoutMs = 15_000) {
      const began = performance.now();
      const timer = new AbortController();
      const late = await Promise.race([exited.then(() => false), sleep(timeoutMs, true, { signal: timer.signal }).catch(() => false)]);
      timer.abort();
      if (late) throw new Error(`confam ${args.join(' ')} still runs after ${timeoutMs} ms\n${tail(stdout())}\n${tail(stderr())}`);
      return { code: child.exitCode, signal: child.signalCode, ms: Math.round(performance.now() - began) };
    },
  };
}

/** For afterAll: kills whatever a failed test left running. */
export async function killConfams(): Promise<void> {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
  }
  await waitFor('children to end', () => children.size === 0);
}

/** Runs a command to its end. */
export async function runConfam(
  args: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const confam = startConfam(args, environment);
  const { code } = await confam.ended(60_000);
  return { code, stdout: confam.stdout(), stderr: confam.stderr() };
}

/** Resolves with the milliseconds until /readyz answered 200. If the process ends instead, fails with its output. */
export async function untilReady(confam: Confam, port: number, timeoutMs = 40_000): Promise<number> {
  const began = performance.now();
  await waitFor(
    `/readyz on port ${port}`,
    async () => {
      if (!confam.isRunning()) throw new Error(`Confam ended before it was ready:\n${tail(confam.stdout())}\n${tail(confam.stderr())}`);
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.body?.cancel().then(() => answer.ok),
        () => false,
      );
    },
    timeoutMs,
  );
  return Math.round(performance.now() - began);
}

/**
 * How much to stretch a time limit: the load average per core, between 1 and 4. The limits assume an idle machine, but vitest runs other files at
 * the same time.
 */
export const loadFactor = (): number => Math.min(4, Math.max(1, loadavg()[0]! / availableParallelism()));

/** Like `loadFactor`, measured from this call until the returned function is called, because the load average reacts slowly. */
export function watchLoad(): () => number {
  if (!existsSync('/proc/loadavg')) return loadFactor;
  const runnable: number[] = [];
  const timer = setInterval(() => runnable.push(Number(/ (\d+)\//.exec(readFileSync('/proc/loadavg', 'utf8'))![1])), 50);
  return () => {
    clearInterval(timer);
    const mean = runnable.reduce((sum, count) => sum + count, 0) / Math.max(1, runnable.length);
    return Math.min(4, Math.max(1, mean / availableParallelism()));
  };
}

/** For what must hold within a second, begun now. The returned function fails if it took longer, by up to three times on a machine that is busy. */
export function withinASecond(): (what: string) => void {
  const began = performance.now();
  const load = watchLoad();
  return (what) => {
    const tookMs = performance.now() - began;
    expect(tookMs, what).toBeLessThan(1_000 * Math.min(3, Math.max(loadFactor(), load())));
  };
}

/** An empty data folder that Postgres's OS user can reach. `remove()` kills a Postgres that still runs in it. */
export function makeDataDir(name = 'data'): { path: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'confam-process-'));
  chmodSync(root, 0o711);
  const path = join(root, name);
  return {
    path,
    remove() {
      for (const pid of processesMentioning(path)) process.kill(pid, 'SIGKILL');
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Processes with `text` on their command line; a Postgres has its data folder there. */
export function processesMentioning(text: string): number[] {
  return pids().filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** The embedded Postgres of a running Confam; `pid` leads its own process group. */
export function embeddedServer(dataDir: string): { url: string; pid: number } {
  const { password } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const [pid, , , port] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return { url: `postgres://confam:${password}@127.0.0.1:${port}/confam`, pid: Number(pid) };
}

export interface SandboxKeys {
  base_url: string;
  app_id: string;
  test_key: string;
  live_key: string;
  admin_key: string;
  webhook_secret: string;
}

export const readSandbox = (dataDir: string): SandboxKeys => JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));

export interface ShownBatch {
  id: string;
  status: string;
  counts: Record<
    'rows' | 'jobs' | 'queued' | 'leased' | 'completed' | 'found' | 'not_found' | 'failed' | 'canceled' | 'invalid' | 'duplicate',
    number
  >;
  billed_amount: number;
  quote_amount: number;
}

export interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at by what the test expects of them
  get(path: string): Promise<{ status: number; body: any }>;
  text(path: string): Promise<string>;
  /** Sends `body` as JSON. */
  post(path: string, body?: unknown): Promise<Response>;
  /** Uploads CSV; returns the batch's id. */
  upload(csv: string, query: string): Promise<string>;
  batch(id: string): Promise<ShownBatch>;
  /** Polls until `done`, checking each time that the counts add up. */
  until(id: string, what: string, done: (batch: ShownBatch) => boolean, timeoutMs?: number): Promise<ShownBatch>;
}

export function client(baseUrl: string, key: string, appId: string): Client {
  const headers = { Authorization: key, AppId: appId };
  const get: Client['get'] = async (path) => {
    const answer = await fetch(`${baseUrl}${path}`, { headers });
    return { status: answer.status, body: await answer.json() };
  };
  const batch = async (id: string): Promise<ShownBatch> => (await get(`/api/v1/batches/${id}`)).body.entity;
  return {
    get,
    text: async (path) => {
      const answer = await fetch(`${baseUrl}${path}`, { headers });
      const text = await answer.text();
      expect(answer.status, text.slice(0, 500)).toBe(200);
      return text;
    },
    post: (path, body) =>
      fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    batch,
    async upload(csv, query) {
      const answer = await fetch(`${baseUrl}/api/v1/batches?${query}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'text/csv' },
        body: csv,
      });
      const body = (await answer.json()) as { entity: ShownBatch };
      expect(answer.status, JSON.stringify(body).slice(0, 500)).toBe(202);
      return body.entity.id;
    },
    async until(id, what, done, timeoutMs = 60_000) {
      let last: ShownBatch | null = null;
      return waitFor(
        `batch ${id} ${what}`,
        async () => {
          const { status, body } = await get(`/api/v1/batches/${id}`);
          // While its database is away the API answers 5xx, which these tests do not care about.
          if (status >= 500) return null;
          expect(status, JSON.stringify(body)).toBe(200);
          last = body.entity as ShownBatch;
          expectToAddUp(last);
          return done(last) && last;
        },
        timeoutMs,
      ).catch((error) => {
        throw new Error(`${error.message}; last seen ${JSON.stringify(last)}`);
      });
    },
  };
}

export interface Embedded {
  confam: Confam;
  port: number;
  /** With its test key. */
  api: Client;
  /** Until it was ready. */
  ms: number;
}

/** `confam start` on `dataDir`, once it is ready and has greeted. */
export async function startEmbedded(dataDir: string, settings: Record<string, string> = {}): Promise<Embedded> {
  const port = await freePort();
  const confam = startConfam(['start'], { CONFAM_DATA_DIR: dataDir, PORT: String(port), ...settings });
  const ms = await untilReady(confam, port, 60_000);
  await waitFor('the greeting', () => confam.stdout().includes('Try it:\n  curl'));
  const { test_key, app_id } = readSandbox(dataDir);
  return { confam, port, api: client(`http://127.0.0.1:${port}`, test_key, app_id), ms };
}

export function expectToAddUp({ counts }: ShownBatch): void {
  expect(counts.queued + counts.leased + counts.completed + counts.failed + counts.canceled).toBe(counts.jobs);
  expect(counts.found + counts.not_found).toBe(counts.completed);
}

/** Distinct rows `ref` and `nin`; the last number is not in the registry. */
export function ninRows(count: number, from = 40_000_000_000): { csv: string; found: number; notFound: number } {
  let csv = 'ref,nin\n';
  for (let i = 1; i < count; i++) csv += `r${i},${from + i * 7}\n`;
  csv += `r${count},00000000001\n`;
  return { csv, found: count - 1, notFound: 1 };
}

/**
 * What must hold at the end of every run, whatever crashed: captures are the bills of the jobs, each found job has one result, every batch's counters match its
 * jobs, nothing is left on hold, all accounts sum to zero, and all top-ups are available, held or revenue. Amounts in kobo.
 */
export async function expectExactBooks(databaseUrl: string): Promise<{ revenueKobo: number; jobs: number }> {
  const sql = postgres(databaseUrl, {
    max: 1,
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    transform: { column: { from: postgres.toCamel } },
  });
  try {
    const misbilled = await sql`
      select id from (
        select coalesce(batch_id, id) as id, sum(billed_kobo)::bigint as kobo, count(*) filter (where billed_kobo > 0) as jobs from jobs group by 1) j
      full join (
        select coalesce(hold_id, job_id) as id, sum(amount_kobo)::bigint as kobo, sum(coalesce(jobs, 1))::bigint as jobs from ledger_entries
        where kind = 'capture' group by 1) l using (id)
      where (coalesce(j.kobo, 0), coalesce(j.jobs, 0)) <> (coalesce(l.kobo, 0), coalesce(l.jobs, 0))`;
    expect([...misbilled], 'holds whose captures are not the bills of their jobs').toEqual([]);
    const unearned = await sql`select id from jobs where billed_kobo > 0 and (status <> 'completed' or outcome is null)`;
    expect([...unearned], 'jobs that were billed without an answer').toEqual([]);
    const unanswered = await sql`
      select j.id from jobs j left join results r on r.job_id = j.id
      left join result_blocks b on b.batch_id = j.batch_id and b.id = j.result_block
      where (j.batch_id is not null or j.input is not null) and j.outcome = 'found' and (r.job_id is null) = (b.id is null)`;
    expect([...unanswered], 'found without a result, or with two').toEqual([]);
    const miscounted = await sql`
      select b.id from batches b join (
        select batch_id, count(*) filter (where status <> 'duplicate')::int as jobs, count(*) filter (where status = 'duplicate')::int as duplicate,
          count(*) filter (where status = 'queued')::int as queued, count(*) filter (where status = 'leased')::int as leased,
          count(*) filter (where outcome = 'found')::int as found, count(*) filter (where outcome = 'not_found')::int as not_found,
          count(*) filter (where status = 'failed')::int as failed, count(*) filter (where status = 'canceled')::int as canceled, sum(billed_kobo)::bigint as billed
        from jobs where batch_id is not null group by batch_id) j on j.batch_id = b.id
      where (b.jobs, b.duplicate, b.queued, b.leased, b.leased_kobo, b.found, b.not_found, b.failed, b.canceled, b.billed_kobo)
        is distinct from (j.jobs, j.duplicate, j.queued, j.leased, 0, j.found, j.not_found, j.failed, j.canceled, j.billed)`;
    expect([...miscounted], 'batches whose counters do not match their jobs').toEqual([]);
    const accounts = await sql<{ account: string; kobo: number }[]>`
      select account, sum(kobo)::bigint as kobo from (
        select from_account as account, -amount_kobo as kobo from ledger_entries union all select to_account, amount_kobo from ledger_entries) m group by account`;
    const of = (name: string) => accounts.find(({ account }) => account === name)?.kobo ?? 0;
    expect(of('available') + of('held') + of('revenue')).toBe(-of('topups'));
    expect(of('held'), 'still on hold').toBe(0);
    expect(await ledgerDrift({ sql })).toBe(0);
    const [jobs] = await sql<{ count: number }[]>`select count(*) from jobs`;
    return { revenueKobo: of('revenue'), jobs: jobs!.count };
  } finally {
    await sql.end();
  }
}

/** Creates an app with test and live money in a deployment's database. */
export async function makeApp(
  database: Pick<TestDatabase, 'openContext'>,
): Promise<{ appId: string; testKey: string; liveKey: string; webhookSecret: string }> {
  const ctx = database.openContext();
  try {
    const app = await createApp(ctx, 'Test');
    for (const live of [true, false]) await topUp(ctx.sql, { appId: app.id, live }, 1_000_000_000_00, 'test');
    const key = async (kind: 'test' | 'live') => (await createKey(ctx, kind, app.id))!.key;
    return { appId: showId('app', app.id), testKey: await key('test'), liveKey: await key('live'), webhookSecret: app.webhookSecret };
  } finally {
    await ctx.close();
  }
}

export interface Receiver {
  url: string;
  /** Verified messages in order of arrival. */
  received: { id: string; type: string; data: Record<string, unknown> }[];
  /** Messages that failed verification. */
  refused: string[];
  close(): Promise<void>;
}

/** A webhook receiver as an integrator writes it. Answers the first `failures` messages with 500. */
export async function openReceiver(secret: string, failures = 0): Promise<Receiver> {
  const webhook = new Webhook(secret);
  const receiver: Receiver = { url: '', received: [], refused: [], close: async () => void server.close() };
  let left = failures;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    try {
      const message = webhook.verify(body, request.headers as Record<string, string>) as { type: string; data: Record<string, unknown> };
      receiver.received.push({ id: String(request.headers['webhook-id']), ...message });
    } catch (error) {
      receiver.refused.push(`${error}`);
    }
    response.writeHead(left-- > 0 ? 500 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
  return receiver;
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}

const tail = (text: string): string => text.slice(-2_000);
