/**
 * `npm run bench [-- name …] [--tiny] [--rows n] [--seconds n] [--minutes n] [--backend postgres|redis|both]`: measures, prints one table, and writes every
 * repeat to `bench/results/<name>-<date>.json`. A benchmark that fails is listed with its reason, and the others still run. Exits with 1 if a target is
 * missed, with 2 if a benchmark failed. README.md says what each measures.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Running, runApart } from './apart.ts';
import { type Figure, type Report, table } from './figure.ts';
import type { Options } from './harness.ts';
import { groups, measurements } from './measurements.ts';
import { type Servers, startServers } from './servers.ts';

const REPEATS = 3;
const TINY = { seconds: 1, repeats: 1, minutes: 0.05 };
/** Maximum length of a failure's reason, in characters. */
const REASON_LENGTH_MAX = 300;
/** Limit for one benchmark at its tiny size, which takes 5 to 40 s on two idle cores: one that hangs must not hold up the others. */
const TINY_MS_MAX = 180_000;
/** At the tiny size figures mean nothing, and each benchmark mostly waits for what it starts. */
const TINY_AT_ONCE = 3;
/** Take longest at the tiny size: started last, they would run alone. */
const TINY_FIRST = ['aml/accuracy', 'upstream/uneven'];

const { names, options } = readArguments();
let servers: Servers | null = null;
const running = new Set<Running>();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // More than once: timeout(1) signals the process and its group.
  process.on(signal, () => {
    interrupted = true;
    for (const one of running) void one.stop();
  });
}

const loadBefore = loadavg()[0]!.toFixed(1);
// Figures of the tiny size mean nothing, so other benchmarks may run at the same time.
servers = await startServers({ alone: !options.tiny });
if (servers.redisUrl === null && options.backend === 'redis') {
  console.error('--backend redis needs redis-server, which is not installed');
  await end(2);
}
const figures = new Map<string, Figure[]>();
const waiting = options.tiny ? [...names].sort((a, b) => Number(TINY_FIRST.includes(b)) - Number(TINY_FIRST.includes(a))) : [...names];
await Promise.all(Array.from({ length: options.tiny ? TINY_AT_ONCE : 1 }, measureNext));
if (options.tiny) {
  // Two others ran beside it, on perhaps two cores: only one that fails alone too has failed.
  for (const name of failedNames()) {
    figures.delete(name);
    waiting.push(name);
  }
  await measureNext();
}
printFigures([...names].flatMap((name) => figures.get(name) ?? []));
// What failed beside others had no second try if there was no time for it.
await end(interrupted && (options.tiny || exitCode() !== 2) ? 130 : exitCode());

/** Measures what is still waiting, one after the other. */
async function measureNext(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined && !interrupted; name = waiting.shift()) {
    const began = performance.now();
    const one = runApart({ name, options, servers: servers! }, options.tiny ? TINY_MS_MAX : null);
    running.add(one);
    const outcome = await one.outcome;
    running.delete(one);
    if (interrupted) {
      process.stderr.write(`${name} … stopped\n`);
      return;
    }
    const took = `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    if ('failure' in outcome) {
      process.stderr.write(`${name} … FAILED after ${took}: ${outcome.failure}\n`);
      figures.set(name, [{ what: name, measured: oneLine(outcome.failure), failed: true }]);
      continue;
    }
    const { report } = outcome;
    process.stderr.write(`${name} … ${report.figures.some(({ failed }) => failed) ? 'FAILED in part after ' : ''}${took}\n`);
    figures.set(name, options.tiny ? report.figures.map(withoutTarget) : report.figures);
    if (!options.tiny) save(name, report);
  }
}

function failedNames(): string[] {
  return [...figures].filter(([, measured]) => measured.some(({ failed }) => failed)).map(([name]) => name);
}

async function end(code: number): Promise<never> {
  await servers?.close();
  process.exit(code);
}

function printFigures(measured: readonly Figure[]): void {
  const failed = measured.filter((figure) => figure.failed);
  console.log(`\n${machine()}\n\n${table([...measured])}`);
  if (options.tiny) console.log('\n--tiny only shows that each benchmark runs; the figures mean nothing.');
  for (const { what, measured } of failed) console.log(`\nFAILED: ${what}: ${measured}`);
}

function exitCode(): number {
  const measured = [...figures.values()].flat();
  if (measured.some(({ failed }) => failed)) return 2;
  return measured.some(({ ok }) => ok === false) ? 1 : 0;
}

/** Shortens a reason to fit the table. */
function oneLine(reason: string): string {
  const line = reason.replace(/\s+/g, ' ').trim();
  return line.length > REASON_LENGTH_MAX ? `${line.slice(0, REASON_LENGTH_MAX)}…` : line;
}

function withoutTarget({ target: _target, ok: _ok, ...figure }: Figure): Figure {
  return figure;
}

function readArguments(): { names: string[]; options: Options } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      tiny: { type: 'boolean', default: false },
      rows: { type: 'string' },
      seconds: { type: 'string', default: '15' },
      repeats: { type: 'string', default: String(REPEATS) },
      minutes: { type: 'string', default: '5' },
      backend: { type: 'string', default: 'both' },
    },
  });
  const unknown = positionals.filter((name) => !(name in measurements || name in groups));
  if (unknown.length > 0) usage(`unknown: ${unknown.join(', ')}`);
  const { backend } = values;
  if (backend !== 'postgres' && backend !== 'redis' && backend !== 'both') return usage('--backend must be postgres, redis or both');
  return {
    names: positionals.length > 0 ? positionals.flatMap((name) => groups[name] ?? name) : Object.keys(measurements),
    options: {
      tiny: values.tiny,
      rows: values.rows === undefined ? undefined : positive('rows', values.rows),
      seconds: values.tiny ? TINY.seconds : positive('seconds', values.seconds),
      repeats: values.tiny ? TINY.repeats : positive('repeats', values.repeats),
      minutes: values.tiny ? TINY.minutes : positive('minutes', values.minutes),
      backends: backend === 'both' ? ['postgres', 'redis'] : [backend],
      backend: backend === 'redis' ? 'redis' : 'postgres',
    },
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : usage(`--${name} must be a whole number above 0`);
}

function usage(problem: string): never {
  console.error(
    `${problem}\nusage: npm run bench -- [${[...Object.keys(measurements), ...Object.keys(groups)].join('|')} …] [--tiny] [--rows n] [--seconds n] [--repeats n] [--minutes n] [--backend postgres|redis|both]`,
  );
  process.exit(2);
}

function machine(): string {
  const cores = cpus();
  const parts = [
    `${cores.length} × ${cores[0]?.model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.versions.node}`,
    `Postgres ${servers?.postgresVersion}`,
    `load ${loadBefore} before`,
    new Date().toISOString(),
  ];
  return parts.join(', ');
}

function save(name: string, report: Report): void {
  const folder = fileURLToPath(new URL('./results/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  writeFileSync(
    `${folder}${name.replace('/', '-')}-${date}.json`,
    `${JSON.stringify({ name, machine: machine(), options, ...report }, null, 2)}\n`,
  );
}
