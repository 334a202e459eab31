/**
 * Limits on guessing. A call that finds nobody or contradicts the record is free, so unlimited calls would let a caller find out who owns which number at the
 * operator's cost. What counts: every question that a provider answered with nobody, and every one that contradicted its record. There are two counts: per
 * subject and day, over all of an app's ways to ask, and per app and hour, over its single calls and jobs. A batch row counts for its subject only if it sends
 * more than the subject, since only that can be guessed: a file may hold any number of rows that are not on record.
 *
 * A decision costs no round trip. Misses are added to `miss_counts` before the answer goes out, and a count that reaches its limit is announced to every
 * process. Each process counts its own concurrent questions as if they had missed.
 */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Check, CheckRefusal } from '../checks/check.ts';
import { ProviderFailure } from '../checks/provider.ts';
import { hearAnnouncements } from '../foundation/announcements.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import { group } from '../foundation/group.ts';
import { recordset } from '../foundation/recordset.ts';
import type { Owner } from './owner.ts';

const SUBJECT_SECONDS = 24 * 3600;
const APP_SECONDS = 3600;
/** Counts that one process remembers. */
const REMEMBERED_MAX = 100_000;
const MISSES_CHANNEL = 'confam_misses';

/** One question, from before its look-up until its answer. */
export interface Attempt {
  /** Counts a miss; await it before answering. */
  missed(): Promise<void>;
  end(): void;
}

export interface Misses {
  /** Throws `too_many_misses` if the app or the subject has reached its limit. A `job` or `row`, once accepted, is refused for its subject only. */
  begin(
    owner: Pick<Owner, 'appId' | 'live' | 'settings'>,
    check: Check,
    input: Record<string, string | undefined>,
    source: 'call' | 'job' | 'row',
  ): Attempt;
  /** Throws `too_many_misses` for the app. Called before a job is accepted. */
  refuseApp(owner: Pick<Owner, 'appId' | 'live' | 'settings'>): void;
  close(): Promise<void>;
}

const PER_LIMIT = { subject: 'of this subject', app: 'by this app' };

/** `isReached` is false if only the questions in progress could still reach the limit: retrying at once is worthwhile. */
export class TooManyMisses extends ApiError {
  readonly isReached: boolean;
  constructor(limit: 'subject' | 'app', isReached: boolean, seconds: number) {
    super('too_many_misses', `Too many look-ups ${PER_LIMIT[limit]} found nobody or contradicted the record; try again later`, {
      headers: retryAfter(Math.max(1, Math.ceil(seconds))),
      extra: { limit },
    });
    this.isReached = isReached;
  }
}

interface Miss {
  key: string;
  /** The same under the other index keys. */
  older: readonly string[];
  seconds: number;
  allowed: number;
}

const count = z.object({ key: z.string(), misses: z.number(), leftMs: z.number() });
type Count = z.infer<typeof count>;

/** For requests that cannot guess: a row that sends only its subject, or a check without one. */
const NOTHING: Attempt = { missed: async () => {}, end: () => {} };

export const isMismatch = (error: unknown): boolean =>
  (error instanceof CheckRefusal && error.code === 'subject_mismatch') || (error instanceof ProviderFailure && error.code === 'mismatch');

export async function openMisses(ctx: Context): Promise<Misses> {
  const { CONFAM_MISSES_PER_SUBJECT: perSubject, CONFAM_MISSES_PER_APP: perApp } = ctx.config;
  const known = new KnownCounts();
  /** The distinct questions in progress about each subject, and how many callers ask each. */
  const underWay = new Map<string, Map<string, number>>();

  let reading = Promise.resolve();
  /** Runs when listening starts and after every reconnect, to catch announcements missed in between. */
  const readAll = () => {
    reading = readReached(ctx).then(
      (counts) => {
        for (const one of counts) known.learn(one);
      },
      (error: unknown) => ctx.log.warn({ err: error }, 'miss counts were not read'),
    );
  };
  const listener = await hearAnnouncements(ctx, MISSES_CHANNEL, count, (announced) => known.learn(announced), readAll);
  await reading;
  const add = group<Miss, Count>((misses) => addMisses(ctx, misses), { itemsMax: 500, flushesMax: 2 });

  const refuseApp = (owner: Pick<Owner, 'appId' | 'live' | 'settings'>) =>
    known.refuse('app', appKey(owner), owner.settings.missesPerApp ?? perApp);

  return {
    refuseApp,
    begin(owner, check, input, source) {
      const isGuess = Object.keys(check.input.shape).length > 1;
      if (source === 'row' && !isGuess) return NOTHING;
      if (source === 'call') refuseApp(owner);
      const subject = check.subject(input);
      // Nothing is looked up, so nothing can be guessed.
      if (subject === '') return NOTHING;
      const [key, ...older] = ctx.cipher
        .shortIndexes('misses', owner.appId, owner.live ? 'live' : 'test', check.family, subject)
        .map((hash) => hash.toString('base64')) as [string, ...string[]];
      const question = `${check.id} ${check.question(input)}`;
      const asked = underWay.get(key) ?? new Map<string, number>();
      const allowed = owner.settings.missesPerSubject ?? perSubject;
      for (const one of older) known.refuse('subject', one, allowed);
      known.refuse('subject', key, allowed, asked.has(question) ? 0 : asked.size);
      if (isGuess) {
        asked.set(question, (asked.get(question) ?? 0) + 1);
        underWay.set(key, asked);
      }
      return {
        async missed() {
          const ofSubject = { key, older, seconds: SUBJECT_SECONDS, allowed };
          const ofApp = { key: appKey(owner), older: [], seconds: APP_SECONDS, allowed: owner.settings.missesPerApp ?? perApp };
          try {
            for (const counted of await Promise.all([ofSubject, ...(source === 'row' ? [] : [ofApp])].map((miss) => add(miss))))
              known.learn(counted);
          } catch (error) {
            ctx.log.warn({ err: error }, 'a miss was not counted');
          }
        },
        end() {
          if (!isGuess) return;
          const left = asked.get(question)! - 1;
          if (left > 0) asked.set(question, left);
          else asked.delete(question);
          if (asked.size === 0) underWay.delete(key);
        },
      };
    },
    async close() {
      await add.idle();
      await listener.unlisten();
    },
  };
}

