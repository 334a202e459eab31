/** What is happening now in an app and mode: open batches, outcomes, refusals, money, who answers, webhooks that fail. */

import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Owner } from '../access/owner.ts';
import { listed, UNENDED } from '../batches/states.ts';
import { checks, families } from '../checks/catalog.ts';
import type { Family } from '../checks/check.ts';
import { openRow } from '../contract/about.ts';
import { ownActions } from '../contract/approvals.ts';
import { type BatchRow, showBatch, type UnopenedBatch } from '../contract/batches.ts';
import { naira, showInstant, showInstantOrNull } from '../contract/fields.ts';
import { OPEN_BATCHES_MAX, type overviewAnswer } from '../contract/overview.ts';
import type { Context } from '../foundation/context.ts';
import { firstIdAt, showId } from '../foundation/ids.ts';
import { DAY_MS } from '../foundation/time.ts';
import { readWallet, type Wallet } from '../money/ledger.ts';
import { outageMs } from '../providers/availability.ts';
import type { Router } from '../providers/router.ts';

export type Overview = z.infer<typeof overviewAnswer>;

export interface Overviews {
  /** `actorId`: the person or key that asks. */
  read(owner: Owner, actorId: string): Promise<Overview>;
}

/** The facts from the database. Every open page of the console asks for them, so they are read once a second for each app and mode. */
const FACTS_MS = 1_000;
const OWNERS_MAX = 1_000;

export function openOverviews(ctx: Context & { router: Router }): Overviews {
  const known = new LRUCache<string, Promise<Facts>>({ max: OWNERS_MAX, ttl: FACTS_MS });
  const factsOf = ({ appId, live }: Owner): Promise<Facts> => {
    const name = `${appId} ${live}`;
    const facts = known.get(name) ?? readFacts({ ...ctx, ...ctx.tenant(appId) }, appId, live);
    known.set(name, facts, { noUpdateTTL: true });
    facts.catch(() => known.delete(name));
    return facts;
  };
  return {
    async read(owner, actorId) {
      const { batches, counts, outcomes, since, refusals, wallet, endpoints, assignees, askers, monitorsWithHits } = await factsOf(owner);
      const sum = (member: 'found' | 'not_found' | 'failed') => outcomes.reduce((total, check) => total + check[member], 0);
      const isShown = owner.terms?.scopes?.includes('wallet:read') ?? true;
      return {
        object: 'overview',
        live: owner.live,
        batches: { counts, data: batches.map((batch) => showBatch(batch, outageMs(ctx.router, batch))) },
        outcomes: { since: showInstant(since), found: sum('found'), not_found: sum('not_found'), failed: sum('failed'), checks: outcomes },
        refusals,
        money: isShown ? showMoney(owner, wallet) : null,
        services: families.map((family) => serviceOf(ctx.router, family, owner.live)),
        reviews: { open: assignees.length, mine: assignees.filter((assignee) => assignee === actorId).length },
        monitors: { with_hits: monitorsWithHits },
        approvals: { waiting: askers.length, own: askers.filter((asker) => asker !== null && showId('per', asker) === actorId).length },
        webhooks: {
          failing: endpoints.map(({ id, url, disabledReason, disabledAt, failingSince }) => ({
            id: showId('whe', id),
            url,
            disabled: disabledAt !== null,
            disabled_reason: disabledReason,
            failing_since: showInstantOrNull(failingSince),
          })),
        },
      };
    },
  };
}

interface Facts {
  batches: BatchRow[];
  counts: Overview['batches']['counts'];
  since: string;
  outcomes: Overview['outcomes']['checks'];
  refusals: Overview['refusals'];
  wallet: Wallet;
  /** Who each open review case is assigned to. */
  assignees: (string | null)[];
  monitorsWithHits: number;
  /** The people behind what waits for an approval. */
  askers: (string | null)[];
  endpoints: {
    id: string;
    url: string;
    disabledAt: string | null;
    disabledReason: Overview['webhooks']['failing'][number]['disabled_reason'];
    failingSince: string | null;
  }[];
}

/** Batches that wait for money come first. Those that nobody has started come last: there may be any number of them. */
const URGENCY: readonly (typeof UNENDED)[number][] = ['paused_funds', 'running', 'queued', 'paused', 'canceling', 'awaiting_start'];

const REFUSALS_SHOWN = 10;
const ENDPOINTS_SHOWN = 20;
const REVIEWS_COUNTED = 1_000;
const APPROVALS_COUNTED = 1_000;
const MONITORS_COUNTED = 1_000;

