/** Prices an upload. Reads it exactly as a submission does, but keeps nothing. */
import type { z } from 'zod';
import { refuseWithdrawn } from '../access/consents.ts';
import type { Owner } from '../access/owner.ts';
import type { Submitting } from '../batches/accepting.ts';
import { intake, type Tally } from '../batches/intake.ts';
import type { FirstLookup, Pricing } from '../batches/row-thread.ts';
import { checkUpload, deadline, quoteOf, readingOf, refuseInvalid, type Upload } from '../batches/upload.ts';
import type { quoteAnswer } from '../contract/batches.ts';
import { naira } from '../contract/fields.ts';
import { cacheScopeOf } from '../contract/outside.ts';
import { availableKobo } from '../money/ledger.ts';
import type { Cache } from './cache.ts';
import { RowPricer } from './row-pricer.ts';

/** Returns the quote as clients see it. Throws as `submitBatch` does, except that a quote beyond the balance is reported, not refused. */
export async function quoteBatch(ctx: Submitting & { cache: Cache }, owner: Owner, upload: Upload): Promise<z.infer<typeof quoteAnswer>> {
  try {
    const checked = checkUpload(ctx, owner, upload);
    await refuseWithdrawn(ctx, owner, upload.options.consent);
    await deadline(ctx.sql, upload.options.expires_at);
    await upload.whole();
    const { appId, live, settings } = owner;
    const asked: Pricing = { owner: { appId, live, scope: cacheScopeOf(settings) }, usesCache: upload.options.cache === 'use' };
    const { counted: tally, hits } = await countHits(
      ctx.cache,
      checked.thread()?.read({ kind: 'price', ...asked }, checked) ?? intake(ctx, checked, new RowPricer(ctx.cipher, asked)),
    );
    refuseInvalid(upload.options, tally);
    const checks = checked.checks.map(({ id }) => {
      const { priceKobo, cachedPriceKobo } = checked.prices.get(id)!;
      const jobs = tally.jobs.get(id)!;
      const { cached, missing } = hits.get(id) ?? NO_HITS;
      const expectedKobo = (cached - missing) * cachedPriceKobo + (jobs - cached) * priceKobo;
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

/** Jobs whose first look-up the cache would answer. */
interface Hits {
  cached: number;
  /** Those of them whose subject is not on record, which costs nothing. */
  missing: number;
}

const NO_HITS: Hits = { cached: 0, missing: 0 };

/** Counts them for each check. */
async function countHits(
  cache: Cache,
  slices: AsyncGenerator<FirstLookup[], Tally>,
): Promise<{ counted: Tally; hits: ReadonlyMap<string, Hits> }> {
  const hits = new Map<string, Hits>();
  try {
    for (;;) {
      const next = await slices.next();
      if (next.done) return { counted: next.value, hits };
      const known = await cache.holds(next.value);
      for (const [at, { check, decides }] of next.value.entries()) {
        if (known[at] === null) continue;
        const { cached, missing } = hits.get(check) ?? NO_HITS;
        hits.set(check, { cached: cached + 1, missing: missing + Number(decides && known[at] === 'not_found') });
      }
    }
  } finally {
    await slices.return(undefined as never);
  }
}
