/** The shapes of clearances and monitors: bodies, pages, and how their rows are answered. */
import { z } from 'zod';
import { showId } from '../foundation/ids.ts';
import type { amlClearances, amlMonitors } from '../schema/aml.ts';
import type { clearanceAnswer, monitorAnswer } from './subjects.ts';
import { cleanText, instant, instantOrNull } from './work-requests.ts';

/** What a screening takes of a person; checked by the screening's own schema where it is used. */
const sent = z.string('must be a string').max(1000, 'must be at most 1000 characters').optional();
const person = { name: sent, date_of_birth: sent, country: sent, gender: sent };
export const personMembers = Object.keys(person) as (keyof typeof person)[];

const written = (max: number) => cleanText(max).refine((text) => text.trim() !== '', 'must not be blank');
const listing = { list: cleanText(100), source_id: cleanText(300) };

export const clearanceBody = z
  .strictObject({
    ...person,
    job: z.string('must be a string').optional().describe('job_…, instead of the person: whoever it screened'),
    ...listing,
    reason: written(1000).describe('Why it is somebody else; kept encrypted'),
    cleared_by: written(200).describe('Who decided; kept encrypted'),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be an ISO time with an offset' })
      .refine((time) => Date.parse(time) > Date.now(), 'must be in the future')
      .nullable()
      .default(null),
  })
  .superRefine((body, context) => {
    const named = personMembers.filter((member) => body[member] !== undefined);
    if (body.job !== undefined && named.length > 0)
      context.addIssue({ code: 'custom', path: [named[0]!], message: 'cannot be sent together with job' });
    if (body.job === undefined && named.length === 0)
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required where no job is named' });
  });
export type ClearanceBody = z.infer<typeof clearanceBody>;

const PAGE_MAX = 100;
const limit = z.coerce.number(`must be 1 to ${PAGE_MAX}`).int().min(1).max(PAGE_MAX).default(50);
const page = { limit, cursor: z.string().optional() };
export const clearancePage = z.object({ ...page, list: listing.list.optional(), source_id: listing.source_id.optional() });
export const monitorPage = z.object({ ...page, job: z.string().optional().describe('job_…: the monitor of whoever it screened') });

export type ClearanceRow = typeof amlClearances.$inferSelect;
export type MonitorRow = typeof amlMonitors.$inferSelect & { hits: number };

/** What a clearance keeps encrypted. */
export interface ClearanceNote {
  reason: string;
  clearedBy: string;
}

/** `lapsed`: it has expired, or the entry is not any more what was cleared. */
export function showClearance(row: ClearanceRow, { reason, clearedBy }: ClearanceNote, lapsed: boolean): z.infer<typeof clearanceAnswer> {
  return {
    id: showId('clr', row.id),
    object: 'aml_clearance',
    list: row.list,
    source_id: row.sourceId,
    reason,
    cleared_by: clearedBy,
    created_at: instant(row.createdAt),
    expires_at: instantOrNull(row.expiresAt),
    lapsed,
  };
}

/** `input`: what was sent of the person; null once the monitor has ended. */
export function showMonitor(row: MonitorRow, input: Record<string, string | undefined> | null): z.infer<typeof monitorAnswer> {
  return {
    id: showId('mon', row.id),
    object: 'aml_monitor',
    name: input?.name ?? null,
    date_of_birth: input?.date_of_birth ?? null,
    country: input?.country ?? null,
    job: showId('job', row.jobId),
    created_at: instant(row.createdAt),
    screened_at: instantOrNull(row.screenedAt),
    ended_at: instantOrNull(row.endedAt),
    hits: row.hits,
  };
}
