/** The commands of the guides (`docs/guides/`) work as written: each page in a shell and a folder of its own, against a service as `npm start` runs it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { killConfams, readSandbox, startConfam, untilReady } from '../setup/process.ts';

const GUIDES = join(packageRoot(), 'docs/guides');
const folder = mkdtempSync(join(tmpdir(), 'confam-guides-'));
let environment: Record<string, string>;

beforeAll(async () => {
  const port = await freePort();
  const data = join(folder, 'data');
  const service = startConfam(['start'], { PORT: String(port), CONFAM_DATA_DIR: data, CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' });
  await untilReady(service, port);
  const { test_key, app_id } = readSandbox(data);
  environment = { BASE: `http://127.0.0.1:${port}`, KEY: test_key, APP: app_id };
}, 90_000);
afterAll(async () => {
  await killConfams();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a guide's commands in order; the first that fails ends it. */
async function follow(guide: string): Promise<string> {
  const text = readFileSync(join(GUIDES, `${guide}.md`), 'utf8');
  const script = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!).join('\n');
  const { PATH, HOME } = process.env;
  const cwd = mkdtempSync(join(folder, `${guide}-`));
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH, HOME, ...environment },
    timeout: 60_000,
  });
  return stdout;
}

describe('the guide', () => {
  test('to a file of customers ends with its results and the rows to correct', async () => {
    const shown = await follow('customer-file');
    expect(shown).toContain('"by": "synonym"');
    expect(shown).toMatch(/^completed$/m);
    const lines = shown.split('\r\n').join('\n').split('\n');
    expect(lines.filter((line) => /^100[125],/.test(line)).map((line) => /nin|completed/.exec(line)?.[0])).toHaveLength(3);
    expect(lines.filter((line) => /^100[34],.*(invalid|digits|scientific)/.test(line)).length).toBeGreaterThanOrEqual(2);
  });

  test('to webhooks receives the test and the job', async () => {
    const lines = (await follow('receive-webhooks')).trim().split('\n');
    expect(lines.map((line) => line.trim()).sort()).toEqual(['endpoint.test', 'job.completed completed order-7']);
  });

  test('to a screening policy finds the invented person and clears them', async () => {
    const shown = await follow('screening-policy');
    expect(shown).toContain('"risk_level": "CRITICAL"');
    expect(shown).toContain('"list": "ofac_sdn"');
  });

  test('no guide has commands that are not followed here', () => {
    const withCommands = readdirSync(GUIDES).filter((file) => readFileSync(join(GUIDES, file), 'utf8').includes('```sh'));
    expect(withCommands.sort()).toEqual(['customer-file.md', 'receive-webhooks.md', 'screening-policy.md']);
  });
});
