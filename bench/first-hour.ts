/**
 * Times a newcomer's first steps in a fresh clone of the committed files: `npm ci`, `npm start` with a new database, the first `confam check`, and 100,000 rows by
 * `confam batch submit` with the sandbox's key; then the next `npm start`, with all of that in the database. At the tiny size packages are linked rather than installed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../src/foundation/free-port.ts';
import { packageRoot } from '../src/foundation/package-root.ts';
import { csvOf } from './batch.ts';
import type { Report } from './figure.ts';
import { type Bench, type Options, rowsOf, type Size } from './harness.ts';
import { stoppable } from './process.ts';

const ROWS: Size = { full: 100_000, tiny: 500 };
/** Of `nin_basic`. */
const NAIRA_A_ROW = 125;
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const LATER_START_MS_MAX = 1_200;
const LOOK_MS = 20;
/** The end of an output that is shown if a command fails. */
const SAID_LENGTH = 2_000;

export async function firstHour(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, ROWS);
  const clone = join(bench.folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${packageRoot()}`, clone]);
  const npm = npmIn(clone, await freePort());
  const took: Record<string, number> = {};
  const timed = async (step: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    took[step] = performance.now() - began;
  };
  if (options.tiny) symlinkSync(join(packageRoot(), 'node_modules'), join(clone, 'node_modules'));
  else await timed('install', () => npm.run('ci', '--no-audit', '--no-fund'));
  let service = npm.start('start');
  try {
    await timed('start', () => service.ready());
    await timed('check', () => npm.run('run', '-s', 'confam', '--', 'check', 'nin_advance', '--nin', '70123456789'));
    await topUp(clone, rows * NAIRA_A_ROW);
    await pipeline(Readable.from(csvOf(rows)), createWriteStream(join(clone, 'customers.csv')));
    const submit = ['batch', 'submit', 'customers.csv', '--checks', 'nin_basic', '--yes', '--output', 'results.csv'];
    await timed('batch', () => npm.run('run', '-s', 'confam', '--', ...submit));
    await service.stop();
    service = npm.start('start');
    await timed('later', () => service.ready());
  } finally {
    await service.stop();
  }
  const saved = await linesOf(join(clone, 'results.csv'));
  if (saved !== rows + 1) throw new Error(`results.csv has ${saved} lines, not ${rows + 1}`);
  const { install = 0, start, check, batch, later } = took as Record<'install' | 'start' | 'check' | 'batch' | 'later', number>;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const shown = rows.toLocaleString('en');
  return {
    figures: [
      { what: 'npm ci in a fresh clone', measured: options.tiny ? 'skipped: packages are linked' : seconds(install) },
      { what: 'npm start with a new database, until it is ready', measured: seconds(start) },
      {
        what: `npm start with the ${shown} rows in its database, until it is ready`,
        measured: seconds(later),
        target: `≤ ${LATER_START_MS_MAX / 1000} s`,
        ok: later <= LATER_START_MS_MAX,
      },
      { what: 'confam check', measured: seconds(check) },
      { what: `confam batch submit --output of ${shown} rows, until the results are saved`, measured: seconds(batch) },
      { what: 'from npm ci to the first verification', measured: seconds(install + start + check) },
      { what: `from npm ci to ${shown} finished rows`, measured: seconds(install + start + check + batch) },
    ],
    detail: { rows, ...took },
  };
}

/** Runs npm in a folder without any `CONFAM_` settings, so that its commands find the sandbox in that folder. */
function npmIn(cwd: string, port: number) {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  const begin = (args: string[]) => {
    const child = stoppable(
      // A group of its own, so that all of it can be stopped as by Ctrl-C: npm's shell does not pass signals on.
      spawn('npm', args, {
        cwd,
        env: { PATH, HOME, TMPDIR, LANG, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    );
    let said = '';
    for (const stream of [child.process.stdout!, child.process.stderr!])
      stream.on('data', (piece: Buffer) => (said = `${said}${piece}`.slice(-SAID_LENGTH)));
    const failed = (how: unknown) => new Error(`npm ${args.join(' ')} ${how}: ${said}`);
    return { ...child, failed };
  };
  return {
    run: (...args: string[]) =>
      new Promise<void>((resolve, reject) => {
        const { process: child, failed } = begin(args);
        child.once('error', reject);
        child.once('close', (code, signal) => (code === 0 ? resolve() : reject(failed(`ended with ${code ?? signal}`))));
      }),
    start(...args: string[]) {
      const { process: child, failed } = begin(args);
      const pid = child.pid!;
      const killGroup = () => signal(-pid, 'SIGKILL');
      process.once('exit', killGroup);
      const answers = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          (answer) => answer.body?.cancel().then(() => answer.ok),
          () => false,
        );
      return {
        async stop(): Promise<void> {
          signal(-pid, 'SIGINT');
          const deadline = performance.now() + STOP_TIMEOUT_MS;
          while (signal(-pid, 0) && performance.now() < deadline) await sleep(LOOK_MS);
          if (signal(-pid, 'SIGKILL')) throw failed('did not stop in time');
          process.off('exit', killGroup);
        },
        /** The keys are printed, and the service answers. */
        async ready(): Promise<void> {
          for (const began = performance.now(); performance.now() - began < READY_TIMEOUT_MS; await sleep(LOOK_MS)) {
            if (child.exitCode !== null) throw failed('ended before it was ready');
            if (!existsSync(join(cwd, '.data/sandbox.json'))) continue;
            if (await answers()) return;
          }
          throw failed('was not ready in time');
        },
      };
    },
  };
}

/** Returns whether there is such a process or group. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** The demo app's play money does not pay for so many rows. */
async function topUp(folder: string, amount: number): Promise<void> {
  const { base_url, app_id, admin_key } = JSON.parse(readFileSync(join(folder, '.data/sandbox.json'), 'utf8')) as Record<string, string>;
  const answer = await fetch(`${base_url}/api/v1/admin/apps/${app_id}/topups`, {
    method: 'POST',
    headers: { Authorization: admin_key!, 'Content-Type': 'application/json' },
    body: JSON.stringify({ amount, mode: 'test' }),
  });
  if (!answer.ok) throw new Error(`the wallet was not topped up: ${answer.status} ${await answer.text()}`);
}

async function linesOf(path: string): Promise<number> {
  let lines = 0;
  for await (const _ of createInterface({ input: createReadStream(path) })) lines++;
  return lines;
}
