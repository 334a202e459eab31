/**
 * `npm run bench [-- throughput sync busy live fairness million ingest results portraits sse catalogue upstream aml face corpus email] [--rows n] [--seconds n] [--minutes n] [--backend postgres|redis|both]`: measures, prints one
 * table, writes every repeat to `bench/results/<name>-<date>.json`. Ends with 1 when a target is missed. README.md says how to read it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { aml } from './aml.ts';
import { catalogue } from './catalogue.ts';
import { corpus } from './corpus.ts';
import { email } from './email.ts';
import { face } from './face.ts';
import { fairness } from './fairness.ts';
import { type Figure, type Report, table } from './figure.ts';
import { type Bench, type Options, openBench } from './harness.ts';
import { ingest } from './ingest.ts';
import { live } from './live.ts';
import { million } from './million.ts';
import { portraits, results } from './results.ts';
import { sse } from './sse.ts';
import { busy, sync } from './sync.ts';
import { throughput } from './throughput.ts';
import { upstream, upstreamParts } from './upstream.ts';

const measurements: Record<string, (bench: Bench, options: Options) => Promise<Report>> = {
  throughput,
  sync,
  busy,
  live,
  fairness,
  million,
  ingest,
  results,
  portraits,
  sse,
  catalogue,
  upstream,
  aml,
  face,
  corpus,
  email,
};
/** What is done when it is named, and otherwise as a part of the above. */
const parts: typeof measurements = Object.fromEntries(Object.entries(upstreamParts).map(([name, part]) => [`upstream/${name}`, part]));
const REPEATS = 3;

const { names, options } = readArguments();
let bench: Bench | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130));

const loadBefore = loadavg()[0]!.toFixed(1);
bench = await openBench();
const figures: Figure[] = [];
try {
  for (const name of names) {
    const began = performance.now();
    process.stderr.write(`${name} … `);
    const report = await { ...measurements, ...parts }[name]!(bench, options);
    figures.push(...report.figures);
    save(name, report);
    process.stderr.write(`${Math.round((performance.now() - began) / 1000)} s\n`);
  }
} catch (error) {
  console.error(error);
  await end(2);
}
console.log(`\n${machine()}\n\n${table(figures)}`);
await end(figures.some((figure) => figure.ok === false) ? 1 : 0);

async function end(code: number): Promise<never> {
  await bench?.close();
  process.exit(code);
}

function readArguments(): { names: string[]; options: Options } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rows: { type: 'string' },
      seconds: { type: 'string', default: '15' },
      repeats: { type: 'string', default: String(REPEATS) },
      minutes: { type: 'string', default: '5' },
      backend: { type: 'string', default: 'both' },
    },
  });
  const unknown = positionals.filter((name) => !(name in measurements || name in parts));
  if (unknown.length > 0) usage(`unknown: ${unknown.join(', ')}`);
  const { backend } = values;
  if (backend !== 'postgres' && backend !== 'redis' && backend !== 'both') return usage('--backend is postgres, redis or both');
  return {
    names: positionals.length > 0 ? positionals : Object.keys(measurements),
    options: {
      rows: values.rows === undefined ? undefined : positive('rows', values.rows),
      seconds: positive('seconds', values.seconds),
      repeats: positive('repeats', values.repeats),
      minutes: positive('minutes', values.minutes),
      backends: backend === 'both' ? ['postgres', 'redis'] : [backend],
      backend: backend === 'redis' ? 'redis' : 'postgres',
    },
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : usage(`--${name} is a whole number above 0`);
}

function usage(problem: string): never {
  console.error(
    `${problem}\nusage: npm run bench -- [${Object.keys(measurements).join('|')} …] [--rows n] [--seconds n] [--repeats n] [--minutes n] [--backend postgres|redis|both]`,
  );
  process.exit(2);
}

function machine(): string {
  const cores = cpus();
  const parts = [
    `${cores.length} × ${cores[0]?.model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.versions.node}`,
    `Postgres ${bench?.postgresVersion}`,
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
