/**
 * Ongoing monitoring: when a list version added or changed entries, every monitored person is screened against those, page by page, and new hits are sent as
 * `aml.monitor.hit`. A monitor whose own screening has shown those entries is passed over. A page is one transaction, from the cursor to the events: if a process
 * is killed, all of the page was recorded or nothing, and the next process continues there. Several processes may try; only one at a time works on a version.
 */

import type postgres from 'postgres';
import type { Listing } from '../engines/aml/screening.ts';
import { bound, type Context, type Tx } from '../foundation/context.ts';
import { firstIdAt } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { changedSince } from './current-lists.ts';
import { openDelta, type Screen } from './delta.ts';
import { INDEX_TIMING } from './live-index.ts';
import { type MonitoredPerson, screenMonitored } from './monitored.ts';

export interface RescreenTiming {
  /** Longest time between a monitor's id and its commit, allowing for clock skew: younger monitors are left for later. */
  lagMs: number;
  /**
   * How long a process may still screen with the previous version after a new one is stored. Monitors that it starts or renews in that time are screened against
   * the new version here.
   */
  overlapMs: number;
}

/**
 * A process notices the change once a build that was running has ended. The two minutes allow for one that notices it only when it polls, and for a screening
 * that takes a while to be settled.
 */
const TIMING: RescreenTiming = { lagMs: 10_000, overlapMs: INDEX_TIMING.buildMs + INDEX_TIMING.behindMs + 120_000 };

/** Monitors per transaction. */
const PAGE_MONITORS = 1_000;

/** Called every second. Works through all open rescreens until `signal` aborts, and returns the number of monitors dealt with. */
export function openRescreen(ctx: Context, timing: RescreenTiming = TIMING): (signal?: AbortSignal) => Promise<number> {
  /** The entries that the open versions brought. */
  const deltas = new Map<string, Screen>();
  return async (signal) => {
    const open = await ctx.sql<{ versionId: string }[]>`select version_id from aml_rescreens where finished_at is null order by created_at`;
    const ids = new Set(open.map(({ versionId }) => versionId));
    ctx.metrics.rescreensOpen.set(ids.size);
    for (const id of deltas.keys()) if (!ids.has(id)) deltas.delete(id);
    let total = 0;
    for (const id of ids) {
      const read = async (tx: Tx): Promise<Screen> => {
        const delta = deltas.get(id) ?? (await openDelta(ctx, readBrought(tx, id)));
        deltas.set(id, delta);
        return delta;
      };
      for (let passed = PAGE_MONITORS; passed === PAGE_MONITORS && !signal?.aborted; ) {
        passed = await screenPage(ctx, id, read, timing);
        total += passed;
      }
    }
    return total;
  };
}

interface Run {
  list: string;
  cursor: string | null;
  renewedCursor: string | null;
  /** Milliseconds since 1970, by the database's clock. */
  nowMs: number;
  createdMs: number;
}

/** Returns the number of monitors dealt with: 0 if none is due, or while another process works on the version. */
async function screenPage(
  ctx: Context,
  versionId: string,
  read: (tx: Tx) => Promise<Screen>,
  { lagMs, overlapMs }: RescreenTiming,
): Promise<number> {
  const page = await ctx.sql.begin(async (tx) => {
    await bound(tx, 'reading');
    const [run] = await tx<Run[]>`
      select list, cursor, renewed_cursor, (extract(epoch from now()) * 1000)::float8 as now_ms, (extract(epoch from created_at) * 1000)::float8 as created_ms
      from aml_rescreens where version_id = ${versionId} and finished_at is null for update skip locked`;
    if (!run) return null;
    const horizonMs = Math.floor(run.nowMs - lagMs);
    // A process of an earlier release renews a monitor without saying what its screening has shown, perhaps by another threshold or other lists.
    const isShown = tx`(m.renewed_at is null or m.renewed_at = m.shown_at) and coalesce(m.shown ->> ${run.list} = any(${await labelsSince(tx, versionId)}::text[]), false)`;
    const pageOf = (condition: postgres.Fragment, after: string | null, limit: number) => tx<(MonitoredPerson & { isShown: boolean })[]>`
      select m.id, m.app_id, m.live, m.subject, m.input, m.job_id, a.settings, ${isShown} as is_shown from aml_monitors m join apps a on a.id = m.app_id
      where m.live and m.ended_at is null and a.deleted_at is null and ${condition} ${narrowed(tx, [after !== null && tx`m.id > ${after}`])}
      order by m.id limit ${limit}`;
    const started = await pageOf(tx`m.id < ${firstIdAt(horizonMs)}`, run.cursor, PAGE_MONITORS);
    // A screening that still used the previous version may have renewed monitors that the cursor has already passed.
    const isEnding = started.length < PAGE_MONITORS && horizonMs > run.createdMs + overlapMs;
    const renewedSince = tx`m.renewed_at > to_timestamp(${(run.createdMs - lagMs) / 1000}::float8)`;
    const renewed = isEnding ? await pageOf(renewedSince, run.renewedCursor, PAGE_MONITORS - started.length) : [];
    const monitors = [...started, ...renewed];
    const isOver = isEnding && monitors.length < PAGE_MONITORS;
    if (monitors.length === 0 && !isOver) return null;
    const screened = monitors.filter((monitor) => !monitor.isShown);
    const hits = screened.length === 0 ? 0 : await screenMonitored(ctx, tx, screened, await read(tx));
    await tx`
      update aml_rescreens set cursor = coalesce(${started.at(-1)?.id ?? null}::uuid, cursor),
        renewed_cursor = coalesce(${renewed.at(-1)?.id ?? null}::uuid, renewed_cursor), screened = screened + ${screened.length},
        hits = hits + ${hits}, finished_at = case when ${isOver} then now() end
      where version_id = ${versionId}`;
    return { list: run.list, monitors: monitors.length, screened: screened.length, hits };
  });
  if (page === null) return 0;
  ctx.metrics.monitorsScreened.inc({ list: page.list }, page.screened);
  ctx.metrics.monitorHits.inc({ list: page.list }, page.hits);
  if (page.screened > 0)
    ctx.log.info({ version: versionId, list: page.list, screened: page.screened, hits: page.hits }, 'monitors screened');
  return page.monitors;
}

/**
 * Labels that only this version and later ones of its list have: a screening with one of them has seen what this version brought. A publisher that takes a change
 * back can give an old label to a new version. Versions that only removed entries have no rescreen, and thus no time to compare.
 */
async function labelsSince(tx: Tx, versionId: string): Promise<string[]> {
  const rows = await tx<{ label: string }[]>`
    select v.label from aml_rescreens brought join aml_list_versions v on v.list = brought.list left join aml_rescreens r on r.version_id = v.id
    where brought.version_id = ${versionId} group by v.label having bool_and(coalesce(r.created_at >= brought.created_at, false))`;
  return rows.map(({ label }) => label);
}

/** Entries that a version added or changed and that no later version has touched. */
async function* readBrought(tx: Tx, versionId: string): AsyncGenerator<Listing[]> {
  const [version] = await tx<{ label: string }[]>`select label from aml_list_versions where id = ${versionId}`;
  for await (const entries of changedSince(tx, versionId)) yield entries.map((entry) => ({ ...entry, version: version!.label }));
}