async function readFacts({ sql, cipher }: Context, appId: string, live: boolean): Promise<Facts> {
  const own = sql`app_id = ${appId} and live = ${live}`;
  const open = sql`status in ${sql.unsafe(listed(UNENDED))}`;
  const [batches, wallet, [facts]] = await Promise.all([
    sql<UnopenedBatch[]>`
      select * from batches where ${own} and ${open}
      order by array_position(${[...URGENCY]}::text[], status::text), approval_id is null, id desc limit ${OPEN_BATCHES_MAX}`,
    readWallet(sql, { appId, live }),
    sql<Omit<Facts, 'batches' | 'wallet'>[]>`
      select
        date_trunc('day', now() at time zone 'utc') at time zone 'utc' - interval '1 day' as since,
        (select coalesce(json_object_agg(status, n), '{}') from (select status, count(*)::int as n from batches where ${own} and ${open} group by status) t) as counts,
        (select coalesce(json_agg(t order by failed desc, "check"), '[]') from (
          select check_id as "check", sum(found)::int as found, sum(not_found)::int as not_found, sum(failed)::int as failed
          from usage_days where ${own} and day >= (now() at time zone 'utc')::date - 1 group by check_id) t) as outcomes,
        (select coalesce(json_agg(t), '[]') from (
          select code, count(*)::int as count from request_log where ${own} and id >= ${firstIdAt(Date.now() - DAY_MS)} and code is not null
          group by code order by 2 desc, 1 limit ${REFUSALS_SHOWN}) t) as refusals,
        (select coalesce(json_agg(assignee), '[]') from (
          select assignee from reviews where ${own} and state <> 'decided' order by id desc limit ${REVIEWS_COUNTED}) t) as assignees,
        (select count(*)::int from (
          -- From the hits, which are few: an app may have a million monitors.
          select 1 from (select distinct monitor_id from aml_monitor_hits where app_id = ${appId} or app_id is null) h
          join aml_monitors m on m.id = h.monitor_id
          where ${own} and m.ended_at is null limit ${MONITORS_COUNTED}) t) as "monitorsWithHits",
        (select coalesce(json_agg(asked_person), '[]') from (
          select asked_person from approvals
          where app_id = ${appId} and (live is null or live = ${live}) and action = any(${[...ownActions]}::text[]) and status = 'pending_approval'
            and expires_at > now()
          limit ${APPROVALS_COUNTED}) t) as askers,
        (select coalesce(json_agg(t), '[]') from (
          select id, url, disabled_at as "disabledAt", disabled_reason as "disabledReason", failing_since as "failingSince" from webhook_endpoints
          where ${own} and deleted_at is null and (failing_since is not null or disabled_reason in ('gone', 'failing')) order by id limit ${ENDPOINTS_SHOWN}) t) as endpoints`,
  ]);
  const opener = await cipher.opener(batches.map(({ about }) => about));
  return { ...facts!, wallet, batches: batches.map((batch) => openRow<BatchRow>(opener, 'bat', batch)) };
}

function showMoney({ settings }: Owner, wallet: Facts['wallet']): NonNullable<Overview['money']> {
  const available = naira(wallet.availableKobo);
  const threshold = settings.lowBalance ?? null;
  return {
    currency: 'NGX',
    available,
    held: naira(wallet.heldKobo),
    low_balance: threshold,
    is_low: threshold !== null && available < threshold,
  };
}

function serviceOf(router: Router, family: Family, live: boolean): Overview['services'][number] {
  const ofFamily = checks.filter((check) => check.family === family);
  const configured = ofFamily.filter((check) => router.configured(check.needs, live));
  // A check that is only announced needs no provider yet.
  const missing = ofFamily.filter((check) => check.stage === null && !configured.includes(check));
  const reasons = configured.map(({ needs }) => router.unready(needs, live));
  const outlooks = configured.map(({ id, needs }) => ({ id, ...router.outlook(needs, live) })).filter(({ degraded }) => degraded);
  return {
    family,
    state: configured.length === 0 ? 'not_configured' : outlooks.length > 0 ? 'degraded' : 'ok',
    degraded_checks: outlooks.map(({ id }) => id),
    missing_checks: configured.length === 0 ? [] : missing.map(({ id }) => id),
    next_attempt_at:
      outlooks.length === 0 ? null : new Date(Date.now() + Math.max(...outlooks.map((one) => one.nextAttemptMs))).toISOString(),
    reason: reasons.find((reason) => reason !== null) ?? null,
  };
}
