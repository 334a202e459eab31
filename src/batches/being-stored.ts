/**
 * Work that is being stored. It has an id, but stays invisible until its transaction commits, minutes later for a large upload. Whoever goes through all work
 * up to some moment learns here whether some of it is still to come.
 */
import type { Fragment } from 'postgres';
import type { AppMode } from '../access/owner.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { timeOfId } from '../foundation/ids.ts';

/** Seconds are counted from here, so that they fit into the second number of an advisory lock until 2091. */
const FROM_S = 1_700_000_000;

/**
 * Announces, until the transaction ends, that it is storing a batch or job with this id. The lock is shared, so nobody ever waits for it. False: an erasure was
 * asked for between the making of the id and the announcement, and may have gone past it already.
 */
export async function noteStoring(tx: Tx, { appId, live }: AppMode, id: string): Promise<boolean> {
  // Sent together, but as two statements: the second sees everything that was committed before the lock.
  const [, [newer]] = await Promise.all([
    tx`select pg_advisory_xact_lock_shared(hashtext(${appId}), ${Math.floor(timeOfId(id) / 1_000) - FROM_S})`,
    tx`select 1 from erasures where app_id = ${appId} and live = ${live} and id > ${id} limit 1`,
  ]);
  return newer === undefined;
}

/** SQL condition: a batch or job of `alias.app_id` that may be older than `alias.id` is still being stored. */
export const isOlderBeingStored = (sql: Sql | Tx, alias: string): Fragment =>
  sql.unsafe(`exists (
    select 1 from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 2 and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = hashtext(${alias}.app_id::text)::oid
      and l.objid::bigint <= ('x' || left(replace(${alias}.id::text, '-', ''), 12))::bit(48)::bigint / 1000 - ${FROM_S})`);
