/**
 * The shapes of answers, each once: `contract.ts`, `webhooks/contract.ts` and the routes make them under the compiler's eye, and
 * `/openapi.json` shows them. Amounts are naira, instants ISO 8601 in UTC with milliseconds.
 */
import { z } from 'zod';
import { screeningHit } from './checks/screening.ts';
import { ledgerAccount, ledgerKind } from './schema/money.ts';
import { deliveryStatus } from './schema/webhooks.ts';
import { batchStatus, jobOutcome, jobStatus } from './schema.ts';

const text = z.string();
const count = z.int();
const amount = z.number().describe('Naira');
const instant = z.iso.datetime();
const instantOrNull = instant.nullable();
const metadata = z.record(z.string(), z.unknown()).nullable().describe('As you gave it');
const reference = text.nullable().describe('As you gave it');
const reason = z.enum(['requested', 'insufficient_funds', 'max_failure_percent', 'deadline']).nullable();

export const jobAnswer = z.object({
  id: text.describe('job_…'),
  object: z.literal('job'),
  check: text,
  status: z.enum(jobStatus.enumValues),
  outcome: z.enum(jobOutcome.enumValues).nullable(),
  reference,
  metadata,
  batch: text.nullable().describe('bat_…; null for a single job'),
  row: count.nullable().describe('Data row of the upload, from 1'),
  duplicate_of: count.nullable().describe('The row with the same input, whose result this one shares'),
  service: text,
  billed_amount: amount,
  cached: z.boolean(),
  attempts: count,
  error: z.object({ code: text, message: text }).nullable(),
  latency_ms: count.nullable(),
  created_at: instant,
  next_attempt_at: instantOrNull,
  completed_at: instantOrNull,
  live: z.boolean(),
});
export const jobWithResult = jobAnswer.extend({
  result: z.record(z.string(), z.unknown()).nullable().describe('The entity of the check; null when there is none'),
});

export const progressAnswer = z.object({
  percent: z.number().describe('0 to 100, one decimal'),
  rate_per_second: z.number().nullable(),
  eta_seconds: count.nullable().describe('Estimate, while it runs'),
});

const rowError = z.object({ row: count.optional(), path: text, rule: text.optional(), message: text });

export const batchAnswer = z.object({
  id: text.describe('bat_…'),
  object: z.literal('batch'),
  status: z.enum(batchStatus.enumValues),
  counts: z.object({
    rows: count,
    jobs: count,
    queued: count,
    leased: count,
    completed: count,
    found: count,
    not_found: count,
    failed: count,
    canceled: count,
    invalid: count,
    duplicate: count,
  }),
  progress: progressAnswer,
  degraded: z.boolean().describe('No provider answers for one of its checks: its jobs wait, and go on by themselves'),
  next_attempt_at: instantOrNull.describe('While it is degraded: when a provider is asked again'),
  reason: reason.describe('Why it is paused, canceled, failed or expired'),
  quote_amount: amount,
  hold_amount: amount,
  billed_amount: amount,
  checks: z.array(text),
  reference,
  metadata,
  callback_url: text.nullable(),
  live: z.boolean(),
  created_at: instant,
  started_at: instantOrNull,
  paused_at: instantOrNull,
  completed_at: instantOrNull,
  canceled_at: instantOrNull,
  failed_at: instantOrNull,
  expired_at: instantOrNull,
  expires_at: instantOrNull,
  max_failure_percent: count.nullable(),
  results_url: text,
  errors_url: text.nullable().describe('null: every row is valid'),
  events_url: text,
  history_url: text,
});
const unusedFiles = count.optional().describe('Files of an archive that no row names; nothing is kept of them');

export const batchWithErrors = batchAnswer.extend({
  unused_files: unusedFiles,
  errors: z.array(rowError).describe('Of invalid rows, the first 100'),
});

export const changeAnswer = z.object({
  status: z.enum(batchStatus.enumValues),
  reason,
  at: instant,
  counts: z.object({ queued: count, leased: count, completed: count, failed: count, canceled: count }),
});

export const quoteAnswer = z.object({
  object: z.literal('quote'),
  counts: z.object({ rows: count, jobs: count, invalid: count, duplicate: count, expected_cache_hits: count }),
  checks: z.array(
    z.object({
      check: text,
      jobs: count,
      expected_cache_hits: count,
      price: amount,
      cached_price: amount,
      expected_amount: amount,
    }),
  ),
  currency: z.literal('NGX'),
  quote_amount: amount.describe('Naira, if nothing comes from the cache: what is held'),
  expected_amount: amount,
  available_amount: amount,
  balance_after: amount,
  covered: z.boolean(),
  mapping: z.record(z.string(), text).describe('Input → column'),
  unused_files: unusedFiles,
  errors: z.array(rowError),
});

