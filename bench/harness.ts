/**
 * What one measurement runs against: Confam as `npm start` runs it, vendors, and the programs that it is compared with. Each has a process of its own, so
 * that none shares an event loop with the load generator. Everything listens on free ports of 127.0.0.1 and is stopped by pid at the end. The stores behind
 * it are in `servers.ts`.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { newSecretKey } from '../src/foundation/crypto.ts';
import { freePort } from '../src/foundation/free-port.ts';
import { parseId, showId } from '../src/foundation/ids.ts';
import { csvOf } from './batch.ts';
import type { Headers } from './load.ts';
import { firstLine, run, type Stoppable, startFlags } from './process.ts';
import type { Servers } from './servers.ts';
import { type Simulator, startSimulator, type Vendor, writeUpstreams } from './simulator.ts';

export type Backend = 'postgres' | 'redis';

/** The command line's options. */
export interface Options {
  /** Runs every measurement at a size of seconds, to show that it still works. Its figures mean nothing. */
  tiny: boolean;
  /** Rows of the batch; undefined: the measurement's own size. */
  rows: number | undefined;
  /** Total measuring time, divided into `repeats` parts. */
  seconds: number;
  repeats: number;
  /** How long a vendor is observed when its pace should be steady. */
  minutes: number;
  /** The backends on which throughput is measured. */
  backends: readonly Backend[];
  /** The backend for everything else. */
  backend: Backend;
}

/** The size of a measurement. */
export interface Size {
  full: number;
  tiny: number;
}

export const sized = ({ tiny }: Pick<Options, 'tiny'>, size: Size): number => (tiny ? size.tiny : size.full);
export const rowsOf = (options: Options, rows: Size): number => options.rows ?? sized(options, rows);

export interface Bench {
  /** Null: `redis-server` is not installed. */
  redisUrl: string | null;
  /** For the measurement's files; deleted with everything else. */
  folder: string;
  /** An empty database on the same server. `bare`: its owner may not create roles, so Confam runs there without the second wall. */
  createDatabase(options?: { bare: boolean }): Promise<string>;
  /** Confam over a fresh database, or that of `settings`. `CONFAM_…` settings of the caller's environment apply, so that they can be tried out. */
  startConfam(backend: Backend, settings?: Record<string, string>): Promise<Confam>;
  /** One more process of pool workers over the same database; resolves to its pid when it is ready. */
  startWorker(confam: Confam): Promise<number>;
  /** One more API over the same database, at the priority `nice`; resolves to its address when it is ready. */
  startApi(confam: Confam, nice: number): Promise<string>;
  startSimulator(script: Record<string, unknown>): Promise<Simulator>;
  /** Environment of a Confam that asks these vendors, by record kind. */
  upstreams(vendors: Record<string, Vendor>): Record<string, string>;
  /** Runs one of the programs in this folder; its first line of output is JSON. */
  startProgram<Line>(url: URL, environment: Record<string, string>, flags?: string[]): Promise<{ line: Line; stop(): Promise<void> }>;
  /** A command of the program, with pipes for its output. */
  startCommand(args: string[], environment: Record<string, string>): Stoppable;
  /** Stops everything; may be called repeatedly. */
  close(): Promise<void>;
}

/** A Hono route that commits one row: the lower bound for a call on this machine. */
export const startOneRowRoute = async (bench: Bench) =>
  bench.startProgram<{ url: string }>(new URL('./reference-hono.ts', import.meta.url), { DATABASE_URL: await bench.createDatabase() });

export interface Confam {
  baseUrl: string;
  /** Its environment, for other processes over the same database. */
  environment: Record<string, string>;
  /** Pid of the process that serves the API; the pools have their own. */
  pid: number;
  databaseUrl: string;
  backend: Backend;
  /** A connection to its database from outside. */
  sql: postgres.Sql;
  createApp(name: string, mode?: 'test' | 'live'): Promise<App>;
  /** What `GET /metrics` answers. */
  metrics(): Promise<string>;
  /** Count and total of a Prometheus histogram. */
  histogram(name: string): Promise<{ count: number; seconds: number }>;
  stop(): Promise<void>;
}

