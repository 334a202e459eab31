/** Screens monitored people, stores the new hits, opens review cases and tells the apps: one event per person and list. */

import { clearedAs } from '../checks/aml.ts';
import { sealAbout } from '../contract/about.ts';
import { subjectType } from '../engines/aml/request.ts';
import { assessRisk } from '../engines/aml/risk.ts';
import type { Match } from '../engines/aml/screening.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import type { SealerOf } from '../foundation/data-keys.ts';
import { newId, showId } from '../foundation/ids.ts';
import { byteaArray, recordset } from '../foundation/recordset.ts';
import { type MonitoredCase, openMonitored as openCases } from '../reviews/opening.ts';
import { isRisky } from '../reviews/rules.ts';
import type { AppSettings } from '../schema/apps.ts';
import { emitEvents, type NewEvent } from '../webhooks/events.ts';
import { readClearances } from './clearances.ts';
import type { Screen } from './delta.ts';
import { digestIndexes, sourceIndexes } from './listings.ts';
import { sealHit } from './monitors.ts';
import { type Monitoring, openMonitored } from './start-monitoring.ts';
import { SCREENING } from './subjects-of-job.ts';

export interface MonitoredPerson extends Monitoring {
  id: string;
  input: Buffer;
  jobId: string;
  /** The app's settings. */
  settings: AppSettings;
}

/** Entry ids that one event names; the monitor's page has them all. */
const SOURCE_IDS_MAX = 100;

/** Skips hits already reported for the entry's current state, and cleared ones. Returns how many hits are new. */
export async function screenMonitored(ctx: Context, tx: Tx, monitors: MonitoredPerson[], screen: Screen): Promise<number> {
  const found = await findMatches(ctx, monitors, screen);
  const cleared = await readClearances(ctx, found, tx);
  const sealerOf = await ctx.cipher.sealers(found.map(({ appId }) => ({ appId })));
  const hits = await writeHits(
    tx,
    ctx,
    sealerOf,
    found.flatMap(({ matches, ...monitor }, i) => matches.flatMap((match, j) => (cleared[i]![j] ? [] : [{ id: newId(), monitor, match }]))),
  );
  await emitEvents(tx, eventsOf(sealerOf, hits));
  await openCases(tx, casesOf(hits));
  // Skips monitors locked by a settlement that renews them: that settlement may wait for other monitors locked here, so waiting could deadlock.
  await tx`
    update aml_monitors set screened_at = now() where id in (
      select id from aml_monitors where id = any(${monitors.map(({ id }) => id)}::uuid[]) and ended_at is null order by id for update skip locked)`;
  return hits.length;
}

interface Found extends MonitoredPerson {
  matches: Match[];
  /** `subject` by every index key. */
  subjects: readonly Buffer[];
}

async function findMatches(ctx: Context, monitors: MonitoredPerson[], screen: Screen): Promise<Found[]> {
  const giveWay = ctx.yielding.long();
  const opener = await ctx.cipher.opener(monitors.map(({ input }) => input));
  const found: Found[] = [];
  for (const monitor of monitors) {
    const matches = matchesOf(ctx, opener, monitor, screen);
    if (matches.length > 0) found.push({ ...monitor, matches, subjects: subjectsOf(ctx, opener, monitor) });
    await giveWay();
  }
  return found;
}

/** A monitor whose input does not open must not stop the screening of the others. */
function matchesOf(ctx: Context, opener: Opener, monitor: MonitoredPerson, screen: Screen): Match[] {
  try {
    return screen(openMonitored(opener, monitor), monitor.settings);
  } catch (error) {
    ctx.metrics.monitorFailures.inc();
    ctx.log.error({ monitor: showId('mon', monitor.id), err: error }, 'a monitored person was not screened');
    return [];
  }
}

/** A clearance may be older than the monitor, so the person is hashed again. */
function subjectsOf({ cipher }: Context, opener: Opener, monitor: MonitoredPerson): readonly Buffer[] {
  const input = openMonitored(opener, monitor);
  const hashes = clearedAs(input).flatMap((subject) => cipher.indexes('subject', 'aml', subject));
  const isSame = subjectType(input) === 'organization' || hashes.some((hash) => hash.equals(monitor.subject));
  return isSame ? hashes : cipher.later(monitor.subject);
}

