/** Query parameters that several lists share: pages, waits, periods. */
import { z } from 'zod';

/** Most batches or jobs on a page. */
export const PAGE_MAX = 1000;

export const PAGE_DEFAULT = 100;

/** Longest time that a request may wait, in seconds. Proxies commonly cut off a response that takes longer. */
export const WAIT_SECONDS_MAX = 60;

export const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be a date or an ISO time with an offset')
  .transform((text) => new Date(text).toISOString());

export const page = {
  limit: z.coerce
    .number('must be 1 to 1000')
    .int('must be 1 to 1000')
    .min(1, 'must be 1 to 1000')
    .max(1000, 'must be 1 to 1000')
    .default(100),
  cursor: z.string().optional(),
};

export const pageQuery = z.object(page);

const DAY_MS = 86_400_000;

const DAYS_MAX = 366;

const DAYS_DEFAULT = 30;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const day = z.iso.date('must be a day: YYYY-MM-DD');

interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

/** Defaults to the last days up to today. */
export function wholePeriod<Query extends Days>({ from, to, ...rest }: Query) {
  const last = to ?? dayOf(from === undefined ? Date.now() : Math.max(Date.now(), Date.parse(from)));
  return { ...rest, to: last, from: from ?? dayOf(Date.parse(last) - (DAYS_DEFAULT - 1) * DAY_MS) };
}

export function refusePeriod({ from, to }: Required<Days>, context: z.RefinementCtx): void {
  if (from! > to!) context.addIssue({ code: 'custom', path: ['to'], message: 'must not be before from' });
  else if ((Date.parse(to!) - Date.parse(from!)) / DAY_MS >= DAYS_MAX)
    context.addIssue({ code: 'custom', path: ['from'], message: `must not be more than ${DAYS_MAX} days before to` });
}

export const days = { from: day.optional(), to: day.optional() };

export const periodQuery = z.object(days).transform(wholePeriod).superRefine(refusePeriod);
