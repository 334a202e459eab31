/** Runs commands of the compiled program against a service, as a script does and, where `script` is installed, as a person in a terminal does. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';
import type { TestApi } from './api.ts';
import { waitFor } from './database.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** What somebody types, or a program writes into its standard input. */
  type(text: string): void;
  ended(): Promise<Ended>;
}

export interface Terminal {
  /** Settings of the commands are kept here. */
  folder: string;
  /** To its end. `into`: the file that its standard output goes to, as the shell's `>` does it. */
  run(args: string[], options?: { env?: Record<string, string>; input?: string; into?: string }): Promise<Ended>;
  start(args: string[], options?: { env?: Record<string, string>; isTerminal?: boolean; into?: string }): Running;
}

export const hasTerminals = spawnSync('script', ['--version']).status === 0;

const folders: string[] = [];
const children = new Set<ChildProcess>();

/** Called after every test file (`after-each-file.ts`): files of one worker share this module. */
export function closeTerminals() {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** For an app of a service; without one, nothing is configured. */
export function openTerminal(to: { api: Pick<TestApi, 'url'>; app: { app: string; key: string } } | null): Terminal {
  const folder = mkdtempSync(join(tmpdir(), 'confam-terminal-'));
  folders.push(folder);
  const signedIn = to ? { CONFAM_URL: to.api.url, CONFAM_APP: to.app.app, CONFAM_KEY: to.app.key } : {};
  const { PATH, HOME, TMPDIR, LANG } = process.env;

  const start: Terminal['start'] = (args, { env = {}, isTerminal = false, into } = {}) => {
    const program = [join(inject('compiled'), 'src', 'cli.js'), ...args];
    const line = `exec ${[process.execPath, ...program].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`;
    const [command, words] = isTerminal
      ? ['script', ['-qefc', line, '/dev/null']]
      : into === undefined
        ? [process.execPath, program]
        : ['sh', ['-c', `${line} > ${into}`]];
    const child = spawn(command as string, words as string[], {
      cwd: packageRoot(),
      env: { PATH, HOME, TMPDIR, LANG, CONFAM_CONFIG_DIR: folder, CONFAM_DATA_DIR: folder, ...signedIn, ...env },
      stdio: 'pipe',
    });
    children.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => {});
    return {
      child,
      stdout: () => stdout,
      stderr: () => stderr,
      type: (text) => void child.stdin.write(text),
      async ended() {
        await waitFor(`the end of confam ${args.join(' ')}`, () => child.exitCode !== null || child.signalCode !== null, 60_000);
        await waitFor('its output', () => child.stdout.closed && child.stderr.closed);
        children.delete(child);
        return { code: child.exitCode, stdout, stderr };
      },
    };
  };
  return {
    folder,
    start,
    async run(args, { env, input, into } = {}) {
      const running = start(args, { env, into });
      running.child.stdin!.end(input ?? '');
      return running.ended();
    },
  };
}
