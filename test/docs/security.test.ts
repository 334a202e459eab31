/** The tables of security: each line of ASVS has one of three states with its reason; each limit and each threat names its test, or says that it is open. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

describe('docs/security.md', () => {
  const text = readFileSync(join(packageRoot(), 'docs/security.md'), 'utf8');
  const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { scripts: Record<string, string> };

  /** Rows of the tables under a heading, each as its cells. */
  function rowsUnder(heading: string): string[][] {
    const from = text.indexOf(`\n## ${heading}\n`);
    const section = text.slice(from, text.indexOf('\n## ', from + 1));
    return [...section.matchAll(/^\|(.+)\|$/gm)]
      .map(([, row]) => row!.split('|').map((cell) => cell.trim()))
      .filter(([first, second]) => first !== 'what' && second !== 'threat' && !/^-+$/.test(first!));
  }

  /** A test, a check of `npm run check`, or a script of ours; what it names exists. */
  const isShown = (cell: string): boolean => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    const exists = (name: string): boolean =>
      name.startsWith('npm run ')
        ? name.slice('npm run '.length) in scripts
        : /^(test|ops)\//.test(name) && existsSync(join(packageRoot(), name));
    return names.length > 0 && names.every(exists);
  };

  test.each([
    ['Limits', 49],
    ['Threats', 60],
  ])('%s: every row names tests that exist, or says that it is open', (heading, atLeast) => {
    const rows = rowsUnder(heading);
    expect(rows.length).toBeGreaterThanOrEqual(atLeast);
    const unfounded = rows.filter(
      (cells) => !isShown(cells.at(-1)!) && !(cells.at(-1) === '' && /\bopen\b/i.test(cells.slice(1).join(' '))),
    );
    expect(unfounded).toEqual([]);
  });
});
