/** Who has seen a job in clear, and why. */
import { z } from 'zod';
import { PURPOSES } from './audit.ts';
import { cleanText, instant, text } from './fields.ts';

export const revealBody = z.strictObject({
  purpose: z.enum(PURPOSES).describe('What it is for; recorded in the audit'),
  reason: cleanText(500).optional().describe('Why, in words; needed if the app demands it. Stored encrypted'),
});

export const revealAnswer = z.object({
  object: z.literal('reveal'),
  id: text.describe('rvl_…'),
  actor: z.object({ kind: z.enum(['key', 'person']), id: text }),
  purpose: z.enum(PURPOSES),
  reason: text.nullable(),
  at: instant,
});
