/** More than 200 invented, labelled addresses (`labelled.csv`), assessed against the sandbox's zones: how often the reputation is right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assessment, EmailEngine } from '../../../src/engines/email/email.ts';
import { openLists } from '../../../src/engines/email/lists.ts';
import { openEmailSandbox } from '../../../src/sandbox/internet/engine.ts';

/** `clean`: a person or an office that takes mail. `mistyped`: a well-known domain with a typing error. `risky`: nobody should rely on it. */
const LABELS = ['clean', 'mistyped', 'risky'] as const;
const REPUTATIONS = ['high', 'medium', 'low'] as const;

interface Labelled {
  label: (typeof LABELS)[number];
  address: string;
  /** The intended domain; empty: this one. */
  meant: string;
}

const labelled = parse(readFileSync(join(import.meta.dirname, 'labelled.csv')), { columns: true }) as Labelled[];

let engine: EmailEngine;
const assessed: { row: Labelled; assessment: Assessment }[] = [];
beforeAll(async () => {
  engine = await openEmailSandbox(await openLists());
  const { signal } = new AbortController();
  for (const row of labelled) assessed.push({ row, assessment: (await engine.assess(row.address, signal))! });
  process.stdout.write(`\n${confusion()}\n`);
});
afterAll(() => engine.close());

const count = (label: string, reputation: string): number =>
  assessed.filter(({ row, assessment }) => row.label === label && assessment.reputation === reputation).length;
const total = (label: string): number => assessed.filter(({ row }) => row.label === label).length;
const wrong = (label: string, reputation: string): string[] =>
  assessed.flatMap(({ row, assessment }) =>
    row.label === label && assessment.reputation === reputation ? `${row.address} ${assessment.score}` : [],
  );

function confusion(): string {
  const line = (cells: (string | number)[]) =>
    cells.map((cell, i) => (i === 0 ? String(cell).padEnd(10) : String(cell).padStart(8))).join('');
  return [
    line(['', ...REPUTATIONS, 'all']),
    ...LABELS.map((label) => line([label, ...REPUTATIONS.map((reputation) => count(label, reputation)), total(label)])),
  ].join('\n');
}

describe('the labelled set', () => {
  test('has at least 200 different addresses', () => {
    expect(new Set(labelled.map(({ address }) => address)).size).toBe(labelled.length);
    expect(labelled.length).toBeGreaterThanOrEqual(200);
  });

  test('has no risky address with a high reputation, and no clean one with a low one', () => {
    expect(wrong('risky', 'high')).toEqual([]);
    expect(wrong('clean', 'low')).toEqual([]);
  });

  test('gives nearly every clean address a high reputation, and nearly every risky one a low one', () => {
    expect(count('clean', 'high') / total('clean'), wrong('clean', 'medium').join()).toBeGreaterThanOrEqual(0.97);
    expect(count('risky', 'low') / total('risky'), wrong('risky', 'medium').join()).toBeGreaterThanOrEqual(0.95);
  });

  test('suggests the intended domain, and nothing if the address was right', () => {
    const suggested = assessed.map(({ row, assessment }) => [row.address, assessment.lettering.suggestion ?? '']);
    const isLookalike = (address: string) => /[^\p{ASCII}]/u.test(address);
    const expected = assessed.map(({ row }) => [row.address, row.meant]);
    const differ = suggested.filter(([address, domain], i) => domain !== expected[i]![1] && !isLookalike(address!));
    expect(differ).toEqual([]);
  });

  test('scores the same address the same every time', async () => {
    const { signal } = new AbortController();
    for (const { row, assessment } of assessed.filter((_, i) => i % 10 === 0))
      expect((await engine.assess(row.address, signal))!.score).toBe(assessment.score);
  });
});
