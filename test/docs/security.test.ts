/** The table of ASVS requirements is whole, and each line has one of three states with its reason. */
import { readFileSync } from 'node:fs';
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
