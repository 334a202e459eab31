/**
 * The script: how the simulated vendor misbehaves, and when. One schema, published as `docs/upstream-sim.schema.json`; `behaviour.ts` decides what a script
 * does at a given moment.
 */
import { z } from 'zod';
import { ConfigError } from '../foundation/config.ts';
import { DAY_MS } from '../foundation/time.ts';

/** No answer is delayed longer than this, whatever is drawn. */
export const MS_MAX = 600_000;
const milliseconds = z.number().min(0).max(MS_MAX);
const share = z.number().min(0).max(1);
const retryAfter = z.number().int().min(0).max(86_400).nullable().default(1).describe('Seconds in the Retry-After header; null: no header');

/** Each is wrong in a different way, in an answer with status 200. */
const wrongKinds = ['html', 'empty', 'other_subject', 'missing_name', 'wrong_type'] as const;
export type WrongKind = (typeof wrongKinds)[number];

const latency = z.union(
  [
    milliseconds,
    z.strictObject({ min: milliseconds, max: milliseconds }).refine(({ min, max }) => min <= max, 'min must not be more than max'),
    z
      .strictObject({ p50: milliseconds.positive(), p99: milliseconds.positive() })
      .refine(({ p50, p99 }) => p50 <= p99, 'p50 must not be more than p99'),
    z.strictObject({
      modes: z
        .array(z.strictObject({ share, ms: milliseconds }))
        .min(1)
        .refine((modes) => Math.abs(modes.reduce((sum, mode) => sum + mode.share, 0) - 1) < 1e-9, 'the shares of modes must make 1'),
    }),
  ],
  { error: `must be milliseconds up to ${MS_MAX}, {"min", "max"}, {"p50", "p99"} or {"modes": [{"share", "ms"}]}` },
);

/** Settings for the whole script, which a window of its timetable may override. */
const behaviour = z
  .strictObject({
    latency_ms: latency.describe(
      'Time before an answer: milliseconds, {min, max} (evenly spread), {p50, p99} (log-normal) or {modes} (each with its share). Default 0, without a timer',
    ),
    latency_drift: z
      .strictObject({ to: z.number().positive().max(100), over_ms: z.number().positive().max(DAY_MS) })
      .nullable()
      .describe(
        'Latency grows evenly to `to` times its length over `over_ms`, starting when the script was set or its window began, and then stays there',
      ),
    in_flight_max: z
      .number()
      .int()
      .min(1)
      .nullable()
      .describe('Requests in flight beyond which latency grows in proportion: twice as many double it. Needs `latency_ms`'),
    limit: z
      .strictObject({
        per_second: z.number().positive().max(1_000_000),
        burst: z.number().int().min(1).max(1_000_000).optional().describe('Requests that may arrive at once. Default: one second’s worth'),
        retry_after_seconds: retryAfter,
      })
      .nullable()
      .describe('A token bucket; requests beyond it get 429 at once'),
    rate_limited_rate: z
      .strictObject({ share, retry_after_seconds: retryAfter })
      .nullable()
      .describe('Share of requests answered 429 for no reason'),
    error_rate: share.describe('Share of requests answered 500'),
    hang_rate: share.describe('Share of requests that are accepted and never answered'),
    reset_rate: share.describe('Share of requests whose connection is reset'),
    slow_body: z
      .strictObject({ share, ms: milliseconds.positive() })
      .nullable()
      .describe('Share of answers whose headers are sent at once and whose body follows in pieces over `ms`'),
    malformed_rate: share.describe('Share of answers whose JSON is cut short'),
    wrong_content: z
      .strictObject({
        share,
        kinds: z
          .array(z.enum(wrongKinds))
          .min(1)
          .default([...wrongKinds]),
      })
      .nullable()
      .describe(
        'Share of answers that are wrong with status 200: an `html` page, an `empty` body, the record of an `other_subject`, one with a ' +
          '`missing_name`, names of the `wrong_type`. The last three only affect answers with a record',
      ),
    pending: z
      .strictObject({ share, ms: milliseconds.positive() })
      .nullable()
      .describe('Share of submitted jobs that are answered `ms` later; the others at once. `Prefer: wait` is honoured'),
    out_of_credit_after: z
      .number()
      .int()
      .min(0)
      .nullable()
      .describe('Number of records found since the script was set, after which every question gets 402'),
    picture_bytes: z
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .describe('Minimum size of each picture in a record. Default 0: drawings of under 1 KB'),
    down: z.boolean().describe('Destroy every connection without an answer'),
  })
  .partial();

