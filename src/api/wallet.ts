/** The wallet that the key draws on: play money for a test key, real money for a live one. Balance, entries and monthly statements. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { naira } from '../contract/fields.ts';
import type { statementAnswer, walletAnswer } from '../contract/money.ts';
import { entriesQuery, statementQuery } from '../contract/money.ts';
import { ApiError } from '../foundation/errors.ts';
import { readEntries, streamEntries } from '../money/entries.ts';
import { readWallet } from '../money/ledger.ts';
import { readStatement, type Statement } from '../money/statement.ts';
import type { Service } from '../pipeline/service.ts';
import { csvLine } from '../rows/csv.ts';
import type { Authentication } from './authenticate.ts';
import { csvFile } from './csv.ts';
import { callerOf, checked, envelope, type Variables } from './http.ts';

const badMonth = () =>
  new ApiError('invalid_request', 'The month must be YYYY-MM and not in the future', {
    details: [{ path: 'month', message: 'must be YYYY-MM and not in the future', rule: 'month' }],
  });

export function walletRoutes(service: Service, authentication: Authentication) {
  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/wallet', authentication.app, async (c) => {
      const wallet = await readWallet(service.sql, callerOf(c));
      return envelope<z.infer<typeof walletAnswer>>(c, {
        currency: 'NGX',
        available: naira(wallet.availableKobo),
        held: naira(wallet.heldKobo),
      });
    })
    .get('/api/v1/wallet/entries', authentication.app, async (c) => {
      const { format, limit, cursor, kind, since, until } = checked(entriesQuery, c.req.query());
      const filter = { kind: kind ?? null, since: since ?? null, until: until ?? null };
      if (format === 'csv') return csvFile('entries.csv', streamEntries(service, callerOf(c), filter), c);
      const page = await readEntries(service, callerOf(c), filter, { limit, cursor: cursor ?? null });
      if (!page)
        throw new ApiError('invalid_request', 'The cursor did not come from this API', {
          details: [{ path: 'cursor', message: 'is malformed', rule: 'cursor' }],
        });
      return envelope(c, { object: 'list', data: page.entries, has_more: page.nextCursor !== null, next_cursor: page.nextCursor });
    })
    .get('/api/v1/wallet/statements/:month', authentication.app, async (c) => {
      const { format } = checked(statementQuery, c.req.query());
      const month = c.req.param('month');
      if (!/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(month)) throw badMonth();
      const caller = callerOf(c);
      const statement = await readStatement(service, caller, month);
      if (!statement) throw badMonth();
      if (format === 'csv') return csvFile(`statement-${month}.csv`, statementLines(statement), c);
      return envelope<z.infer<typeof statementAnswer>>(c, {
        object: 'statement',
        month,
        currency: 'NGX',
        live: caller.live,
        ...showStatement(statement),
      });
    });
}

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
