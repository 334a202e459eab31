/** Answers about what is kept of a person: portraits of the sandbox, clearances and monitors of AML. */
import { z } from 'zod';
import { screeningHit } from '../checks/screening.ts';
import { count, instant, instantOrNull, text } from './fields.ts';

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
