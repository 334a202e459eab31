/**
 * The package as its users meet it: packed, installed into an empty folder, started by `npx confam start`. There every program of `examples/` and every sample of
 * docs/clients.md runs. The service was compiled for all tests; dependencies are linked instead of being installed once more: what is tested is what the package
 * itself brings.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { buildClient } from '../../ops/build-client.ts';
import { CALLER, checkSample } from '../../ops/docs-checks.ts';
import { buildConsole, bundleFolder, isStale } from '../../src/api/console/build.ts';
import { checks } from '../../src/checks/catalog.ts';
import { preambles } from '../../src/client/code-samples.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { waitFor } from '../setup/database.ts';
import { hangUp } from '../setup/hang-up.ts';
import { type Confam, killConfams, makeDataDir, readSandbox, startConfam, untilReady } from '../setup/process.ts';

const home = mkdtempSync(join(tmpdir(), 'confam-package-'));
const data = makeDataDir();
const installed = join(home, 'node_modules/confam');
const { PATH, HOME } = process.env;
let confam: Confam;
let environment: Record<string, string>;

beforeAll(async () => {
  await pack();
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', [
    '-xzf',
    join(home, readdirSync(home).find((name) => name.endsWith('.tgz'))!),
    '-C',
    installed,
    '--strip-components=1',
  ]);
  linkDependencies();
  const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { scripts: { postinstall: string } };
  const [program, script] = scripts.postinstall.split(' ') as [string, string];
  expect(program).toBe('node');
  execFileSync(process.execPath, [script], { cwd: installed, env: { PATH, HOME, npm_config_offline: 'true' }, stdio: 'ignore' });
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
}, 240_000);
afterAll(async () => {
  await killConfams();
  data.remove();
  rmSync(home, { recursive: true, force: true });
});

/** What `npm run build` makes, in a copy of what the package takes from the repository. */
async function pack(): Promise<void> {
  const [root, stage] = [packageRoot(), join(home, 'stage')];
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  const taken = files.filter((path) => !path.startsWith('dist/')).map((path) => path.replace(/\/\*.*$/, ''));
  for (const path of ['package.json', 'README.md', ...taken]) cpSync(join(root, path), join(stage, path), { recursive: true });
  for (const room of ['src', 'workers']) cpSync(join(inject('compiled'), room), join(stage, 'dist', room), { recursive: true });
  if (isStale()) await buildConsole();
  cpSync(bundleFolder(), join(stage, 'dist/console'), { recursive: true });
  await buildClient(join(stage, 'dist/client'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', home], {
    cwd: stage,
    env: { PATH, HOME },
    stdio: 'ignore',
  });
}

/** As npm lays them out, without a second copy. */
function linkDependencies(): void {
  const own = join(packageRoot(), 'node_modules');
  const { dependencies } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const target = join(home, 'node_modules', name);
    mkdirSync(join(target, '..'), { recursive: true });
    symlinkSync(join(own, name), target);
  }
  mkdirSync(join(home, 'node_modules/.bin'));
  symlinkSync('../confam/dist/src/cli.js', join(home, 'node_modules/.bin/confam'));
  chmodSync(join(installed, 'dist/src/cli.js'), 0o755);
}

describe('the package', () => {
  test('brings the program, the client with its types, the console and what they read, and no sources or tests', () => {
    for (const path of [
      'dist/src/cli.js',
      'dist/client/confam.js',
      'dist/client/confam.d.ts',
      'dist/console/bundle.json',
      'dist/workers/main.js',
      'drizzle/meta/_journal.json',
    ])
      expect(existsSync(join(installed, path)), path).toBe(true);
    // Models of face matching are kept in node_modules, once they are fetched.
    const top = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'README.md',
      'bench',
      'dist',
      'docs',
      'drizzle',
      'node_modules',
      'ops',
      'package.json',
      'src',
    ];
    expect(readdirSync(installed).filter((name) => !top.includes(name))).toEqual([]);
    const sources = readdirSync(join(installed, 'src'), { recursive: true, encoding: 'utf8' });
    expect(sources.filter((name) => name.endsWith('.ts'))).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    expect(
      Object.values(dependencies).filter((version) => !/^\d/.test(version)),
      'only from the registry',
    ).toEqual([]);
  });

  test('runs in an empty folder: npx confam start, every check by confam/client, the console', async () => {
    const port = await freePort();
    confam = startConfam(
      ['--offline', 'confam', 'start'],
      { CONFAM_DATA_DIR: data.path, PORT: String(port), CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' },
      [npx()],
      home,
    );
    await untilReady(confam, port);
    await waitFor('the greeting', () => confam.stdout().includes('Ctrl-C'));
    const { test_key: key, app_id: app } = readSandbox(data.path);
    environment = { CONFAM_URL: `http://127.0.0.1:${port}`, CONFAM_KEY: key, CONFAM_APP: app };
    writeFileSync(
      join(home, 'first-call.mjs'),
      `import { createClient } from 'confam/client';
       const client = createClient({ baseUrl: process.env.CONFAM_URL, key: process.env.CONFAM_KEY, app: process.env.CONFAM_APP });
       console.log((await client.nin.advance({ nin: '70123456789' })).entity.nin);`,
    );
    expect(run('first-call.mjs')).toBe('70123456789\n');
    const console_ = await fetch(`${environment.CONFAM_URL}/console/`);
    expect([console_.status, await console_.text()]).toEqual([200, expect.stringContaining('<script')]);
  }, 60_000);
});

