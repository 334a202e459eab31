/** What the key's app used, by check and day. */
import { Hono } from 'hono';
import { z } from 'zod';
import { naira } from '../contract.ts';
import { csvLine } from '../rows/csv.ts';
import type { Service } from '../service.ts';
import { readUsage, type UsageRow } from '../usage.ts';
import type { Authentication } from './authenticate.ts';
import { csvFile } from './csv.ts';
import { callerOf, checked, envelope, type Variables } from './http.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const day = z.iso.date('must be a day: YYYY-MM-DD');

const usageQuery = z
  .object({
    format: z.enum(['json', 'csv']).default('json'),
    from: day.optional(),
    to: day.optional(),
    group: z
      .string()
      .default('check,day')
      .transform((text) => text.split(',').map((name) => name.trim()))
      .pipe(z.array(z.enum(['check', 'day'], 'must be check, day or both')).max(2)),
  })
  .transform(({ from, to, ...rest }) => {
    const last = to ?? dayOf(from === undefined ? Date.now() : Math.max(Date.now(), Date.parse(from)));
    return { ...rest, to: last, from: from ?? dayOf(Date.parse(last) - (DAYS_DEFAULT - 1) * DAY_MS) };
  })
  .refine(({ from, to }) => from <= to, { path: ['to'], error: 'must not be before from' })
  .refine(({ from, to }) => (Date.parse(to) - Date.parse(from)) / DAY_MS < DAYS_MAX, {
    path: ['from'],
    error: `must not be more than ${DAYS_MAX} days before to`,
  });

export function usageRoutes(service: Service, authentication: Authentication) {
  return new Hono<{ Variables: Variables }>().get('/api/v1/usage', authentication.app, async (c) => {
    const { format, from, to, group } = checked(usageQuery, c.req.query());
    const [byDay, byCheck] = [group.includes('day'), group.includes('check')];
    const rows = (await readUsage(service.sql, callerOf(c), { from, to, byDay, byCheck })).map((row) => showUsage(row, byDay, byCheck));
    if (format === 'csv') return csvFile(`usage-${from}-${to}.csv`, usageLines(rows, byDay, byCheck), c);
    return envelope(c, { object: 'usage', from, to, currency: 'NGX', live: callerOf(c).live, data: rows });
  });
}

function showUsage(row: UsageRow, byDay: boolean, byCheck: boolean) {
  return {
    ...(byDay && { day: row.day! }),
    ...(byCheck && { check: row.checkId! }),
    calls: row.calls,
    jobs: row.jobs,
    found: row.found,
    not_found: row.notFound,
    failed: row.failed,
    cached: row.cached,
    charged: row.charged,
    billed_amount: naira(row.billedKobo),
  };
}

function* usageLines(rows: ReturnType<typeof showUsage>[], byDay: boolean, byCheck: boolean): Generator<string> {
  const counts = ['calls', 'jobs', 'found', 'not_found', 'failed', 'cached', 'charged', 'billed_amount'] as const;
  const columns = [...(byDay ? (['day'] as const) : []), ...(byCheck ? (['check'] as const) : []), ...counts];
  yield csvLine(columns);
  yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
}
