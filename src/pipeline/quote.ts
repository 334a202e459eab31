/** What an upload would cost. It is read exactly as a submission is, but nothing is kept. */

import type { z } from 'zod';
import { refuseWithdrawn } from '../access/consents.ts';
import type { Owner } from '../access/owner.ts';
import { intake, type NewJob } from '../batches/intake.ts';
import { checkUpload, quoteOf, readingOf, refuseInvalid, type Submitting, type Upload } from '../batches/submit.ts';
import type { quoteAnswer } from '../contract/batches.ts';
import { naira } from '../contract/fields.ts';
import { cacheScopeOf } from '../contract/outside.ts';
import { availableKobo } from '../money/ledger.ts';
import type { Cache, CacheAddress } from './cache.ts';

/** Jobs looked up in the cache at a time. */
const SLICE_JOBS = 2_000;

/** Returns the quote as clients see it. Throws as `submitBatch` does, except that a quote beyond the balance is reported, not refused. */
export async function quoteBatch(ctx: Submitting & { cache: Cache }, owner: Owner, upload: Upload): Promise<z.infer<typeof quoteAnswer>> {
  try {
    const checked = checkUpload(ctx, owner, upload);
    await refuseWithdrawn(ctx, owner, upload.options.consent);
    await upload.whole();
    const hits = openHitCounter(ctx, owner, upload.options.cache === 'use');
    const tally = await intake(ctx, checked, hits.sink);
    refuseInvalid(upload.options, tally);
    const checks = checked.checks.map(({ id }) => {
      const { priceKobo, cachedPriceKobo } = checked.prices.get(id)!;
      const jobs = tally.jobs.get(id)!;
      const cached = hits.byCheck.get(id) ?? 0;
      const expectedKobo = cached * cachedPriceKobo + (jobs - cached) * priceKobo;
      return { check: id, jobs, expected_cache_hits: cached, price: naira(priceKobo), cached_price: naira(cachedPriceKobo), expectedKobo };
    });
    const quoteKobo = quoteOf(tally, checked.prices);
    const available = await availableKobo(ctx.sql, owner);
    return {
      object: 'quote',
      counts: {
        rows: tally.rows,
        jobs: checks.reduce((sum, { jobs }) => sum + jobs, 0),
        invalid: tally.invalid,
        duplicate: tally.duplicates,
        expected_cache_hits: checks.reduce((sum, check) => sum + check.expected_cache_hits, 0),
      },
      checks: checks.map(({ expectedKobo, ...check }) => ({ ...check, expected_amount: naira(expectedKobo) })),
      currency: 'NGX',
      quote_amount: naira(quoteKobo),
      expected_amount: naira(checks.reduce((sum, { expectedKobo }) => sum + expectedKobo, 0)),
      available_amount: naira(available),
      balance_after: naira(available - quoteKobo),
      covered: available >= quoteKobo,
      ...readingOf(checked, tally),
      ...(tally.unusedFiles !== null && { unused_files: tally.unusedFiles }),
      errors: tally.errors,
    };
  } finally {
    await upload.source.close();
  }
}

/** Counts the jobs whose first look-up the cache would answer. */
function openHitCounter({ cache }: { cache: Cache }, owner: Owner, usesCache: boolean) {
  const byCheck = new Map<string, number>();
  let waiting: NewJob[] = [];
  const scope = { appId: owner.appId, live: owner.live, scope: cacheScopeOf(owner.settings) } as const;

  const sink = {
    job(job: NewJob): boolean {
      if (usesCache && job.check.cacheable && job.twinRow === 0) waiting.push(job);
      // Waiting jobs keep their images in memory.
      return waiting.length >= SLICE_JOBS || (waiting.length > 0 && job.images !== null);
    },
    invalid: () => false,
    async send() {
      const jobs = waiting;
      waiting = [];
      const addresses = await Promise.all(jobs.map((job) => firstLookup(cache, scope, job)));
      const known = await cache.holds(addresses.filter((address) => address !== null));
      let at = 0;
      for (const [i, { check }] of jobs.entries()) {
        if (addresses[i] !== null && known[at++]) byCheck.set(check.id, (byCheck.get(check.id) ?? 0) + 1);
      }
    },
  };
  return { sink, byCheck };
}

/** Cache address of the first record that the check asks for. Null if it asks for none. */
async function firstLookup(cache: Cache, scope: Parameters<Cache['address']>[0], { check, input }: NewJob): Promise<CacheAddress | null> {
  let address: CacheAddress | null = null;
  await check.run(input, async (kind, tier, identifier) => {
    address ??= cache.address(scope, kind, tier, identifier);
    return { found: false };
  });
  return address;
}
