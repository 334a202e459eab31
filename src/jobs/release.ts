/**
 * Which release this is, and what it can read of what another has stored. Releases run side by side while a deployment is brought up to date:
 * each process announces itself, and one that meets work of a newer release leaves it to those who can read it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCheck } from '../checks/catalog.ts';
import type { Context } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import { packageRoot } from '../foundation/package-root.ts';

export const RELEASE: string = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;

/**
 * The form in which rows, inputs and mappings are stored, and the newest that this release reads. Counted up by a change that the release before
 * would read wrongly or not at all; older forms are read for ever.
 */
export const STORED_AS = 1;

/** Work of a newer release. Whoever meets it hands it back, and no failure of its jobs is counted. */
export class NewerRelease extends Error {}

/** `storedAs`: of each job that is to be worked on; null before there were forms. Throws `NewerRelease`. */
export function refuseNewer(checkId: string, storedAs: Iterable<number | null>): void {
  if (!findCheck(checkId)) throw new NewerRelease(`the check ${checkId} is not known to release ${RELEASE}`);
  for (const form of storedAs)
    if ((form ?? 1) > STORED_AS) throw new NewerRelease(`stored in form ${form}, and release ${RELEASE} reads forms up to ${STORED_AS}`);
}

const ANNOUNCE_MS = 5_000;
/** Not heard of for so long: the process is gone, whatever became of its good-bye. */
export const GONE_SECONDS = 20;

/** Says every few seconds that this process runs, what it reads and the families that it works for. */
export async function announce(ctx: Context, families: readonly string[]): Promise<{ close(): Promise<void> }> {
  const { sql, log } = ctx;
  const id = newId();
  ctx.metrics.release.set({ release: RELEASE, stored_as: STORED_AS }, 1);
  const say = () => sql`
    insert into processes (id, name, release, reads, families) values (${id}, ${ctx.process}, ${RELEASE}, ${STORED_AS}, ${[...families]})
    on conflict (id) do update set seen_at = now()`;
  await say();
  const timer = setInterval(() => void say().catch((error: unknown) => log.warn({ err: error }, 'not announced')), ANNOUNCE_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      // Without a connection nobody can say good-bye; the others notice its silence.
      await sql`delete from processes where id = ${id}`.catch((error: unknown) => log.warn({ err: error }, 'left without a good-bye'));
    },
  };
}

/** Forgets processes that ended without a good-bye. */
export async function forgetGone({ sql }: Context): Promise<void> {
  await sql`delete from processes where seen_at < now() - ${3 * GONE_SECONDS} * interval '1 second'`;
}