/** The counts that this process knows, by key. */
class KnownCounts {
  private readonly known = new LRUCache<string, { misses: number; until: number }>({ max: REMEMBERED_MAX });

  learn({ key, misses, leftMs }: Count): void {
    const now = performance.now();
    const before = this.known.get(key);
    if (!before || before.misses < misses || before.until < now) this.known.set(key, { misses, until: now + leftMs });
  }

  /** Throws `TooManyMisses` if the count has reached `allowed` (0: no limit), or would with `more`. */
  refuse(limit: 'subject' | 'app', key: string, allowed: number, more = 0): void {
    const now = performance.now();
    const counted = this.known.get(key);
    const misses = counted && counted.until > now ? counted.misses : 0;
    if (allowed === 0 || misses + more < allowed) return;
    throw misses >= allowed ? new TooManyMisses(limit, true, (counted!.until - now) / 1000) : new TooManyMisses(limit, false, 1);
  }
}

/** Longer than a subject's key, which is a hash, so the two never collide. */
const appKey = ({ appId, live }: Pick<Owner, 'appId' | 'live' | 'settings'>): string =>
  Buffer.from(`${appId.replaceAll('-', '')}${live ? '01' : '00'}`, 'hex').toString('base64');

/** Returns each miss's count in its window and announces the counts that reach their limit. */
async function addMisses({ sql }: Context, misses: Miss[]): Promise<Count[]> {
  const older = misses.flatMap(({ key, older: others }) => others.map((other) => ({ key, other })));
  // A change of the index key forgets no miss.
  if (older.length > 0)
    await sql`
      update miss_counts c set key = decode(o.key, 'base64')
      from ${recordset(sql, older, { key: ['text', (o) => o.key], other: ['text', (o) => o.other] })} o
      where c.key = decode(o.other, 'base64') and c.expires_at > now()
        and not exists (select 1 from miss_counts n where n.key = decode(o.key, 'base64') and n."window" = c."window")`;
  const rows = await sql<Count[]>`
    with input as (
      select decode(key, 'base64') as key, seconds, max(allowed) as allowed, count(*)::int as n
      from ${recordset(sql, misses, { key: ['text', (m) => m.key], seconds: ['int', (m) => m.seconds], allowed: ['int', (m) => m.allowed] })} t
      group by 1, 2),
    counted as (
      insert into miss_counts as c (key, "window", misses, allowed, expires_at)
      select key, to_timestamp(floor(extract(epoch from now()) / seconds) * seconds), n, allowed,
             to_timestamp((floor(extract(epoch from now()) / seconds) + 1) * seconds)
      from input order by key
      on conflict (key, "window") do update set misses = c.misses + excluded.misses, allowed = excluded.allowed
      returning encode(key, 'base64') as key, c.misses, allowed, (extract(epoch from expires_at - now()) * 1000)::int as left_ms)
    select key, misses, left_ms,
      case when allowed between 1 and misses
        then pg_notify(${MISSES_CHANNEL}, json_build_object('key', key, 'misses', misses, 'leftMs', left_ms)::text) end
    from counted`;
  const counts = new Map(rows.map((row) => [row.key, row]));
  return misses.map(({ key }) => counts.get(key)!);
}

const readReached = ({ sql }: Context): Promise<Count[]> => sql<Count[]>`
  select encode(key, 'base64') as key, misses, (extract(epoch from expires_at - now()) * 1000)::int as left_ms from miss_counts
  where expires_at > now() and allowed between 1 and misses order by expires_at desc limit ${REMEMBERED_MAX}`;

/** Removes expired windows. */
export async function dropOldMisses({ sql }: Context): Promise<void> {
  await sql`delete from miss_counts where expires_at < now()`;
}
