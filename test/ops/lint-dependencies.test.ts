/** What the check of the lockfile refuses: another source, a missing digest, a licence that nobody looked at. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf, type Packages } from '../../ops/lint-dependencies.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';

const lock = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')) as { packages: Packages };
const HONO = 'node_modules/hono';

/** The faults of our own lockfile after a change of one entry. */
const changed = (path: string, change: Packages[string], licence?: string) =>
  faultsOf({ ...lock.packages, [path]: { ...lock.packages[path], ...change } }, (installed) => (installed === path ? licence : undefined));

describe('the check of the lockfile', () => {
  it('accepts ours, and what is pinned under an allowed licence', () => {
    expect(faultsOf(lock.packages, () => undefined)).toEqual([]);
    expect(changed(HONO, { license: '(GPL-3.0-only OR MIT)' })).toEqual([]);
    expect(changed(HONO, { license: 'MIT AND ISC' })).toEqual([]);
  });

  it.each([
    ['a Git repository', { resolved: 'git+ssh://git@github.com/honojs/hono.git#abc' }],
    ['another registry', { resolved: 'https://npm.example.org/hono/-/hono-4.13.19.tgz' }],
    ["another package's file", { resolved: 'https://registry.npmjs.org/h0no/-/h0no-4.13.19.tgz' }],
  ])('refuses %s', (_, change) => {
    expect(changed(HONO, change)).toEqual([expect.stringMatching(/^node_modules\/hono comes from /)]);
  });

  it('refuses an entry without a SHA-512, even a binary for another platform', () => {
    expect(changed(HONO, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' })).toEqual([`${HONO} has no SHA-512`]);
    expect(changed(HONO, { integrity: undefined })).toEqual([`${HONO} has no SHA-512`]);
    const binary = 'node_modules/@oxc-parser/binding-darwin-arm64';
    expect(changed(binary, { integrity: undefined })).toEqual([`${binary} has no SHA-512`]);
  });

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', '(MIT OR GPL-3.0-only) AND ISC', 'unstated'])('refuses the licence %s', (license) => {
    expect(changed(HONO, { license })).toEqual([`${HONO} has the licence ${license}, which is not on the list`]);
  });

  it('believes the installed package, not the lockfile', () => {
    expect(changed(HONO, {}, 'AGPL-3.0-only')).toEqual([`${HONO} has the licence AGPL-3.0-only, which is not on the list`]);
  });

  it('names an exception that nothing needs', () => {
    const without = Object.fromEntries(Object.entries(lock.packages).filter(([path]) => !path.includes('/lightningcss')));
    expect(faultsOf(without, () => undefined)).toEqual(['the exception for lightningcss is no longer needed']);
  });
});
