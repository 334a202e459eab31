/** How long data is kept: every kind with its days, once, for the sweeper, the API and `docs/privacy.md`. */
import { z } from 'zod';
import type { AppSettings } from '../schema/apps.ts';
import { count, text } from './fields.ts';

interface Kept {
  what: string;
  /** Days, unless the app says otherwise. */
  live: number;
  test: number;
  /** What an app may set. */
  min: number;
  max: number;
}

const TEN_YEARS = 3_650;

/** What an app may set. */
export const retentionKinds = {
  batches: { what: 'batches with rows, results and pictures, from their end', live: 365, test: 30, min: 1, max: TEN_YEARS },
  jobs: { what: 'single jobs with input, result and pictures', live: 365, test: 30, min: 1, max: TEN_YEARS },
  calls: { what: 'records of single calls: subject as HMAC, consent, price', live: 365, test: 30, min: 1, max: TEN_YEARS },
  unstarted: { what: 'batches that nobody started, from their upload', live: 14, test: 7, min: 1, max: 90 },
  invalid_rows: { what: 'rows to correct, from the upload', live: 30, test: 7, min: 1, max: 365 },
  events: { what: 'events and their deliveries', live: 30, test: 7, min: 7, max: 365 },
  monitors: { what: 'ended monitors with their hits, from their end', live: 365, test: 30, min: 1, max: TEN_YEARS },
} as const satisfies Record<string, Kept>;

export type RetentionKind = keyof typeof retentionKinds;

/** `min` and `max` are equal, because no app may change it. */
const fixed = (what: string, live: number, test = live): Kept => ({ what, live, test, min: live, max: live });

/** The same for every app. */
export const fixedKinds = {
  excerpts: fixed('what receivers answered to a message (the first 1 KiB)', 7),
  trails: fixed('what vendors were asked, with their references', 365, 30),
  approvals: fixed('requests for an approval that are over, with their reasons', 365),
  clearances: fixed('clearances that were revoked or replaced, or have expired, from that day', 365, 30),
  lifted_holds: fixed('legal holds of people, from the day when they were lifted', 365),
  cache: fixed('answers of registries in the cache', 30),
  images: fixed('pictures of a row that failed, for its retry', 7),
  answers: fixed('answers kept for an Idempotency-Key', 1),
  requests: fixed('the last requests: route, status and time', 7),
} as const;

export type FixedKind = keyof typeof fixedKinds;

const kindNames = Object.keys(retentionKinds) as RetentionKind[];

export const daysKept = ({ retention }: Pick<AppSettings, 'retention'>, isLive: boolean, kind: RetentionKind): number =>
  retention?.[isLive ? 'live' : 'test']?.[kind] ?? retentionKinds[kind][isLive ? 'live' : 'test'];

const days = Object.fromEntries(
  kindNames.map((kind) => {
    const { min, max } = retentionKinds[kind];
    const limit = `must be ${min} to ${max} days`;
    return [kind, z.int(limit).min(min, limit).max(max, limit)];
  }),
) as Record<RetentionKind, z.ZodInt>;

const byKind = z.strictObject(days).partial();
export const retentionSetting = z.strictObject({ live: byKind, test: byKind }).partial();

const clearable = z
  .strictObject(
    Object.fromEntries(kindNames.map((kind) => [kind, days[kind].nullable()])) as Record<RetentionKind, z.ZodNullable<z.ZodInt>>,
  )
  .partial();
/** Members that are absent stay as they are; null restores the default. */
export const retentionPatch = z
  .strictObject({ live: clearable, test: clearable })
  .partial()
  .refine(({ live = {}, test = {} }) => Object.keys(live).length + Object.keys(test).length > 0, 'must change something');

export const retentionAnswer = z.object({
  object: z.literal('retention'),
  data: z.array(
    z.object({
      kind: text,
      what: text,
      live_days: count,
      test_days: count,
      default_live_days: count,
      default_test_days: count,
      min_days: count,
      max_days: count.describe('Equal to min_days: it cannot be changed'),
    }),
  ),
});

export function showRetention(settings: AppSettings): z.infer<typeof retentionAnswer> {
  const shown = (kind: string, { what, live, test, min, max }: Kept, kept: { live: number; test: number }) => ({
    kind,
    what,
    live_days: kept.live,
    test_days: kept.test,
    default_live_days: live,
    default_test_days: test,
    min_days: min,
    max_days: max,
  });
  return {
    object: 'retention',
    data: [
      ...kindNames.map((kind) =>
        shown(kind, retentionKinds[kind], { live: daysKept(settings, true, kind), test: daysKept(settings, false, kind) }),
      ),
      ...Object.entries(fixedKinds).map(([kind, kept]) => shown(kind, kept, kept)),
    ],
  };
}

/** The setting as it is after `patch`. */
export function patchedRetention({ retention = {} }: Pick<AppSettings, 'retention'>, patch: z.infer<typeof retentionPatch>) {
  const merged = (mode: 'live' | 'test') =>
    Object.fromEntries(
      Object.entries({ ...retention[mode], ...patch[mode] }).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    );
  return { live: merged('live'), test: merged('test') };
}
