/**
 * This release, and which stored work it can read. Several releases run side by side during an update: each process announces itself, and one that meets work
 * of a newer release leaves it to processes that can read it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCheck } from '../checks/catalog.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { GONE_SECONDS, UNDER_DATA_KEYS } from '../foundation/data-keys.ts';
import { newId } from '../foundation/ids.ts';
import { openOutage } from '../foundation/outages.ts';
import { packageRoot } from '../foundation/package-root.ts';

export const RELEASE: string = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;

/**
 * The format in which rows, inputs, mappings and what clients say about their work are stored, and the newest that this release reads. Incremented by any
 * change that the previous release would misread; older formats stay readable forever. 2: reference and metadata are sealed, so a release that reads 1
 * would leave both out of its webhooks.
 */
export const STORED_AS = 2;

/**
 * The newest form of stored data that this release reads. 2: results in blocks (`result-blocks.ts`), where a release that reads 1 would find none. 3: sealed by
 * data keys. Such data is not work that can be left to another process, so each form is written only once every running process reads it.
 */
const DATA_AS = UNDER_DATA_KEYS;
const IN_BLOCKS = 2;

/** Work of a newer release. A process that meets it hands it back without counting a failure. */
export class NewerRelease extends Error {}

/** `storedAs`: the format of each job to work on; null for jobs older than formats. Throws `NewerRelease`. */
export function refuseNewer(checkId: string, storedAs: Iterable<number | null>): void {
  if (!findCheck(checkId)) throw new NewerRelease(`release ${RELEASE} does not know the check ${checkId}`);
  for (const form of storedAs)
    if ((form ?? 1) > STORED_AS)
      throw new NewerRelease(`stored in format ${form}, but release ${RELEASE} reads formats up to ${STORED_AS}`);
}

const ANNOUNCE_MS = 5_000;

/** Announces every few seconds that this process runs, the format it reads and the families it works for. */
export async function announce(ctx: Context, families: readonly string[]): Promise<{ close(): Promise<void> }> {
  const { sql, log } = ctx;
  const id = newId();
  ctx.metrics.release.set({ release: RELEASE, stored_as: STORED_AS }, 1);
  const say = () => sql`
    insert into processes (id, name, release, reads, reads_results, families)
    values (${id}, ${ctx.process}, ${RELEASE}, ${STORED_AS}, ${DATA_AS}, ${[...families]})
    on conflict (id) do update set seen_at = now()`;
  await say();
  const outage = openOutage(log, 'this process cannot announce itself', 'this process announces itself again');
  const timer = setInterval(() => void say().catch(outage), ANNOUNCE_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      // Without a connection it cannot sign off; the others notice its silence.
      await sql`delete from processes where id = ${id}`.catch((error: unknown) => log.warn({ err: error }, 'ended without signing off'));
    },
  };
}

/** Whether every running process reads results in blocks, as of some seconds ago. A process of an earlier release that has ended counts until its silence shows that it is gone. */
export function everyProcessReadsBlocks({ sql }: Context): () => Promise<boolean> {
  let known: { at: number; all: boolean } | null = null;
  return async () => {
    if (known === null || performance.now() - known.at > ANNOUNCE_MS) {
      const at = performance.now();
      const [row] = await sql<{ all: boolean }[]>`select ${allReadBlocks(sql)} as all`;
      known = { at, all: row!.all };
    }
    return known.all;
  };
}

/** A condition, for statements that write a batch: as `everyProcessReadsBlocks`, at this moment. */
export const allReadBlocks = (sql: Sql | Tx) => sql`
  not exists (select 1 from processes where reads_results < ${IN_BLOCKS} and seen_at > now() - ${GONE_SECONDS} * interval '1 second')`;

/** Forgets processes that ended without signing off. */
export async function forgetGone({ sql }: Context): Promise<void> {
  await sql`delete from processes where seen_at < now() - ${3 * GONE_SECONDS} * interval '1 second'`;
}
