/** The samples of docs/checks.md, as shown: every check in curl, TypeScript and Python against a service, each language in one process. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CALLER, checkSample } from '../../ops/docs-checks.ts';
import { exampleEntity, shorten } from '../../src/api/openapi/examples.ts';
import { checks } from '../../src/checks/catalog.ts';
import { LANGUAGES, type Language, preambles } from '../../src/client/code-samples.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type Entity, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { again, canCompare, one, plain } from '../setup/face-pictures.ts';

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'confam-samples-'));
const api = useApi({ ...(!canCompare && { CONFAM_FACE_MODELS: '/nowhere' }), CONFAM_FACE_THREADS: '1' });
let environment: Record<string, string>;
beforeAll(async () => {
  const client = await api.createApp();
  const { app, key } = client;
  // The sandbox lists are indexed after the start.
  await waitFor('the lists', async () => (await client.post('/api/v1/aml/screening', { name: 'Ada Obi' })).status === 200, 30_000);
  const { PATH, HOME } = process.env as Record<'PATH' | 'HOME', string>;
  environment = { PATH, HOME, BASE: api.url, KEY: key, APP: app };
  writeFileSync(join(folder, 'selfie.jpg'), canCompare ? one() : await plain('gray'));
  writeFileSync(join(folder, 'document.jpg'), canCompare ? again() : await plain('gray'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(program: string, args: string[], extra: Record<string, string> = {}): Promise<string[]> {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env: { ...environment, ...extra },
    timeout: 60_000,
    maxBuffer: 16_777_216,
  });
  return stdout.trim().split('\n');
}

const samples = (language: Language) => checks.map((check) => checkSample(check, language));

/** What each sample prints, in the order of the checks: an entity, or the code of a refusal. */
const programs: Record<Language, () => Promise<unknown[]>> = {
  async sh() {
    const answers = await run('bash', ['-c', samples('sh').join('\necho\n')]);
    return answers.map((line) => JSON.parse(line) as { entity?: Entity; code?: string }).map(({ entity, code }) => entity ?? code);
  },
  async ts() {
    const home = join(folder, 'node_modules/confam');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"type":"module","exports":{"./client":"./client/confam.js"}}');
    symlinkSync(join(inject('compiled'), 'src/client'), join(home, 'client'));
    const blocks = samples('ts').map((code) => `try {\n${code}\n} catch (error) { console.log(error.code); }`);
    const print = "const console = { log: (value) => process.stdout.write(JSON.stringify(value) + '\\n') };";
    const { code } = await transform(`${preambles.ts(CALLER, true)}${print}\n${blocks.join('\n')}`, { loader: 'ts', format: 'esm' });
    writeFileSync(join(folder, 'samples.mjs'), code);
    return (await run(process.execPath, ['samples.mjs'])).map((line) => JSON.parse(line));
  },
  async python() {
    const indented = (code: string) => code.replace(/^/gm, '    ');
    const blocks = samples('python').map((code) => `try:\n${indented(code)}\nexcept Exception as error:\n    print(error.code)`);
    const print = 'import builtins, json\n\n\ndef print(value):\n    builtins.print(json.dumps(value))\n';
    writeFileSync(join(folder, 'samples.py'), `${preambles.python(CALLER, true)}\n${print}\n\n${blocks.join('\n')}\n`);
    const PYTHONPATH = join(packageRoot(), 'clients/python');
    return (await run('python3', ['samples.py'], { PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' })).map((line) => JSON.parse(line));
  },
};

/** Other at each look-up. */
const OF_THE_MOMENT = /^days_since_|_at$/;
const lasting = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, member) => (OF_THE_MOMENT.test(name) ? undefined : (member as unknown))));

describe.each(LANGUAGES)('the samples of every check, %s', (language) => {
  const isHere = language !== 'python' || hasPython;
  test.skipIf(!isHere)(`are answered as docs/checks.md shows${isHere ? '' : ' (SKIPPED: no python3 of 3.9 or later)'}`, async () => {
    const answers = await programs[language]();
    expect(answers).toHaveLength(checks.length);
    for (const [i, check] of checks.entries()) {
      if (check.family !== 'face') {
        expect(lasting(shorten(answers[i])), check.id).toEqual(lasting(await exampleEntity(check)));
      } else if (canCompare) {
        expect(check.entity.safeParse(answers[i]).error, `${check.id}: ${JSON.stringify(answers[i])}`).toBeUndefined();
      } else {
        expect([check.id, answers[i]]).toEqual([check.id, 'provider_not_configured']);
      }
    }
  });
});
