/** Answers about apps, as the operator sees them. */
import { z } from 'zod';
import { amount, instant, instantOrNull, text } from './fields.ts';

export const appAnswer = z.object({
  id: text.describe('app_…'),
  object: z.literal('app'),
  name: text,
  settings: z.record(z.string(), z.unknown()).describe('As set; others take the default'),
  created_at: instant,
  suspended_at: instantOrNull.describe('Null: it is not suspended'),
  keys: z
    .array(
      z.object({
        id: text.describe('key_…'),
        object: z.literal('key'),
        mode: z.enum(['live', 'test']),
        hint: text.describe('Its first characters'),
        daily_cap: amount.nullable(),
        created_at: instant,
        revoked_at: instantOrNull,
      }),
    )
    .describe('Newest first, at most 100'),
  wallets: z.array(z.object({ currency: z.literal('NGX'), mode: z.enum(['live', 'test']), available: amount, held: amount })),
});
