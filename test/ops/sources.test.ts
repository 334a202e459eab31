/** Properties of the sources and of the image that docs/security-asvs.md relies on. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
const listed = existsSync(join(packageRoot(), '.git'))
  ? execFileSync('git', ['ls-files', 'src', 'workers'], { cwd: packageRoot(), encoding: 'utf8' }).split('\n')
  : [];
const sources = listed.filter((path) => /\.tsx?$/.test(path)).map((path) => ({ path, text: read(path) }));
const withMatch = (pattern: RegExp): string[] => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe.skipIf(sources.length === 0)('no source of the service', () => {
  test('evaluates text as code', () => {
    expect(withMatch(/\beval\(|new Function\(|from 'node:vm'/)).toEqual([]);
  });

  test('starts a program through a shell, or starts one at all but for these', () => {
    expect(withMatch(/shell: true|\bexecSync\(|\bexec\(['"`]/)).toEqual([]);
    expect(withMatch(/^import \{(?! type \w+ \}).*from 'node:child_process'/m).sort()).toEqual(PROGRAMS);
  });

  test('keeps people from pasting a password', () => {
    expect(withMatch(/onPaste|onpaste/)).toEqual([]);
    expect(read('src/console/sign-in/form.tsx')).toContain('autocomplete="current-password"');
  });

  test('uses ECB, PKCS#1 v1.5, MD5 or RC4, or draws secrets from Math.random', () => {
    expect(withMatch(/-ecb|RSA_PKCS1_PADDING|createHash\('(md5|rc4|md4)'/i)).toEqual([]);
    expect(withMatch(/Math\.random\(\)\.toString/)).toEqual([]);
  });

  test('keeps a key, a password or an answer in the browser’s storage', () => {
    const stored = sources.flatMap(({ text }) =>
      [...text.matchAll(/(?:session|local)Storage\.setItem\(([^,]+),/g)].map(([, name]) => name!),
    );
    expect(new Set(stored)).toEqual(new Set(['MODE', 'APP', 'PURPOSE', 'ASKED_FOR', "'confam-docs-language'"]));
  });
});

/** They start the embedded database, the other processes of `confam start`, npm for the face models, commands that print secrets, and the copier of the listening descriptor; none handles a request. */
const PROGRAMS = [
  'src/api/accepters.ts',
  'src/embedded/account.ts',
  'src/embedded/binaries.ts',
  'src/embedded/server.ts',
  'src/engines/face/fetch-models.ts',
  'src/foundation/config.ts',
  'workers/companion.ts',
];

test('the image gets only what .dockerignore allows by name: no .git, no tests, no local data', () => {
  const [first, ...rest] = read('.dockerignore').trim().split('\n');
  expect(first).toBe('*');
  expect(rest.every((line) => line.startsWith('!'))).toBe(true);
  for (const path of ['.git', 'test', '.data', 'clients', '.ci']) expect(rest).not.toContain(`!${path}`);
});

test('the image runs for production, and not as root', () => {
  const last = read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)!;
  expect(last).toContain('NODE_ENV=production');
  expect(last).toMatch(/^USER node$/m);
});
