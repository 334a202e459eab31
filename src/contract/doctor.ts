/** What a service has found wrong with itself. */
import { z } from 'zod';
import { text } from './fields.ts';

export const findingAnswer = z.object({
  object: z.literal('finding'),
  subject: text,
  state: z.enum(['ok', 'note', 'broken']).describe('note: worth knowing, but not a fault'),
  says: text.describe('A sentence without any secret'),
});
