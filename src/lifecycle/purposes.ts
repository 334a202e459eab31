/** Counts look-ups by purpose: opens what clients said about their batches, jobs and calls. Stores nothing. */
import { openAbout } from '../contract/about.ts';
import type { Context } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { firstIdAt, showId } from '../foundation/ids.ts';
import { ownedBy } from '../foundation/lists.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { Basis } from '../schema/jobs.ts';

export interface PurposeCount {
  /** Null: nothing was said. */
  purpose: string | null;
  basis: Basis | null;
  checkId: string;
  found: number;
  notFound: number;
}

interface Wanted {
  appId: string;
  live: boolean;
  /** Days (UTC), both included: when the work was submitted. */
  from: string;
  to: string;
}

/** Opened between two turns of the event loop: some milliseconds. */
const PAGE = 500;
/** Single jobs and calls of one report. */
const SINGLE_MAX = 1_000_000;

/** Sorted by purpose, basis and check. Throws `invalid_request` if the period has too many single look-ups. */
export async function countPurposes(ctx: Context, wanted: Wanted): Promise<PurposeCount[]> {
  const counts = new Map<string, PurposeCount>();
  const ids = { first: firstIdAt(Date.parse(wanted.from)), end: firstIdAt(Date.parse(wanted.to) + DAY_MS) };
  await countBatches(ctx, wanted, ids, counts);
  let left = SINGLE_MAX;
  for (const isJob of [true, false]) left = await countSingle(ctx, wanted, ids, counts, { isJob, left });
  const keyOf = ({ purpose, basis, checkId }: PurposeCount) => `${purpose ?? '\uffff'} ${basis} ${checkId}`;
  return [...counts.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

interface Ids {
  first: string;
  end: string;
}

type Purpose = Pick<PurposeCount, 'purpose' | 'basis'>;

function purposeOf(opener: Opener, owner: string, about: Buffer | null): Purpose {
  const { consent } = openAbout(opener, owner, about);
  return consent ? { purpose: consent.purpose, basis: consent.basis ?? 'consent' } : { purpose: null, basis: null };
}

function add(
  counts: Map<string, PurposeCount>,
  { purpose, basis }: Purpose,
  { checkId, found, notFound }: Omit<PurposeCount, keyof Purpose>,
): void {
  const key = JSON.stringify([purpose, basis, checkId]);
  const known = counts.get(key) ?? { purpose, basis, checkId, found: 0, notFound: 0 };
  counts.set(key, { ...known, found: known.found + found, notFound: known.notFound + notFound });
}

async function countBatches(ctx: Context, { appId, live }: Wanted, { first, end }: Ids, counts: Map<string, PurposeCount>): Promise<void> {
  for (let after = first, isLast = false; !isLast; ) {
    const batches = await ctx.sql<{ id: string; about: Buffer | null; checks: string[]; found: number; notFound: number }[]>`
      select id, about, checks, found, not_found from batches
      where ${ownedBy(ctx.sql, { appId, live })} and deleted_at is null and completed > 0 and id > ${after} and id < ${end} order by live, id limit ${PAGE}`;
    const opener = await ctx.cipher.opener(batches.map(({ about }) => about));
    for (const { id, about, checks, found, notFound } of batches) {
      const purpose = purposeOf(opener, showId('bat', id), about);
      const [only, ...others] = checks;
      const byCheck =
        others.length === 0
          ? [{ checkId: only!, found, notFound }]
          : await ctx.sql<{ checkId: string; found: number; notFound: number }[]>`
              select check_id, count(*) filter (where outcome = 'found')::int as found, count(*) filter (where outcome = 'not_found')::int as not_found
              from jobs where batch_id = ${id} and status = 'completed' group by check_id`;
      for (const one of byCheck) add(counts, purpose, one);
    }
    isLast = batches.length < PAGE;
    if (!isLast) after = batches.at(-1)!.id;
  }
}

/** Returns how many more may be counted. */
async function countSingle(
  ctx: Context,
  { appId, live }: Wanted,
  { first, end }: Ids,
  counts: Map<string, PurposeCount>,
  { isJob, left }: { isJob: boolean; left: number },
): Promise<number> {
  const { sql } = ctx;
  const kind = isJob ? sql`input is not null` : sql`input is null and subject is not null`;
  for (let after = first; ; ) {
    const jobs = await sql<{ id: string; about: Buffer | null; checkId: string; status: string; outcome: string | null }[]>`
      select id, about, check_id, status, outcome from jobs
      where ${ownedBy(sql, { appId, live })} and batch_id is null and ${kind} and id > ${after} and id < ${end} order by live, id limit ${PAGE}`;
    left -= jobs.length;
    if (left < 0) {
      throw new ApiError(
        'invalid_request',
        `The period has more than ${SINGLE_MAX.toLocaleString('en')} calls and single jobs: ask for fewer days`,
        {
          details: [{ path: 'from', message: 'is too long ago', rule: 'period' }],
        },
      );
    }
    const opener = await ctx.cipher.opener(jobs.map(({ about }) => about));
    for (const { id, about, checkId, status, outcome } of jobs) {
      if (status !== 'completed') continue;
      const found = outcome === 'found' ? 1 : 0;
      add(counts, purposeOf(opener, showId('job', id), about), { checkId, found, notFound: 1 - found });
    }
    if (jobs.length < PAGE) return left;
    after = jobs.at(-1)!.id;
  }
}
