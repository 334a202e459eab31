/** What the rest of the code takes for granted about check declarations. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checks, families, findCheck } from '../../src/checks/catalog.ts';
import { project } from '../../src/checks/check.ts';
import { FAMILIES } from '../../src/foundation/families.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';

describe('the catalog', () => {
  it('contains every family that has a file', () => {
    const folder = join(packageRoot(), 'src/checks');
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    const declaring = files.filter((file) => /\bdefineCheck\(/.test(readFileSync(join(folder, file), 'utf8')));
    expect(declaring.map((file) => file.replace('.ts', '')).sort()).toEqual([...families].sort());
    expect(FAMILIES, 'for settings').toEqual(families);
  });

  it('gives every check its own id, path and service', () => {
    for (const pick of [
      (c: (typeof checks)[number]) => c.id,
      (c: (typeof checks)[number]) => c.route.path,
      // The photo ID call has two bodies, each a check of its own.
      (c: (typeof checks)[number]) => (c.id === 'photoid_compare' ? c.id : c.service),
    ]) {
      expect(new Set(checks.map(pick)).size).toBe(checks.length);
    }
  });

  it('prices as the specification lists, in kobo', () => {
    expect(Object.fromEntries(checks.map((check) => [check.id, [check.priceKobo, check.cachedPriceKobo]]))).toMatchObject({
      nin_basic: [12500, 5000],
      nin_advance: [12500, 5000],
      nin_premium: [15000, 5000],
      nin_slip: [12500, 5000],
      bvn_match: [9500, 3800],
      bvn_full: [9500, 3800],
      bvn_advance: [12500, 3800],
      cac_basic: [12000, 4800],
      cac_advance: [25000, 10000],
      cac_screening: [37000, 22000],
      verify_cac: [25000, 10000],
      tin: [9000, 3600],
      verify_tin: [9000, 3600],
      photoid_verify: [15000, 15000],
      photoid_compare: [15000, 15000],
      nin_verify: [15000, 15000],
      bvn_verify: [15000, 15000],
      face_match: [15000, 15000],
      aml_screening: [12000, 12000],
      email_risk: [5000, 2000],
      drivers_license: [10000, 4000],
      passport: [10000, 4000],
      pvc: [10000, 4000],
      phone: [10000, 4000],
      address: [10000, 4000],
      credit_bvn: [25000, 10000],
    });
  });

  it('has a single price for answers that are never cached', () => {
    const uncached = checks.filter((check) => !check.cacheable);
    expect([...new Set(uncached.map(({ family }) => family))]).toEqual(['face', 'aml']);
    for (const check of uncached) expect(check.cachedPriceKobo).toBe(check.priceKobo);
  });

  it('names services as they were observed', () => {
    expect(findCheck('bvn_full')!.service).toBe('bvn');
    expect(findCheck('nin_advance')!.service).toBe('nin_advance');
  });

  it('gives every richer tier all the members of the poorer ones', async () => {
    // The tier and kind that a check asks for, observed by running it against an empty registry.
    const asked = async (id: string) => {
      let tier = 0;
      const check = findCheck(id)!;
      await check.run(
        { nin: '00000000000', bvn: '00000000000', rc_number: '0000000', tin: '0000000000', name: 'Ada', email: 'ada@example.com' },
        async (_kind, wanted) => {
          tier = wanted;
          return { found: false };
        },
      );
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
  it('keeps only declared members, in order, and fills absent ones with the empty string', () => {
    expect(JSON.stringify(project(z.object({ b: z.string(), a: z.string() }), { a: '1', secret: 'x' }))).toBe('{"b":"","a":"1"}');
  });
});

describe('project of nested values', () => {
  const record = z.object({
    count: z.number().nullable(),
    people: z.array(z.object({ name: z.string() })),
    secretary: z.object({ name: z.string() }).nullable(),
  });

  it('fills an absent list with an empty one and an absent number or object with null', () => {
    expect(project(record, {})).toEqual({ count: null, people: [], secretary: null });
    expect(project(record, { count: null, people: null, secretary: null })).toEqual({ count: null, people: [], secretary: null });
  });

  it('keeps only declared members, at every depth', () => {
    const sent = { count: 0, people: [{ name: 'A', secret: 'x' }, { secret: 'y' }], secretary: { name: 'B', secret: 'z' } };
    expect(project(record, sent)).toEqual({ count: 0, people: [{ name: 'A' }, { name: '' }], secretary: { name: 'B' } });
  });
});
