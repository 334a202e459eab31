/** Watch lists and their versions, as the operator sees them. */
import { z } from 'zod';
import { count, instant, instantOrNull, text } from './fields.ts';

export const listVersionAnswer = z.object({
  id: text.describe('lsv_…'),
  object: z.literal('list_version'),
  label: text.describe('As in results: date of publication (or of loading) and the start of the checksum'),
  format: text,
  origin: text.describe('URLs without their queries, or file names'),
  published_on: z.iso.date().nullable(),
  loaded_at: instant,
  checksum_sha256: text,
  bytes: count,
  entries: count.describe('Listings: people and organizations'),
  names: count,
  skipped: count.describe('Vessels, aircraft, and what else is neither a person nor an organization'),
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
  checked_at: instantOrNull.describe('When the publisher last confirmed the version in force, or when it was imported'),
  age_seconds: count.nullable(),
  refreshed: z.boolean().describe('The list is refreshed automatically'),
  version: listVersionAnswer.nullable(),
  refusal: z.object({ at: instant, reason: text, detail: text }).nullable().describe('The last failed or refused refresh since then'),
});
export const listsAnswer = z.object({ object: z.literal('list'), data: z.array(listAnswer) });
export const listVersionsAnswer = z.object({
  object: z.literal('list'),
  data: z.array(listVersionAnswer),
  has_more: z.boolean(),
  next_cursor: text.nullable(),
});

/** As an app sees a list: what its live keys are screened against. */
export const currentListAnswer = listAnswer
  .pick({ list: true, title: true, publisher: true, category: true, state: true, checked_at: true })
  .extend({
    object: z.literal('watch_list'),
    version: listVersionAnswer.pick({ id: true, label: true, published_on: true, loaded_at: true, entries: true }).nullable(),
  });
