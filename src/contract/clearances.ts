/** AML clearances: body, page and answer. */
import { z } from 'zod';
import { showId } from '../foundation/ids.ts';
import type { amlClearances } from '../schema/aml.ts';
import { type CreatedBy, creator } from './created-by.ts';
import { cleanText, instant, instantOrNull, sentTime, showInstant, showInstantOrNull, text } from './fields.ts';
import { cursor, pageSize } from './queries.ts';

/** Who was screened. The screening's own schema validates them where they are used. */
const sent = z.string().max(1000, 'must be at most 1000 characters').optional();

const person = { name: sent, type: sent, date_of_birth: sent, country: sent, gender: sent, registration_number: sent };

export const personMembers = Object.keys(person) as (keyof typeof person)[];

const written = (max: number) => cleanText(max).refine((text) => text.trim() !== '', 'must not be blank');

const listing = { list: cleanText(100), source_id: cleanText(300) };

export const clearanceBody = z
  .strictObject({
    ...person,
    job: z.string().optional().describe('job_…: the person that this job screened, instead of naming one'),
    ...listing,
    list_version: cleanText(100)
      .optional()
      .describe(
        "As the hit showed it: 409 if the entry has changed since. Default: that of the job's hit; without either, the current entry is cleared",
      ),
    reason: written(1000).describe('Why the listed person is somebody else; stored encrypted'),
    cleared_by: written(200)
      .optional()
      .describe('Who decided; kept encrypted. Keys must send it. For a signed-in person it is their own name, and any other is refused'),
    expires_at: sentTime()
      .refine((time) => Date.parse(time) > Date.now(), 'must be in the future')
      .nullable()
      .default(null),
  })
  .superRefine((body, context) => {
    const named = personMembers.filter((member) => body[member] !== undefined);
    if (body.job !== undefined && named.length > 0)
      context.addIssue({ code: 'custom', path: [named[0]!], message: 'cannot be sent together with job' });
    if (body.job === undefined && named.length === 0)
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required without job' });
  });

export type ClearanceBody = z.infer<typeof clearanceBody>;

const PAGE_MAX = 100;

const limit = pageSize(PAGE_MAX, 50);

export const page = { limit, cursor };

export const clearancePage = z.object({
  ...page,
  list: listing.list.optional(),
  source_id: listing.source_id.optional(),
  job: z.string().optional().describe('job_…: of whom this job screened'),
});

/** Opened. */
export type ClearanceRow = typeof amlClearances.$inferSelect & { sourceId: string };

/** The encrypted part of a clearance. */
export interface ClearanceNote {
  reason: string;
  clearedBy: string;
  /** Who recorded it, with their name as it was then. Missing in rows of earlier releases. */
  createdBy?: CreatedBy;
}

/** `lapsed`: the clearance has expired, or the entry has changed since. */
export function showClearance(
  row: ClearanceRow,
  { reason, clearedBy, createdBy = null }: ClearanceNote,
  lapsed: boolean,
): z.infer<typeof clearanceAnswer> {
  return {
    id: showId('clr', row.id),
    object: 'aml_clearance',
    list: row.list,
    source_id: row.sourceId,
    reason,
    cleared_by: clearedBy,
    created_by: createdBy,
    created_at: showInstant(row.createdAt),
    expires_at: showInstantOrNull(row.expiresAt),
    lapsed,
  };
}

export const clearanceAnswer = z.object({
  id: text.describe('clr_…'),
  object: z.literal('aml_clearance'),
  list: text,
  source_id: text.describe("The publisher's id of the entry"),
  reason: text,
  cleared_by: text.describe('Who decided: the name of the person who recorded it, or what the key said'),
  created_by: creator('As it was then; null: none')
    .nullable()
    .describe('Who recorded it; null: not known, as an earlier release stored it'),
  created_at: instant,
  expires_at: instantOrNull,
  lapsed: z.boolean().describe('Expired, or the entry was changed or removed: the hit counts again'),
});
