/** Programs that a measurement starts without our environment and stops by pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/foundation/package-root.ts';

const STOP_TIMEOUT_MS = 20_000;

export interface Stoppable {
  process: ChildProcess;
  stop(): Promise<void>;
}

/** A program with `environment` and only those of our variables that it needs to run at all. */
export function run(args: string[], environment: Record<string, string | undefined>, output: number | 'pipe'): Stoppable {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  return stoppable(
    spawn(process.execPath, [...(args.some((arg) => arg.endsWith('.ts')) ? ['--import', 'tsx'] : []), ...args], {
      cwd: packageRoot(),
      env: Object.fromEntries(Object.entries({ PATH, HOME, TMPDIR, LANG, ...environment }).filter(([, value]) => value !== undefined)),
      stdio: ['ignore', output, output],
    }),
  );
}

export function stoppable(child: ChildProcess): Stoppable {
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  // The last resort, for an exit that stopped nothing.
  const onExit = () => !isGone() && child.kill('SIGKILL');
  process.once('exit', onExit);
  const gone = once(child, 'exit').then(() => process.off('exit', onExit));
  return {
    process: child,
    async stop() {
      if (!isGone()) child.kill('SIGTERM');
      const patience = new AbortController();
      await Promise.race([gone, sleep(STOP_TIMEOUT_MS, null, { signal: patience.signal }).catch(() => {})]);
      patience.abort();
      if (!isGone()) child.kill('SIGKILL');
      await gone;
    },
  };
}

export async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const part of child.stdout!.setEncoding('utf8')) {
    text += part;
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error(`a reference program ended (${child.exitCode ?? child.signalCode}) without an answer`);
}

/** Node's flags from `npm start`, so that the measured program is the one that users get. */
export function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--') && word !== '--import');
}
