/** Usage of the key's app, by check and day. */
import type { z } from 'zod';
import { readStorage } from '../batches/storage.ts';
import { naira } from '../contract/fields.ts';
import type { usageAnswer } from '../contract/money.ts';
import { usageQuery } from '../contract/money.ts';
import { readUsage, type UsageRow } from '../money/usage.ts';
import { csvLine } from '../rows/csv.ts';
import { csvFile } from './csv.ts';
import { callerOf, envelope } from './http.ts';
import { answerOrCsv } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { route } from './route.ts';

export const usageRoutes = [
  route({
    method: 'get',
    path: '/api/v1/usage',
    id: 'readUsage',
    audit: { none: 'shows nobody' },
    tag: 'money',
    summary: 'What was used, by check and day',
    who: 'app',
    scope: 'wallet:read',
    query: usageQuery,
    answers: { 200: answerOrCsv('The usage', refTo('Usage')) },
    async handle(c, { service, sendFile, query: { format, from, to, group } }) {
      const grouping = { byDay: group.includes('day'), byCheck: group.includes('check') };
      const rows = (await readUsage(service.sql, callerOf(c), { from, to, ...grouping })).map((row) => showUsage(row, grouping));
      if (format === 'csv') return csvFile(c, sendFile, `usage-${from}-${to}.csv`, usageLines(rows, grouping));
      const { used, quota } = await readStorage(service.sql, callerOf(c));
      const storage = { used_bytes: used, quota_bytes: quota };
      return envelope<z.infer<typeof usageAnswer>>(c, {
        object: 'usage',
        from,
        to,
        currency: 'NGX',
        live: callerOf(c).live,
        data: rows,
        storage,
      });
    },
  }),
];

interface Grouping {
  byDay: boolean;
  byCheck: boolean;
}

function showUsage(row: UsageRow, { byDay, byCheck }: Grouping) {
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

function* usageLines(rows: ReturnType<typeof showUsage>[], { byDay, byCheck }: Grouping): Generator<string> {
  const counts = ['calls', 'jobs', 'found', 'not_found', 'failed', 'cached', 'charged', 'billed_amount'] as const;
  const columns = [...(byDay ? (['day'] as const) : []), ...(byCheck ? (['check'] as const) : []), ...counts];
  yield csvLine(columns);
  yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
}