const windowed = behaviour.extend({
  from_ms: z.number().min(0).describe('Counted from the start, or from when the script was set'),
  to_ms: z.number().positive().describe('Exclusive'),
});

export const scriptSchema = behaviour
  .extend({
    $schema: z.string().optional().describe('Used by editors'),
    seed: z.number().int().min(0).max(0xffff_ffff).default(1).describe('The same seed and order of requests give the same faults'),
    credentials: z
      .strictObject({ key: z.string().min(1), app_id: z.string().min(1) })
      .optional()
      .describe('The Authorization and AppId to accept. Default: any that are not empty'),
    timetable: z
      .array(windowed)
      .max(1_000)
      .default([])
      .describe('Time windows that override the settings above: brown-outs, outages. They must not overlap'),
  })
  .superRefine(({ seed: _, credentials: __, $schema: ___, timetable, ...base }, context) => {
    complain([], base);
    const windows = timetable.map((window, index) => ({ ...window, index })).sort((a, b) => a.from_ms - b.from_ms);
    for (const [i, { index, from_ms, to_ms, ...own }] of windows.entries()) {
      if (to_ms <= from_ms) context.addIssue({ code: 'custom', path: ['timetable', index, 'to_ms'], message: 'must be after from_ms' });
      if (i > 0 && from_ms < windows[i - 1]!.to_ms)
        context.addIssue({
          code: 'custom',
          path: ['timetable', index, 'from_ms'],
          message: `overlaps with window ${windows[i - 1]!.index}`,
        });
      complain(['timetable', index], base, own);
    }

    function complain(path: (string | number)[], ...set: z.infer<typeof behaviour>[]): void {
      const settings = settingsOf(...set);
      const total = shares(settings).reduce((sum, [, one]) => sum + one, 0);
      if (total > 1 + 1e-9) context.addIssue({ code: 'custom', path, message: `the shares of faults make ${total}, which is more than 1` });
      if (settings.latency_drift !== null && settings.latency_ms === 0)
        context.addIssue({ code: 'custom', path: [...path, 'latency_drift'], message: 'needs latency_ms, which it multiplies' });
      if (settings.in_flight_max !== null && settings.latency_ms === 0)
        context.addIssue({ code: 'custom', path: [...path, 'in_flight_max'], message: 'needs latency_ms, which it multiplies' });
    }
  });

export type Settings = Required<z.infer<typeof behaviour>>;
export type Script = z.infer<typeof scriptSchema>;
export type ScriptInput = z.input<typeof scriptSchema>;

/** A vendor without a fault. */
const QUIET: Settings = {
  latency_ms: 0,
  latency_drift: null,
  in_flight_max: null,
  limit: null,
  rate_limited_rate: null,
  error_rate: 0,
  hang_rate: 0,
  reset_rate: 0,
  slow_body: null,
  malformed_rate: 0,
  wrong_content: null,
  pending: null,
  out_of_credit_after: null,
  picture_bytes: 0,
  down: false,
};

/** Later parts override earlier ones. */
export function settingsOf(...parts: z.infer<typeof behaviour>[]): Settings {
  const set = parts.flatMap((part) => Object.entries(part).filter(([member, value]) => member in QUIET && value !== undefined));
  return { ...QUIET, ...Object.fromEntries(set) };
}

export type Fault = 'reset' | 'hang' | 'error' | 'rate_limited' | 'malformed' | 'wrong_content' | 'slow_body';

/** A request has one of these faults or none, so each share is of all requests. */
export const shares = (settings: Settings): [Fault, number][] => [
  ['reset', settings.reset_rate],
  ['hang', settings.hang_rate],
  ['error', settings.error_rate],
  ['rate_limited', settings.rate_limited_rate?.share ?? 0],
  ['malformed', settings.malformed_rate],
  ['wrong_content', settings.wrong_content?.share ?? 0],
  ['slow_body', settings.slow_body?.share ?? 0],
];

/** Throws `ConfigError` naming every wrong path. */
export function readScript(value: unknown): Script {
  const parsed = scriptSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the script'}: ${message}`).join('\n'));
}