export interface App {
  id: string;
  headers: Headers;
  /** The batch as the API shows it. */
  batch(id: string): Promise<Record<string, unknown>>;
  /** Uploads `rows` NINs that were never looked up, or another `csv`. Resolves when the batch is accepted; `id` is its key in the database. */
  upload(rows: number, options?: Record<string, string>, csv?: AsyncIterable<Uint8Array>): Promise<{ id: string; uploadMs: number }>;
}

const READY_TIMEOUT_MS = 60_000;
/** Naira of play money: more than all measurements cost together. */
const PLAY_MONEY = 1_000_000_000;

/** `onLoss` is called with the reason if Confam ends although nobody here stopped it. */
export function openBench(servers: Omit<Servers, 'close'>, onLoss: (reason: Error) => void): Bench {
  const { folder, postgresUrl, redisUrl, program } = servers;
  const admin = postgres(postgresUrl, { max: 1, onnotice: () => {} });
  const closers: (() => Promise<void>)[] = [() => admin.end({ timeout: 5 })];
  let closing: Promise<void> | null = null;
  const closeAll = async () => {
    for (const closer of closers.splice(0).reverse()) await closer().catch((error) => console.error(error));
  };
  const createDatabase = async ({ bare } = { bare: false }) => {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    const url = new URL(postgresUrl);
    url.pathname = `/${name}`;
    if (bare) {
      [url.username, url.password] = [name, randomBytes(16).toString('hex')];
      await admin.unsafe(`create role ${name} login password '${url.password}'`);
    }
    await admin.unsafe(`create database ${name}${bare ? ` owner ${name}` : ''}`);
    return url.toString();
  };
  return {
    async startWorker({ environment, backend }) {
      const output = openSync(join(folder, 'worker.log'), 'a');
      const port = await freePort();
      // Every family takes its own connections, and the server has a hundred.
      const args = [program, 'worker', '--families', 'nin,bvn', '--no-webhooks'];
      const child = run(args, { ...environment, CONFAM_OPERATIONS_PORT: String(port) }, output);
      closeSync(output);
      closers.push(child.stop);
      await untilReady(child.process, `http://127.0.0.1:${port}/readyz`, backend);
      return child.process.pid!;
    },
    async startApi({ environment, backend }, nice) {
      const output = openSync(join(folder, 'api.log'), 'a');
      const port = await freePort();
      const child = run([...startFlags(), program, 'api'], { ...environment, PORT: String(port) }, output);
      closeSync(output);
      closers.push(child.stop);
      const url = `http://127.0.0.1:${port}`;
      // Before it has threads, which would keep the priority that they start with.
      setPriority(child.process.pid!, nice);
      await untilReady(child.process, `${url}/readyz`, backend);
      return url;
    },
    async startSimulator(script) {
      const simulator = await startSimulator(program, folder, script);
      closers.push(simulator.stop);
      return simulator;
    },
    upstreams: (vendors) => writeUpstreams(folder, vendors),
    redisUrl,
    folder,
    createDatabase,
    async startConfam(backend, settings = {}) {
      const databaseUrl = settings.DATABASE_URL ?? (await createDatabase());
      if (backend === 'redis') settings = { ...settings, REDIS_URL: redisUrl! };
      return startConfam({ program, folder }, databaseUrl, backend, settings, { closers, onLoss });
    },
    async startProgram<Line>(url: URL, environment: Record<string, string>, flags: string[] = []) {
      const child = run([...flags, fileURLToPath(url)], environment, 'pipe');
      closers.push(child.stop);
      child.process.stderr!.pipe(process.stderr);
      const line = await firstLine(child.process);
      return { line: JSON.parse(line) as Line, stop: child.stop };
    },
    startCommand(args, environment) {
      const child = run([program, ...args], environment, 'pipe');
      closers.push(child.stop);
      return child;
    },
    close: () => (closing ??= closeAll()),
  };
}

