/**
 * Compares what is installed with the registry's signatures (`npm run lint:signatures`, by `npm audit signatures`). Fails only for a signature that is wrong or
 * missing. Where the registry does not answer, or signs nothing, it says so and lets the check pass: `npm run check` also works offline.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../src/foundation/package-root.ts';

/** Whether the registry answers is known after this time. */
const PING_MS = 5_000;
/** npm asks for each package; the first time that takes a minute. */
const AUDIT_MS = 120_000;

export interface Outcome {
  /** Null: it was ended because it took too long. */
  code: number | null;
  output: string;
}

interface Verdict {
  failed: boolean;
  line: string;
}

/** What npm 11 prints in each case: its `lib/utils/verify-signatures.js`. */
export function verdictOf({ code, output }: Outcome): Verdict {
  const verified = /\d+ packages? ha(?:s|ve) (?:a )?verified registry signatures?/.exec(output);
  if (code === 0 && verified) return { failed: false, line: verified[0] };
  if (/(?:invalid|missing) (?:registry signature|attestation)/.test(output)) return { failed: true, line: output.trim() };
  const reason =
    code === null
      ? 'the registry took too long'
      : (/^npm (?:error|ERR!) (?!code |errno |syscall )(.*)$/m.exec(output)?.[1] ?? 'npm gave no reason');
  return { failed: false, line: `not checked: ${reason}` };
}

function npm(args: string[], timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn('npm', args, {
      cwd: packageRoot(),
      timeout: timeoutMs,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        npm_config_fetch_retries: '0',
        npm_config_fetch_timeout: String(PING_MS - 1_000),
        npm_config_loglevel: 'error',
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', (error) => resolve({ code: 1, output: `npm error ${error.message}` }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ping = await npm(['ping'], PING_MS);
  const { failed, line } =
    ping.code === 0
      ? verdictOf(await npm(['audit', 'signatures'], AUDIT_MS))
      : { failed: false, line: 'not checked: the registry does not answer' };
  console.log(`signatures: ${line}`);
  if (failed) process.exitCode = 1;
}
