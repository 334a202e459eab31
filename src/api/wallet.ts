/** The wallet that the key draws on: play money for a test key, real money for a live one. Balance, entries and monthly statements. */
import type { z } from 'zod';
import { naira } from '../contract/fields.ts';
import type { limitsAnswer, statementAnswer, walletAnswer } from '../contract/money.ts';
import { entriesQuery, statementQuery } from '../contract/money.ts';
import { ApiError } from '../foundation/errors.ts';
import { readBatchCharges, streamBatchCharges } from '../money/batch-charges.ts';
import { readEntries, streamEntries } from '../money/entries.ts';
import { readWallet } from '../money/ledger.ts';
import { readStatement, type Statement } from '../money/statement.ts';
import { csvLine } from '../rows/csv.ts';
import { csvFile } from './csv.ts';
import { callerOf, envelope } from './http.ts';
import { answer, answerOrCsv, type Parameter } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';

const badMonth = () =>
  new ApiError('invalid_request', 'The month must be YYYY-MM and not in the future', {
    details: [{ path: 'month', message: 'must be YYYY-MM and not in the future', rule: 'month' }],
  });

const MONTH: Parameter = {
  name: 'month',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'YYYY-MM, UTC',
  example: '2026-11',
};

const common = { tag: 'money', who: 'app', scope: 'wallet:read' } as const;

export const walletRoutes = [
  route({
    ...common,
    method: 'get',
    path: '/api/v1/wallet',
    id: 'readWallet',
    audit: { none: 'shows nobody' },
    summary: 'The balance of the key’s wallet',
    answers: { 200: answer('The wallet', refTo('Wallet')) },
    async handle(c, { service }) {
      const wallet = await readWallet(service.sql, callerOf(c));
      return envelope<z.infer<typeof walletAnswer>>(c, {
        currency: 'NGX',
        available: naira(wallet.availableKobo),
        held: naira(wallet.heldKobo),
      });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/wallet/limits',
    id: 'readLimits',
    audit: { none: 'shows nobody' },
    summary: 'The caps and the alarm that the operator has set for the app',
    answers: { 200: answer('The limits', refTo('Limits')) },
    handle(c) {
      const { lowBalance = null, dailyCap = null, batchCap = null } = callerOf(c).settings;
      return envelope<z.infer<typeof limitsAnswer>>(c, {
        object: 'limits',
        currency: 'NGX',
        low_balance: lowBalance,
        daily_cap: dailyCap,
        batch_cap: batchCap,
      });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/wallet/entries',
    id: 'listEntries',
    audit: { none: 'shows nobody' },
    summary: 'Entries of the ledger, newest first, or the charges of batches',
    query: entriesQuery,
    answers: {
      200: answerOrCsv('A page; as CSV, all entries', pageOf({ anyOf: [refTo('Entry'), refTo('BatchCharge')] })),
    },
    async handle(c, { service, sendFile, query }) {
      const { format, limit, cursor, by, kind, since, until } = query;
      if (by === 'batch') {
        const period = { since, until };
        if (format === 'csv') return csvFile(c, sendFile, 'charges.csv', streamBatchCharges(service, callerOf(c), period));
        const found = await readBatchCharges(service, callerOf(c), period, { limit, cursor: cursor ?? null });
        if (!found) throw refusedCursor();
        return envelope(c, page(found.charges, found.nextCursor));
      }
      const filter = { kind: kind ?? null, since, until };
      if (format === 'csv') return csvFile(c, sendFile, 'entries.csv', streamEntries(service, callerOf(c), filter));
      const found = await readEntries(service, callerOf(c), filter, { limit, cursor: cursor ?? null });
      if (!found) throw refusedCursor();
      return envelope(c, page(found.entries, found.nextCursor));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/wallet/statements/:month',
    id: 'readStatement',
    audit: { none: 'shows nobody' },
    summary: 'The statement of a month',
    parameters: [MONTH],
    query: statementQuery,
    answers: { 200: answerOrCsv('The statement', refTo('Statement')) },
    async handle(c, { service, sendFile, params: { month }, query: { format } }) {
      if (!/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(month)) throw badMonth();
      const caller = callerOf(c);
      const statement = await readStatement(service, caller, month);
      if (!statement) throw badMonth();
      if (format === 'csv') return csvFile(c, sendFile, `statement-${month}.csv`, statementLines(statement));
      return envelope<z.infer<typeof statementAnswer>>(c, {
        object: 'statement',
        month,
        currency: 'NGX',
        live: caller.live,
        ...showStatement(statement),
      });
    },
  }),
];

function showStatement({ opening, topUps, holds, releases, charges, byCheck, closing }: Statement) {
  const balance = ({ availableKobo, heldKobo }: Statement['opening']) => ({
    total: naira(availableKobo + heldKobo),
    available: naira(availableKobo),
    held: naira(heldKobo),
  });
  const movement = ({ count, kobo }: { count: number; kobo: number }) => ({ count, amount: naira(kobo) });
  return {
    opening: balance(opening),
    top_ups: movement(topUps),
    holds: movement(holds),
    releases: movement(releases),
    charges: {
      ...movement(charges),
      from_held: naira(charges.kobo - charges.fromAvailableKobo),
      from_available: naira(charges.fromAvailableKobo),
      checks: byCheck.map((charge) => ({ check: charge.checkId, ...movement(charge) })),
    },
    closing: balance(closing),
  };
}

function statementLines(statement: Statement): string[] {
  const { opening, top_ups, holds, releases, charges, closing } = showStatement(statement);
  return [
    csvLine(['item', 'check', 'count', 'amount']),
    csvLine(['opening_total', '', '', opening.total]),
    csvLine(['opening_available', '', '', opening.available]),
    csvLine(['opening_held', '', '', opening.held]),
    csvLine(['top_ups', '', top_ups.count, top_ups.amount]),
    csvLine(['holds', '', holds.count, holds.amount]),
    csvLine(['releases', '', releases.count, releases.amount]),
    ...charges.checks.map(({ check, count, amount }) => csvLine(['charges', check, count, amount])),
    csvLine(['closing_total', '', '', closing.total]),
    csvLine(['closing_available', '', '', closing.available]),
    csvLine(['closing_held', '', '', closing.held]),
  ];
}