interface Hit {
  id: string;
  monitor: MonitoredPerson;
  match: Match;
}

/** Returns the new ones. Stores nothing for a monitor that has ended in the meantime. */
async function writeHits(tx: Tx, ctx: Context, sealerOf: SealerOf, hits: Hit[]): Promise<Hit[]> {
  if (hits.length === 0) return [];
  const written = await tx<{ id: string }[]>`
    insert into aml_monitor_hits (id, monitor_id, app_id, list, source_index, digest, hit)
    select h.id, h.monitor_id, m.app_id, h.list, h.source_index, h.keyed_digest, h.hit
    from ${recordset(tx, hits, {
      id: ['uuid', (h) => h.id],
      monitor_id: ['uuid', (h) => h.monitor.id],
      list: ['text', (h) => h.match.list],
      source_id: ['text', (h) => h.match.sourceId],
      digest: ['text', (h) => h.match.digest],
      source_index: ['bytea', (h) => sourceIndexes(ctx.cipher, { monitorId: h.monitor.id }, h.match.sourceId)[0]],
      keyed_digest: ['bytea', (h) => digestIndexes(ctx.cipher, { monitorId: h.monitor.id }, h.match)[0]],
      other_indexes: ['text', (h) => byteaArray(sourceIndexes(ctx.cipher, { monitorId: h.monitor.id }, h.match.sourceId).slice(1))],
      other_digests: ['text', (h) => byteaArray(digestIndexes(ctx.cipher, { monitorId: h.monitor.id }, h.match).slice(1))],
      hit: ['bytea', (h) => sealHit(sealerOf(h.monitor), h.id, h.match)],
    })} h
    join aml_monitors m on m.id = h.monitor_id and m.ended_at is null
    where not exists (
      -- Reported by an earlier release, and not sealed yet.
      select 1 from aml_monitor_hits old
      where old.monitor_id = h.monitor_id and old.list = h.list and old.source_id = h.source_id and old.digest = decode(h.digest, 'hex'))
      and not exists (
        -- Reported under another index key.
        select 1 from aml_monitor_hits other
        where other.monitor_id = h.monitor_id and other.list = h.list and other.source_index = any(h.other_indexes::bytea[])
          and other.digest = any(h.other_digests::bytea[]))
    on conflict (monitor_id, list, source_index, digest) do nothing
    returning id`;
  const ids = new Set(written.map(({ id }) => id));
  return hits.filter(({ id }) => ids.has(id));
}

/** Cases for the monitors whose new hits alone are as risky as the app reviews. */
function casesOf(hits: readonly Hit[]): MonitoredCase[] {
  const today = new Date().toISOString().slice(0, 10);
  const byJob = new Map<string, Hit[]>();
  for (const hit of hits) byJob.set(hit.monitor.jobId, [...(byJob.get(hit.monitor.jobId) ?? []), hit]);
  return [...byJob.values()].flatMap((found): MonitoredCase[] => {
    const { id, jobId, appId, live, settings } = found[0]!.monitor;
    const matches = found.map(({ match }) => match);
    return isRisky(settings, assessRisk(matches, today).level) ? [{ jobId, appId, live, checkId: SCREENING, monitorId: id }] : [];
  });
}

function eventsOf(sealerOf: SealerOf, hits: Hit[]): NewEvent[] {
  const byListing = new Map<string, Hit[]>();
  for (const hit of hits) {
    const key = `${hit.monitor.id} ${hit.match.listVersion} ${hit.match.list}`;
    byListing.set(key, [...(byListing.get(key) ?? []), hit]);
  }
  return [...byListing.values()].map((told) => {
    const { monitor, match } = told[0]!;
    const id = showId('mon', monitor.id);
    return {
      appId: monitor.appId,
      live: monitor.live,
      type: 'aml.monitor.hit',
      data: {
        monitor: id,
        job: showId('job', monitor.jobId),
        list: match.list,
        list_version: match.listVersion,
        hits: told.length,
        source_ids: [],
      },
      about: sealAbout(sealerOf({ appId: monitor.appId }), id, {
        source_ids: told.slice(0, SOURCE_IDS_MAX).map((hit) => hit.match.sourceId),
      }),
      url: null,
    };
  });
}
