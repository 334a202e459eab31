/** The table of ASVS requirements is whole, and each line has one of three states with its reason. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';

const page = readFileSync(join(packageRoot(), 'docs/security-asvs.md'), 'utf8');
const lines = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)];

/** Of version 5.0.0. */
const REQUIREMENTS = { 1: 70, 2: 183 };

test('every requirement of levels 1 and 2 has one line', () => {
  expect(new Set(lines.map(([, id]) => id)).size).toBe(lines.length);
  for (const [level, count] of Object.entries(REQUIREMENTS)) expect(lines.filter((line) => line[2] === level)).toHaveLength(count);
});

test('each is met, not applicable or open', () => {
  expect(lines.filter(([, , , state]) => !['met', 'n/a', 'open'].includes(state!)).map(([line]) => line)).toEqual([]);
});

/** Chapters' first sections ask for documentation; a page answers them. Everything else that is met names a test, or a rule of `npm run check`. */
test('what is met names a test that exists, or a page with that heading', () => {
  const unfounded = lines.filter(([, , , state, by]) => {
    if (state !== 'met') return false;
    const tests = [...by!.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path!);
    const links = [...by!.matchAll(/\]\(([\w-]+\.md)(?:#([\w-]+))?\)/g)].map(([, file, heading]) => ({ file: file!, heading }));
    const isThere = tests.every((path) => existsSync(join(packageRoot(), path))) && links.every(hasHeading);
    return !isThere || tests.length + links.length + Number(by!.includes('`npm run check`')) === 0;
  });
  expect(unfounded.map(([line]) => line)).toEqual([]);
});

function hasHeading({ file, heading }: { file: string; heading: string | undefined }): boolean {
  const path = join(packageRoot(), 'docs', file);
  if (!existsSync(path)) return false;
  const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!);
  const slugs = headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s+/g, '-'),
  );
  return heading === undefined || slugs.includes(heading);
}