export const linkAnswer = z.object({
  object: z.literal('link'),
  url: text,
  path: text,
  kind: z.enum(['results', 'errors']),
  format: z.enum(['csv', 'jsonl', 'xlsx']).nullable(),
  outcome: z.array(text).nullable(),
  expires_at: instant,
});

export const walletAnswer = z.object({ currency: z.literal('NGX'), available: amount, held: amount });

export const entryAnswer = z.object({
  id: text.describe('ent_…'),
  at: instant,
  kind: z.enum(ledgerKind.enumValues),
  from: z.enum(ledgerAccount.enumValues),
  to: z.enum(ledgerAccount.enumValues),
  amount,
  batch: text.nullable(),
  job: text.nullable().describe('A job, or the record of a single call'),
  note: text.nullable(),
});

const balance = z.object({ total: amount, available: amount, held: amount });
const movement = z.object({ count, amount });
export const statementAnswer = z.object({
  object: z.literal('statement'),
  month: text.describe('YYYY-MM, UTC'),
  currency: z.literal('NGX'),
  live: z.boolean(),
  opening: balance,
  top_ups: movement,
  holds: movement,
  releases: movement,
  charges: movement.extend({ from_held: amount, from_available: amount, checks: z.array(movement.extend({ check: text })) }),
  closing: balance,
});

export const usageAnswer = z.object({
  object: z.literal('usage'),
  from: z.iso.date(),
  to: z.iso.date(),
  currency: z.literal('NGX'),
  live: z.boolean(),
  data: z.array(
    z.object({
      day: z.iso.date().optional(),
      check: text.optional(),
      calls: count,
      jobs: count,
      found: count,
      not_found: count,
      failed: count,
      cached: count,
      charged: count,
      billed_amount: amount,
    }),
  ),
});

export const priceAnswer = z.object({
  check: text,
  service: text,
  family: text,
  summary: text,
  method: z.enum(['GET', 'POST']),
  path: text,
  price: amount,
  cached_price: amount.describe('Naira, of an answer from the cache'),
  list_price: amount.optional().describe('Where something else was agreed'),
  list_cached_price: amount.optional(),
  valid_until: instantOrNull.optional(),
});
export const agreementAnswer = z.object({
  id: text.describe('prc_…'),
  object: z.literal('price'),
  app: text,
  check: text,
  price: amount,
  cached_price: amount,
  valid_from: instant,
  valid_until: instantOrNull,
});

export const endpointAnswer = z.object({
  id: text.describe('whe_…'),
  object: z.literal('webhook_endpoint'),
  url: text,
  description: text.nullable(),
  events: z.array(text),
  signing: z.enum(['v1', 'v1a']),
  public_key: text.nullable().describe('whpk_…, of `v1a`'),
  previous_public_key: text.nullable(),
  previous_secret_expires_at: instantOrNull,
  rate_per_second: count.nullable(),
  encryption_key: z.record(z.string(), z.unknown()).nullable(),
  disabled: z.boolean(),
  disabled_reason: z.enum(['requested', 'gone', 'failing']).nullable(),
  disabled_at: instantOrNull,
  failing_since: instantOrNull,
  live: z.boolean(),
  created_at: instant,
});
export const endpointWithSecret = endpointAnswer.extend({ secret: text.nullable().describe('whsec_…, shown this once; null for `v1a`') });

export const deliveryAnswer = z.object({
  id: text.describe('dlv_…'),
  object: z.literal('webhook_delivery'),
  event: z.object({ id: text, type: text, created_at: instant }),
  endpoint: text.nullable().describe('null: to a `callback_url`'),
  url: text,
  status: z.enum(deliveryStatus.enumValues),
  error: text.nullable(),
  attempts: z.array(
    z.object({
      attempt: count,
      at: instant,
      status: count.nullable(),
      error: text.nullable(),
      latency_ms: count,
      response: text.nullable().describe('The first KiB of the answer'),
    }),
  ),
  next_attempt_at: instantOrNull,
  created_at: instant,
  delivered_at: instantOrNull,
});

export const replayAnswer = z.object({
  object: z.literal('webhook_replay'),
  deliveries: count,
  hastened: count,
  has_more: z.boolean(),
  next_since: instantOrNull,
});

export const portraitAnswer = z.object({
  object: z.literal('sandbox_portrait'),
  id_type: z.enum(['nin', 'bvn']),
  id_number: text.describe('Its last four digits: *******6789'),
  bytes: count.describe('Of the picture as it was sent'),
  type: z.enum(['image/jpeg', 'image/png', 'image/webp']),
  enrolled_at: instant,
});

