/** AML monitors: page and answer. */
import { z } from 'zod';
import { screeningHit } from '../checks/screening.ts';
import { showId } from '../foundation/ids.ts';
import type { amlMonitors } from '../schema/aml.ts';
import { page } from './clearances.ts';
import { count, instant, instantOrNull, showInstant, showInstantOrNull, text } from './fields.ts';
import { yesOrNo } from './queries.ts';

export const monitorPage = z.object({
  ...page,
  job: z.string().optional().describe('job_…: the monitor of the person that this job screened'),
  active: yesOrNo.describe('`true`: only those that still run; `false`: only those that have ended'),
  with_hits: yesOrNo.describe('`true`: only those that have found new hits since they began; `false`: only the others'),
});

export type MonitorRow = typeof amlMonitors.$inferSelect & { hits: number };

/** `input`: the submitted details of the person; null once the monitor has ended. */
export function showMonitor(row: MonitorRow, input: Record<string, string | undefined> | null): z.infer<typeof monitorAnswer> {
  return {
    id: showId('mon', row.id),
    object: 'aml_monitor',
    name: input?.name ?? null,
    date_of_birth: input?.date_of_birth ?? null,
    country: input?.country ?? null,
    job: showId('job', row.jobId),
    created_at: showInstant(row.createdAt),
    screened_at: showInstantOrNull(row.screenedAt),
    ended_at: showInstantOrNull(row.endedAt),
    hits: row.hits,
  };
}

export const monitorAnswer = z.object({
  id: text.describe('mon_…'),
  object: z.literal('aml_monitor'),
  name: text.nullable().describe('null once the monitor has ended'),
  date_of_birth: text.nullable(),
  country: text.nullable(),
  job: text.describe('The screening that started the monitor'),
  created_at: instant,
  screened_at: instantOrNull.describe('When the person was last screened because a list changed'),
  ended_at: instantOrNull,
  hits: count.describe('New hits since the monitor started'),
  masked: z
    .literal(true)
    .optional()
    .describe('For people only: the app demands a reason or an approval, and they have not revealed the job'),
});

export const monitorWithMatches = monitorAnswer.extend({
  matches: z.array(screeningHit.extend({ at: instant })).describe('The hits, newest first, at most 100'),
});