describe('the types of confam/client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'confam-types-'));
  // Where neither zod nor the sources can be found.
  beforeAll(() => {
    cpSync(join(installed, 'dist/client'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('compile alone, strictly, without zod or this repository, with the samples of every check; mistakes do not', () => {
    const [right, wrong, samples] = [join(folder, 'program.ts'), join(folder, 'mistaken.ts'), join(folder, 'samples.ts')];
    writeFileSync(right, PROGRAM);
    writeFileSync(samples, samplesOfChecks());
    writeFileSync(wrong, `${PROGRAM}\nasync function mistaken() {\n${MISTAKES.join('\n')}\n}\nvoid mistaken;`);
    const first = PROGRAM.split('\n').length + 2;
    expect(complaints([right, wrong, samples])).toEqual(MISTAKES.map((_, i) => `mistaken.ts:${first + i}`));
  }, 60_000);

  test('and code import nothing but their neighbours', () => {
    const files = readdirSync(folder).filter((name) => /^[\w-]+\.(d\.ts|js)$/.test(name));
    expect(files).toContain('confam.d.ts');
    for (const name of files) {
      const text = readFileSync(join(folder, name), 'utf8');
      const imported = [...text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)].map((match) =>
        match[1]!.replace(/^\.\/(.*)\.js$/, '$1.d.ts'),
      );
      expect(
        imported.filter((path) => !files.includes(path)),
        name,
      ).toEqual([]);
    }
  });
});

describe('the examples', () => {
  beforeAll(() => {
    cpSync(join(packageRoot(), 'examples'), join(home, 'examples'), { recursive: true });
    const rows = Array.from({ length: 200 }, (_, i) => `c${i + 1},${40_000_000_000 + i * 7},Ada`);
    writeFileSync(join(home, 'customers.csv'), `Customer ref,National ID,Name\n${rows.join('\n')}\n`);
  });

  test('onboard.mjs takes a file from its preview to its results', () => {
    const said = run('examples/onboard.mjs', 'customers.csv', 'nin_basic', 'results.csv');
    expect(said).toMatch(/nin is "National ID": /);
    expect(said).toMatch(/200 rows, 0 invalid: at most ₦25000\n/);
    expect(said).toMatch(/completed: \d+ found, \d+ not found, 0 failed, ₦\d+\. Results: results\.csv\n$/);
    expect(readFileSync(join(home, 'results.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(201);
  });

  test('the program of the package takes the same file to its results', () => {
    const args = [
      'batch',
      'submit',
      'customers.csv',
      '--checks',
      'nin_basic',
      '--map',
      'nin=National ID',
      '--yes',
      '--output',
      'by-command.csv',
    ];
    expect(run('node_modules/.bin/confam', ...args)).toMatch(/bat_\w+ {2}completed/);
    expect(readFileSync(join(home, 'by-command.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(201);
  });

  test('poll.mjs tells outcomes apart', () => {
    expect(run('examples/poll.mjs', '70123456789')).toBe('found: Morenike Durojaiye, ₦50\n');
    expect(run('examples/poll.mjs', '12')).toMatch(/^refused \(invalid_request, req_\w+\): .*11 digits/);
  });

  test('screen-and-monitor.mjs screens and monitors', () => {
    expect(run('examples/screen-and-monitor.mjs', 'Musa Ibrahim', '1970-01-02')).toMatch(
      /^(LOW|MEDIUM|HIGH|CRITICAL) \(\d+\), \d+ hits\n(.*\n)*monitored since 20\S+: mon_\w+\n$/,
    );
  });

  test('webhook-receiver.mjs takes a message once, and refuses what nobody signed', async () => {
    const { webhook_secret: secret } = readSandbox(data.path);
    const receiver = await serve('examples/webhook-receiver.mjs', { CONFAM_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)},${secret}` });
    const forged = await fetch(receiver.url, { method: 'POST', body: '{"type":"job.completed","data":{}}' });
    expect(forged.status).toBe(400);
    await hangUp(receiver.url);
    await waitFor('the loss', () => receiver.said().includes('refused: aborted'));
    const { CONFAM_URL, CONFAM_KEY, CONFAM_APP } = environment as Record<'CONFAM_URL' | 'CONFAM_KEY' | 'CONFAM_APP', string>;
    await fetch(`${CONFAM_URL}/api/v1/jobs`, {
      method: 'POST',
      headers: { Authorization: CONFAM_KEY, AppId: CONFAM_APP, 'Content-Type': 'application/json' },
      body: JSON.stringify({ check: 'nin_basic', input: { nin: '70123456789' }, callback_url: receiver.url }),
    });
    await waitFor('the message', () => /^job\.completed job_\w+ completed$/m.test(receiver.said()));
    expect(receiver.said()).toContain('refused: The header webhook-id is missing');
    receiver.stop();
  });

  test('form/server.mjs answers a plain form, and never shows its key', async () => {
    const form = await serve('examples/form/server.mjs', {});
    await hangUp(form.url);
    await waitFor('the loss', () => form.said().includes('not answered: aborted'));
    const post = async (nin: string, surname: string) => {
      const answer = await fetch(form.url, { method: 'POST', body: new URLSearchParams({ nin, surname }) });
      return [answer.status, /role="status">(.*?)</.exec(await answer.text())![1]];
    };
    const empty = await (await fetch(form.url)).text();
    expect(empty).toContain('<form method="post">');
    expect(empty).not.toContain(environment.CONFAM_KEY!);
    expect(await post('70123456789', ' durojaiye')).toEqual([200, 'Thank you: your NIN is confirmed.']);
    expect(await post('70123456789', 'Somebody')).toEqual([422, 'The surname is not that of this NIN.']);
    expect(await post('7', '<script>')).toEqual([422, 'A NIN has 11 digits.']);
    expect(await post('00000000001', 'Nobody')).toEqual([422, 'There is no such NIN.']);
    form.stop();
  });
});

describe('the samples of docs/clients.md', () => {
  const samples = (language: string): string[] =>
    [...readFileSync(join(packageRoot(), 'docs/clients.md'), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
      (match) => match[1]!,
    );
  const here = (code: string): string => code.replace('http://127.0.0.1:8080', environment.CONFAM_URL!);
  const javascript = async (...codes: string[]) => (await transform(here(codes.join('\n')), { loader: 'ts', format: 'esm' })).code;

  test('TypeScript: a call, a batch, a receiver', async () => {
    const [call, batch, receive] = samples('ts') as [string, string, string];
    writeFileSync(join(home, 'sample.mjs'), await javascript(call, batch));
    const said = run('sample.mjs').split('\n');
    expect(said[0]).toMatch(/^Morenike .+ \d+ (true|false)$/);
    expect(said.filter((line) => /^(c\d+|null) \S+$/.test(line))).toHaveLength(200);
    writeFileSync(
      join(home, 'receive.mjs'),
      (await javascript(receive)).replace(
        'listen(3e3)',
        "listen(Number(process.env.PORT), () => console.log('listening on ' + process.env.PORT))",
      ),
    );
    const receiver = await serve('receive.mjs', { CONFAM_WEBHOOK_SECRET: 'whsec_none' });
    await hangUp(receiver.url);
    expect((await fetch(receiver.url, { method: 'POST', body: '{}' })).status).toBe(400);
    receiver.stop();
  });

  const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
  test.skipIf(!hasPython)(`Python: a call, a batch, a receiver${hasPython ? '' : ' (SKIPPED: no python3 of 3.9 or later)'}`, () => {
    const [main, receive] = samples('python') as [string, string];
    appendFileSync(join(home, 'customers.csv'), 'c201,7,Ada\n');
    writeFileSync(join(home, 'sample.py'), `${here(main)}\n${receive}\nprint(receive(b'{}', {}))\n`);
    const PYTHONPATH = join(packageRoot(), 'clients/python');
    const env = {
      PATH,
      PYTHONPATH,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONIOENCODING: 'utf-8',
      CONFAM_WEBHOOK_SECRET: 'whsec_none',
      ...environment,
    };
    const said = execFileSync('python3', ['sample.py'], { cwd: home, env, encoding: 'utf8', timeout: 30_000 }).trimEnd().split('\n');
    expect(said[0]).toMatch(/^Morenike \d+$/);
    expect(said.filter((line) => /^(c\d+|None) \S+$/.test(line))).toHaveLength(201);
    expect(said).toContain('c201 None');
    expect(said.at(-1)).toBe('400');
  });
});

const npx = (): string => join(spawnSync('npm', ['root', '-g'], { encoding: 'utf8' }).stdout.trim(), 'npm/bin/npx-cli.js');

const run = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: home, env: { PATH, ...environment }, encoding: 'utf8', timeout: 30_000 });

/** A program that listens, on a free port. */
async function serve(path: string, extra: Record<string, string>) {
  const port = await freePort();
  const child = spawn(process.execPath, [path], { cwd: home, env: { PATH, ...environment, ...extra, PORT: String(port) } });
  let said = '';
  child.stdout.on('data', (piece) => (said += piece));
  child.stderr.on('data', (piece) => (said += piece));
  await waitFor(path, () => said.includes(`listening on ${port}`));
  return { url: `http://127.0.0.1:${port}/`, said: () => said, stop: () => child.kill() };
}

/** The samples of docs/checks.md; `test/docs/code-samples.test.ts` runs them. */
const samplesOfChecks = (): string => `
declare const process: { env: Record<string, string | undefined> };
declare function readFileSync(file: string, encoding: 'base64'): string;
${preambles
  .ts(CALLER, true)
  .replace(/^import .* 'node:fs';$/m, '')
  .replace("'confam/client'", "'./confam.js'")}
${checks.map((check) => `{\n${checkSample(check, 'ts')}\n}`).join('\n')}
`;

const PROGRAM = `
import { createClient, Refused, webhooks, type BatchDetail, type ResultRow } from './confam.js';
const client = createClient({ baseUrl: 'http://127.0.0.1:8080', key: 'k', app: 'a' });
export async function run(file: File): Promise<[string, number, string | undefined]> {
  const { entity, billed_amount } = await client.nin.advance({ nin: '70123456789' });
  const origin: string = entity.origin_state;
  const made: BatchDetail = await client.batches.upload(file, { checks: ['nin_basic'], mapping: { nin: 'National ID' }, on_invalid: 'reject' });
  const status: 'completed' | 'other' = made.status === 'completed' ? made.status : 'other';
  const rows: ResultRow[] = [];
  for await (const row of client.batches.results(made, { outcome: ['found'] })) rows.push(row);
  const job = await client.jobs.wait(await client.jobs.create({ check: 'email_risk', input: { email: 'a@example.com' } }));
  for await (const review of client.reviews.all({ state: ['open'] })) void review.kind;
  void [client.webhooks.deliveries('whe_1'), client.batches.jobs('bat_1'), client.keys.rotate('key_1'), client.keys.page({ active: true })];
  const { type } = await webhooks.verify(new Uint8Array(), new Headers(), 'whsec_');
  const error: unknown = new Error(type);
  if (error instanceof Refused && error.code === 'insufficient_funds') return [origin, billed_amount, error.details[0]?.rule];
  return [job.status, rows.length, status];
}
`;
/** Each line is wrong. */
const MISTAKES = [
  `void client.nin.advance({ bvn: '1' });`,
  `void client.batches.upload('', { checks: ['nin_basic'], on_invalid: 'refuse' });`,
  `void client.jobs.create({ check: 'nin_basics', input: { nin: '1' } });`,
  `void client.jobs.create({ check: 'nin_basic', input: { bvn: '1' } });`,
  `void webhooks.verify({ type: 'job.completed' }, new Headers(), 's');`,
  `if (new Error() instanceof Refused && (new Error() as Refused).code === 'no_money') void 0;`,
  `void client.keys.page({ nmae: 'Nightly' });`,
  `void client.wallet.entries({ format: 'csv' });`,
  `void client.batches.get('bat_1').then(({ status }) => status === 'done');`,
];

/** Where the compiler finds something wrong. */
function complaints(paths: string[]): string[] {
  const program = ts.createProgram(paths, {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // The declarations themselves are checked.
    skipLibCheck: false,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    if (file?.fileName.endsWith('/mistaken.ts')) return `mistaken.ts:${file.getLineAndCharacterOfPosition(start!).line + 1}`;
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