async function startConfam(
  { program, folder }: Pick<Servers, 'program' | 'folder'>,
  databaseUrl: string,
  backend: Backend,
  settings: Record<string, string>,
  { closers, onLoss }: { closers: (() => Promise<void>)[]; onLoss: (reason: Error) => void },
): Promise<Confam> {
  const port = await freePort();
  const home = join(folder, `confam-${port}`);
  mkdirSync(home);
  const adminKey = newSecretKey();
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('CONFAM_')));
  // Logs go to a file, as under a supervisor, and not to a reader that would share our processor.
  const logPath = join(home, 'confam.log');
  const log = openSync(logPath, 'a');
  const environment: Record<string, string> = {
    ...(inherited as Record<string, string>),
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    CONFAM_DATA_DIR: join(home, 'data'),
    CONFAM_KEYS: `1:${newSecretKey()}`,
    CONFAM_INDEX_KEY: newSecretKey(),
    CONFAM_ADMIN_KEY: adminKey,
    ...settings,
  };
  const child = run([...startFlags(), ...nodeFlags(), program, 'start'], environment, log);
  closeSync(log);
  const sql = postgres(databaseUrl, {
    max: 2,
    onnotice: () => {},
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  });
  let stopping = false;
  child.process.once('exit', (code, signal) => {
    if (stopping) return;
    console.error(`\n${readFileSync(logPath, 'utf8').slice(-3_000)}`);
    onLoss(new Error(`Confam ended (${code ?? signal}) although nobody here stopped it; its log is above`));
  });
  const stop = async () => {
    stopping = true;
    await sql.end({ timeout: 5 });
    await child.stop();
  };
  // Registered before it is ready, so that one that never becomes ready is stopped too.
  closers.push(stop);
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilReady(child.process, `${baseUrl}/readyz`, backend);
  const metrics = async () => (await fetch(`${baseUrl}/metrics`, { headers: { Authorization: adminKey } })).text();
  return {
    baseUrl,
    environment,
    pid: child.process.pid!,
    databaseUrl,
    backend,
    sql,
    createApp: (name, mode = 'test') => createApp(baseUrl, adminKey, name, mode),
    metrics,
    async histogram(name) {
      const text = await metrics();
      const sum = (suffix: string) =>
        [...text.matchAll(new RegExp(`^${name}_${suffix}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
          (total, match) => total + Number(match[1]),
          0,
        );
      return { count: sum('count'), seconds: sum('sum') };
    },
    stop,
  };
}

/** To look inside: `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`. */
const nodeFlags = (): string[] => process.env.BENCH_NODE_FLAGS?.split(' ').filter(Boolean) ?? [];

async function untilReady(child: ChildProcess, url: string, backend: Backend): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Confam ended with ${child.exitCode} before it was ready`);
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) {
      const { queue } = (await answer.json()) as { queue: string };
      if (queue !== backend) throw new Error(`Confam's queue is on ${queue}, not on ${backend}`);
      return;
    }
    if (performance.now() > deadline) throw new Error('Confam was not ready in time');
    await sleep(50);
  }
}

async function createApp(baseUrl: string, adminKey: string, name: string, mode: 'test' | 'live'): Promise<App> {
  const admin = async (path: string, body: unknown) => {
    const answer = await fetch(`${baseUrl}/api/v1/admin/${path}`, {
      method: 'POST',
      headers: { Authorization: adminKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`admin/${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { entity: { id: string; key: string } }).entity;
  };
  const { id } = await admin('apps', { name });
  const { key } = await admin(`apps/${id}/keys`, { mode });
  await admin(`apps/${id}/topups`, { amount: PLAY_MONEY, mode });
  const headers = { Authorization: key, AppId: id };
  return {
    id: parseId('app', id)!,
    headers,
    async batch(batch) {
      const answer = await fetch(`${baseUrl}/api/v1/batches/${showId('bat', batch)}`, { headers });
      return ((await answer.json()) as { entity: Record<string, unknown> }).entity;
    },
    async upload(rows, options = {}, csv = csvOf(rows)) {
      const began = performance.now();
      const answer = await fetch(`${baseUrl}/api/v1/batches?${new URLSearchParams({ checks: 'nin_advance', ...options })}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'text/csv' },
        body: ReadableStream.from(csv),
        duplex: 'half',
      });
      if (answer.status !== 202) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
      const { entity } = (await answer.json()) as { entity: { id: string } };
      return { id: parseId('bat', entity.id)!, uploadMs: Math.round(performance.now() - began) };
    },
  };
}
