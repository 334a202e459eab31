/** Monitors as their app sees them: whom it monitors, the new hits, and how to end it. `start-monitoring.ts` starts them. */

import { type Author, record } from '../access/audit/append.ts';
import type { AppMode } from '../access/owner.ts';
import { showInstant } from '../contract/fields.ts';
import { type MonitorRow, showMonitor } from '../contract/monitors.ts';
import type { Match } from '../engines/aml/screening.ts';
import type { Context } from '../foundation/context.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { endedInput, openMonitored } from './start-monitoring.ts';
import { subjectsOfJob } from './subjects-of-job.ts';

export interface MonitorFilter {
  /** The last id of the previous page. */
  before: string | null;
  limit: number;
  /** A job that screened the person; undefined: every monitor. */
  jobId: string | null | undefined;
  /** Whether they still run; if it is not said, either. */
  isActive?: boolean | null;
  /** Whether they have found hits since they began; if it is not said, either. */
  hasHits?: boolean | null;
}

/** Newest first. */
export async function listMonitors(
  ctx: Context,
  { appId, live }: AppMode,
  { before, limit, jobId, isActive = null, hasHits = null }: MonitorFilter,
) {
  const { sql } = ctx;
  const subjects = jobId === undefined ? [] : await subjectsOfJob(ctx, { appId, live }, jobId, 'aml_monitors');
  const rows = await sql<MonitorRow[]>`
    ${selectMonitors(ctx)} where ${ownedBy(sql, { appId, live }, 'm')}
      ${narrowed(sql, [
        before !== null && sql`m.id < ${before}`,
        jobId !== undefined && sql`m.subject = any(${byteaArray(subjects)}::bytea[])`,
        isActive !== null && sql`(m.ended_at is null) = ${isActive}`,
        hasHits !== null &&
          sql`m.id ${hasHits ? sql`in` : sql`not in`} (select monitor_id from aml_monitor_hits where app_id = ${appId} or app_id is null)`,
      ])}
    order by m.live desc, m.id desc limit ${limit}`;
  return Promise.all(rows.map((row) => describe(ctx, row)));
}

/** Hits shown with a monitor, or read at a time. */
const MATCHES_MAX = 100;

/** Null if the monitor is unknown or belongs to another app or mode. */
export async function readMonitor(ctx: Context, { appId, live }: AppMode, id: string) {
  const [row] = await ctx.sql<MonitorRow[]>`${selectMonitors(ctx)} where m.id = ${id} and m.app_id = ${appId} and m.live = ${live}`;
  if (!row) return null;
  const hits = await ctx.sql<StoredHit[]>`
    select id, at, hit from aml_monitor_hits where monitor_id = ${id} order by at desc, id desc limit ${MATCHES_MAX}`;
  return { ...(await describe(ctx, row)), matches: await openHits(ctx, hits) };
}

/** Every hit of a monitor, newest first. */
export async function* allMatches(ctx: Context, id: string) {
  const { sql } = ctx;
  for (let before: string | null = null; ; ) {
    const hits: StoredHit[] = await sql<StoredHit[]>`
      select id, at, hit from aml_monitor_hits
      where monitor_id = ${id} ${narrowed(sql, [before !== null && sql`id < ${before}`])} order by id desc limit ${MATCHES_MAX}`;
    yield* await openHits(ctx, hits);
    if (hits.length < MATCHES_MAX) return;
    before = hits.at(-1)!.id;
  }
}

/** Ids of the monitors of these subjects (HMACs in hex), oldest first. */
export async function monitorsOf({ sql }: Context, { appId, live }: AppMode, subjects: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from aml_monitors
    where app_id = ${appId} and live = ${live} and subject = any(${byteaArray(subjects)}::bytea[]) order by id`;
  return rows.map(({ id }) => id);
}

/** Ends a monitor: nobody is screened for it any more, and the person's input is deleted. Ending it again changes nothing. Null as above. */
export async function endMonitor(ctx: Context, { appId, live }: AppMode, id: string, by: Author) {
  return ctx.sql.begin(async (tx) => {
    const [row] = await tx<(MonitorRow & { subject: Buffer })[]>`
    with ended as (
      update aml_monitors m set ended_at = coalesce(ended_at, now()), input = ${endedInput(tx, 'm')} where id = ${id} and app_id = ${appId} and live = ${live} returning *)
    select m.*, (select count(*)::int from aml_monitor_hits h where h.monitor_id = m.id) as hits from ended m`;
    if (!row) return null;
    await record(tx, by, { appId, live, action: 'monitor.end', object: showId('mon', id), subject: row.subject });
    return describe(ctx, row);
  });
}

const selectMonitors = ({ sql }: Context) => sql`
  select m.*, (select count(*)::int from aml_monitor_hits h where h.monitor_id = m.id) as hits from aml_monitors m`;

const describe = async ({ cipher }: Context, row: MonitorRow) =>
  showMonitor(row, row.endedAt === null ? openMonitored(await cipher.opener([row.input]), row) : null);

/** A match as answers show it. */
export const showMatch = (match: Match) => ({
  list: match.list,
  list_version: match.listVersion,
  source_id: match.sourceId,
  type: match.type,
  category: match.category,
  name: match.name,
  matched_alias: match.matchedAlias,
  score: match.score,
  explanation: match.explanation,
  programs: match.programs,
  listed_on: match.listedOn,
  ended_on: match.endedOn,
  url: match.url,
});

const HIT = 'monitor_hit';
interface StoredHit {
  id: string;
  at: string;
  hit: Buffer;
}

async function openHits({ cipher }: Context, hits: readonly StoredHit[]) {
  const opener = await cipher.opener(hits.map(({ hit }) => hit));
  return hits.map((hit) => ({ at: showInstant(hit.at), ...openHit(opener, hit) }));
}

/** `id`: the hit's id. */
export const sealHit = (sealer: Sealer, id: string, match: Match): Buffer => sealer.seal(JSON.stringify(showMatch(match)), HIT, id);
const openHit = (opener: Opener, { id, hit }: { id: string; hit: Buffer }): ReturnType<typeof showMatch> =>
  JSON.parse(opener.open(hit, HIT, id));
