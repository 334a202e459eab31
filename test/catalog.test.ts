/** What everything else takes for granted about the declarations of checks. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checks, families, findCheck } from '../src/checks/catalog.ts';
import { project } from '../src/checks/check.ts';
import { compareNames } from '../src/checks/names.ts';
import { packageRoot } from '../src/context.ts';

const NOT_FAMILIES = ['catalog.ts', 'check.ts', 'names.ts'];

describe('the catalog', () => {
  it('holds every family that has a file', () => {
    const files = readdirSync(join(packageRoot(), 'src/checks')).filter((file) => !NOT_FAMILIES.includes(file));
    expect(files.map((file) => file.replace('.ts', '')).sort()).toEqual([...families].sort());
  });

  it('gives every check an id, a path and a service of its own', () => {
    for (const pick of [
      (c: (typeof checks)[number]) => c.id,
      (c: (typeof checks)[number]) => c.route.path,
      (c: (typeof checks)[number]) => c.service,
    ]) {
      expect(new Set(checks.map(pick)).size).toBe(checks.length);
    }
  });

  it('prices as the specification lists, in kobo', () => {
    expect(Object.fromEntries(checks.map((check) => [check.id, [check.priceKobo, check.cachedPriceKobo]]))).toEqual({
      nin_basic: [12500, 5000],
      nin_advance: [12500, 5000],
      nin_premium: [15000, 5000],
      nin_slip: [12500, 5000],
      bvn_match: [9500, 3800],
      bvn_full: [9500, 3800],
      bvn_advance: [12500, 3800],
      credit_bvn: [25000, 10000],
    });
  });

  it('names services as they were observed', () => {
    expect(findCheck('bvn_full')!.service).toBe('bvn');
    expect(findCheck('nin_advance')!.service).toBe('nin_advance');
  });

  it('lets the entity of a richer tier serve every poorer one: no member is missing', async () => {
    // The tier and kind that a check asks for, seen by running it against a registry that holds nothing.
    const asked = async (id: string) => {
      let tier = 0;
      const check = findCheck(id)!;
      await check.run({ nin: '00000000000', bvn: '00000000000' }, async (_kind, wanted) => {
        tier = wanted;
        return { found: false };
      });
      return { tier, members: Object.keys(check.entity.shape) };
    };
    for (const family of families) {
      const whole = checks.filter((check) => check.family === family && check.entityIsRecord);
      const tiers = await Promise.all(whole.map((check) => asked(check.id)));
      for (const rich of tiers)
        for (const poor of tiers) if (rich.tier >= poor.tier) expect(rich.members).toEqual(expect.arrayContaining(poor.members));
    }
  });

  it('describes inputs and entities as JSON Schema, for documentation', () => {
    for (const check of checks) {
      expect(z.toJSONSchema(check.input, { io: 'input' })).toMatchObject({ type: 'object' });
      expect(z.toJSONSchema(check.entity)).toMatchObject({ type: 'object' });
    }
  });
});

describe('project', () => {
  it('keeps declared members only, in order, and fills absent ones with the empty string', () => {
    expect(JSON.stringify(project(z.object({ b: z.string(), a: z.string() }), { a: '1', secret: 'x' }))).toBe('{"b":"","a":"1"}');
  });
});

describe('comparison of names', () => {
  it.each([
    ['ADÉ-ỌLÁ', 'adeola', true],
    ['  Ngozi ', 'NGOZI', true],
    ["O'Neil", 'oneil', true],
    ['Muhammed', 'Musa', false],
    ['Okafor', 'Okeke', false],
    ['', 'Okeke', false],
  ])('%s and %s: %s', (supplied, onRecord, same) => {
    expect(compareNames(supplied, onRecord).status).toBe(same);
  });

  it('is sure of equal names and less so the more they differ', () => {
    expect(compareNames('Amina', 'AMINA').confidence_value).toBe(100);
    expect(compareNames('Amina', 'Aminat').confidence_value).toBeGreaterThan(compareNames('Amina', 'Chinedu').confidence_value);
  });
});