export const clearanceAnswer = z.object({
  id: text.describe('clr_…'),
  object: z.literal('aml_clearance'),
  list: text,
  source_id: text.describe("The publisher's number of the entry"),
  reason: text,
  cleared_by: text,
  created_at: instant,
  expires_at: instantOrNull,
  lapsed: z.boolean().describe('It has expired, or the entry was changed or removed: the hit counts again'),
});

export const monitorAnswer = z.object({
  id: text.describe('mon_…'),
  object: z.literal('aml_monitor'),
  name: text.nullable().describe('null once it has ended'),
  date_of_birth: text.nullable(),
  country: text.nullable(),
  job: text.describe('The screening that began it'),
  created_at: instant,
  screened_at: instantOrNull.describe('Last screened against what lists changed'),
  ended_at: instantOrNull,
  hits: count.describe('New hits since it began'),
});
export const monitorWithMatches = monitorAnswer.extend({
  matches: z.array(screeningHit.extend({ at: instant })).describe('The hits, newest first, at most 100'),
});

const share = z.number().min(0).nullable();
const milliseconds = count.nullable();
export const providersAnswer = z.object({
  object: z.literal('list'),
  from: z.iso.date(),
  to: z.iso.date(),
  currency: z.literal('NGX'),
  data: z.array(
    z.object({
      name: text,
      records: z.array(
        z.object({
          record: text,
          tier: count.describe('The richest that it answers'),
          health: z.enum(['well', 'paused', 'down']).describe('`down`: its breaker has opened and no question was answered since'),
          retry_after_ms: count,
        }),
      ),
      budget: z.object({
        requests_per_second: z.number().nullable(),
        burst: count,
        reserved_for_calls: z.number(),
        in_flight_max: count.describe('Per process'),
        timeout_ms: count,
        used_share: share.describe('Of the rate, in the last minute'),
      }),
      lately: z.object({
        minutes: count,
        calls: count,
        found: count,
        not_found: count,
        pending: count,
        errors: z.record(z.string(), count).describe('By class: down, timeout, rate_limited, out_of_credit, unauthorized, surprise …'),
        latency_ms: z.object({ p50: milliseconds, p95: milliseconds, p99: milliseconds }),
      }),
      spend: z.object({ today_amount: amount, period_amount: amount }),
    }),
  ),
  margin: z
    .array(z.object({ day: z.iso.date(), check: text, billed_amount: amount, cost_amount: amount, margin_amount: amount }))
    .describe('Of live work'),
});

export const lookupAnswer = z.object({
  at: instant,
  provider: text,
  record: text,
  tier: count,
  outcome: text.describe('found, not_found, pending, abandoned (another answered first), or the class of the failure'),
  latency_ms: count,
  cost_amount: amount,
  vendor_status: text.nullable().describe("HTTP status and the vendor's own code"),
  vendor_reference: text.nullable(),
  answer_sha256: text.nullable().describe('Of the raw answer'),
});

export const listVersionAnswer = z.object({
  id: text.describe('lsv_…'),
  object: z.literal('list_version'),
  label: text.describe('As results show it: publication date, or that of loading, and the start of the checksum'),
  format: text,
  origin: text.describe('Addresses without their queries, or file names'),
  published_on: z.iso.date().nullable(),
  loaded_at: instant,
  checksum_sha256: text,
  bytes: count,
  entries: count.describe('Natural persons'),
  names: count,
  skipped: count.describe('Companies, vessels, aircraft'),
  added: count,
  changed: count,
  removed: count,
});

export const listAnswer = z.object({
  list: text,
  object: z.literal('watch_list'),
  title: text,
  publisher: text,
  category: text,
  required: z.boolean(),
  state: z.enum(['current', 'too_old', 'absent']),
  max_age_days: z.number(),
  checked_at: instantOrNull.describe('When its publisher last confirmed what is in force, or it was imported'),
  age_seconds: count.nullable(),
  refreshed: z.boolean().describe('It is fetched again by itself'),
  version: listVersionAnswer.nullable(),
  refusal: z.object({ at: instant, reason: text, detail: text }).nullable().describe('The last refresh that failed or was refused since'),
});
export const listsAnswer = z.object({ object: z.literal('list'), data: z.array(listAnswer) });
export const listVersionsAnswer = z.object({
  object: z.literal('list'),
  data: z.array(listVersionAnswer),
  has_more: z.boolean(),
  next_cursor: text.nullable(),
});
