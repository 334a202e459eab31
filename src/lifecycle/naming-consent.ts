/** Counts the work under the reference of a consent, so that a mistyped reference is noticed. The reference is inside ciphertexts, so the newest work is opened and compared. */
import type { AppMode } from '../access/owner.ts';
import { openAbout } from '../contract/about.ts';
import type { Context } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import type { Consent } from '../schema/jobs.ts';

/** Single jobs, calls and batches that are opened, of each. */
const SEARCHED_MAX = 5_000;

export interface Naming {
  /** Single jobs, calls and batches, waiting or over. */
  count: number;
  /** False: there is older work, which was not looked at. */
  isComplete: boolean;
}

interface Work {
  id: string;
  prefix: 'job' | 'bat';
  about: Buffer | null;
  /** In rows of earlier releases. */
  consent: Consent | null;
}

export async function countNaming(ctx: Context, { appId, live }: AppMode, reference: string): Promise<Naming> {
  const { sql } = ctx;
  const own = sql`app_id = ${appId} and live = ${live}`;
  const newest = sql`order by id desc limit ${SEARCHED_MAX}`;
  const kinds = await Promise.all([
    sql<Work[]>`select id, 'job' as prefix, about, consent from jobs where ${own} and batch_id is null and input is not null ${newest}`,
    sql<Work[]>`
      select id, 'job' as prefix, about, consent from jobs where ${own} and batch_id is null and input is null and subject is not null ${newest}`,
    sql<Work[]>`select id, 'bat' as prefix, about, null as consent from batches where ${own} and deleted_at is null ${newest}`,
  ]);
  const opener = await ctx.cipher.opener(kinds.flatMap((works) => works.map(({ about }) => about)));
  const giveWay = ctx.yielding.long();
  let count = 0;
  for (const { id, prefix, about, consent } of kinds.flatMap((works) => [...works])) {
    if ((openAbout(opener, showId(prefix, id), about).consent ?? consent)?.reference === reference) count += 1;
    await giveWay();
  }
  return { count, isComplete: kinds.every(({ length }) => length < SEARCHED_MAX) };
}
