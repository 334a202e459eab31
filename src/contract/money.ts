/** Wallets, statements, usage and prices: bodies, queries and answers. */
import { z } from 'zod';
import { ledgerAccount, ledgerKind } from '../schema/money.ts';
import { AMOUNT_MAX, amount, cleanText, count, instant, instantOrNull, nairaAboveZero, nairaUpTo, sentTime, text } from './fields.ts';
import { dayOrTime, days, page, refusePeriod, wholePeriod } from './queries.ts';

export const walletAnswer = z.object({ currency: z.literal('NGX'), available: amount, held: amount });

export const limitsAnswer = z.object({
  object: z.literal('limits'),
  currency: z.literal('NGX'),
  low_balance: amount.nullable().describe('`wallet.low_balance` is sent below it; null: never'),
  daily_cap: amount.nullable().describe('What all keys and people of the app may commit in a day (UTC); null: no limit'),
  batch_cap: amount.nullable().describe('The worst case of one batch; null: no limit'),
});

export const entryAnswer = z.object({
  id: text.describe('ent_…'),
  at: instant,
  kind: z.enum(ledgerKind.enumValues),
  from: z.enum(ledgerAccount.enumValues),
  to: z.enum(ledgerAccount.enumValues),
  amount,
  batch: text.nullable(),
  job: text.nullable().describe('job_…, or the record of a single call; null for a charge of several rows of a batch'),
  check: text.nullable().describe('For a charge: the check. Null in entries of earlier releases'),
  jobs: count.nullable().describe('For a charge: how many jobs it covers, all at one price'),
  note: text.nullable(),
});

/** The charges of one batch, check and price. */
export const batchChargeAnswer = z.object({
  batch: text.describe('bat_…'),
  reference: text.nullable().describe('Of the batch. Null also for a key without `results:read`, and once the batch was deleted'),
  kind: z.literal('capture'),
  check: text.nullable().describe('Null if an earlier release charged it and its job was deleted'),
  price: amount.describe('For each of its jobs'),
  jobs: count.describe('How many it covers'),
  amount: amount.describe('`jobs` times `price`'),
  first_at: instant,
  last_at: instant,
  jobs_url: text.describe('The jobs, each with its `billed_amount`'),
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
  storage: z
    .object({
      used_bytes: count.describe('Estimated, live and test together'),
      quota_bytes: count.nullable().describe('Set by the operator; null: no limit'),
    })
    .describe('What the app stores now, whatever the period'),
});

export const priceAnswer = z.object({
  check: text,
  service: text,
  family: text,
  summary: text,
  method: z.enum(['GET', 'POST']),
  path: text,
  price: amount,
  cached_price: amount.describe('Naira, for an answer from the cache'),
  price_rule: text.optional().describe('When an answer costs less than the price'),
  list_price: amount.optional().describe('The list price, if another price was agreed'),
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

export const topUpBody = z.strictObject({
  amount: nairaAboveZero(AMOUNT_MAX),
  mode: z.enum(['live', 'test']).default('live'),
  note: cleanText(200).optional().describe('Kept in the clear for good, also after the app was deleted: name an invoice, not a person'),
});

const PRICE_MAX = 1_000_000;

export const priceBody = z
  .strictObject({
    check: z.string(),
    price: nairaUpTo(PRICE_MAX),
    cached_price: nairaUpTo(PRICE_MAX).optional().describe('Default: the same proportion of the price as on the price list'),
    valid_from: sentTime().optional().describe('Default: now'),
    valid_until: sentTime().nullable().default(null).describe('Exclusive; null: until further notice'),
  })
  .refine(({ price, cached_price }) => (cached_price ?? 0) <= price, { path: ['cached_price'], error: 'must not exceed price' })
  .refine(({ valid_from, valid_until }) => !valid_from || !valid_until || Date.parse(valid_from) < Date.parse(valid_until), {
    path: ['valid_until'],
    error: 'must be after valid_from',
  });

export const entriesQuery = z
  .object({
    format: z.enum(['json', 'csv']).default('json'),
    ...page,
    by: z
      .enum(['batch'])
      .optional()
      .describe(
        'The charges of batches: one line per batch, check and price, newest batch first. `since` and `until` then refer to when the batch was submitted',
      ),
    kind: z.enum(ledgerKind.enumValues).optional(),
    since: dayOrTime,
    until: dayOrTime,
  })
  .refine(({ by, kind }) => by === undefined || kind === undefined || kind === 'capture', {
    path: ['kind'],
    message: 'cannot be combined with by=batch, which lists charges only',
  });

export const statementQuery = z.object({ format: z.enum(['json', 'csv']).default('json') });

export const usageQuery = z
  .object({
    format: z.enum(['json', 'csv']).default('json'),
    ...days,
    group: z
      .string()
      .default('check,day')
      .transform((text) => text.split(',').map((name) => name.trim()))
      .refine((names) => names.length <= 2 && names.every((name) => name === 'check' || name === 'day'), 'must be check, day or both'),
  })
  .transform(wholePeriod)
  .superRefine(refusePeriod);
