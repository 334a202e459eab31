/** Withdraws the subject's consent: nothing is looked up under its reference from then on. Also reports look-ups by purpose. */
import type { z } from 'zod';
import type { NameSource } from '../access/submitters.ts';
import { type lookupsAnswer, lookupsQuery, withdrawBody, type withdrawnAnswer } from '../contract/consents.ts';
import { pageQuery } from '../contract/queries.ts';
import { countNaming } from '../lifecycle/naming-consent.ts';
import { countPurposes, type PurposeCount } from '../lifecycle/purposes.ts';
import { readWithdrawals, type WithdrawalRow, withdrawConsent } from '../lifecycle/withdrawals.ts';
import { csvLine } from '../rows/csv.ts';
import { authorOf } from './audited.ts';
import { csvFile } from './csv.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { showWithdrawals } from './kept-items.ts';
import { answer, answerOrCsv } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';

const WITHDRAWALS = '/api/v1/consents/withdrawals';
const common = { tag: 'privacy', who: 'app', scope: 'privacy' } as const;

export const consentRoutes = [
  route({
    ...common,
    method: 'post',
    path: WITHDRAWALS,
    id: 'withdrawConsent',
    audit: { change: 'consent.withdraw' },
    summary: 'Withdraw a consent: monitors under it end, and nothing is looked up under its reference any more',
    description:
      'Calls, jobs and uploads that name the reference are refused with `consent_withdrawn`; jobs and rows that wait fail with it, free of charge. What was found before stays: erase the person if it must go. It cannot be undone: a new consent has a new reference. References are compared exactly, capital letters included: `naming.count` tells whether anything has this one.',
    body: { schema: withdrawBody, example: { reference: 'C-17' } },
    answers: { 200: answer('The withdrawal', refTo('ConsentWithdrawn')) },
    async handle(c, { service, body: { reference } }) {
      const { count, isComplete } = await countNaming(service, callerOf(c), reference);
      const shown = async (source: NameSource, row: WithdrawalRow, monitors: number): Promise<z.infer<typeof withdrawnAnswer>> => ({
        ...(await showAll(c, source, [row]))[0]!,
        monitors_ended: monitors,
        naming: { count, complete: isComplete },
      });
      const { row, monitors } = await withdrawConsent(service, callerOf(c), reference, authorOf(c), async (tx, row, monitors) =>
        keepAnswer(c, tx, envelope(c, await shown({ sql: tx, cipher: service.cipher }, row, monitors))),
      );
      return envelope(c, await shown(service, row, monitors));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: WITHDRAWALS,
    id: 'listWithdrawals',
    audit: { none: 'shows nobody' },
    summary: 'Withdrawals of consents, newest first; their references are kept as keyed hashes only',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('ConsentWithdrawal'))) },
    async handle(c, { service, query: { limit, cursor } }) {
      const rows = await readWithdrawals(service, callerOf(c), { before: idCursor('wdr', cursor), limit: limit + 1 });
      return envelope(c, pageById(await showAll(c, service, rows), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/consents/lookups',
    id: 'readLookupsByPurpose',
    audit: { none: 'shows nobody: purposes and numbers' },
    summary: 'How much was looked up for which purpose and on which basis, by check',
    description: 'Of what is still kept, by the day on which the work was submitted. Rows count under the consent of their batch.',
    query: lookupsQuery,
    answers: { 200: answerOrCsv('The report', refTo('LookupsByPurpose')) },
    async handle(c, { service, sendFile, query: { format, from, to, purpose, basis, check } }) {
      const counted = await countPurposes(service, { ...callerOf(c), from, to });
      const rows = counted
        .filter(
          (one) =>
            (purpose === undefined || (one.purpose ?? '') === purpose) &&
            (basis === undefined || one.basis === basis) &&
            (check === undefined || one.checkId === check),
        )
        .map(showCount);
      if (format === 'csv') return csvFile(c, sendFile, `lookups-${from}-${to}.csv`, lookupLines(rows));
      return envelope<z.infer<typeof lookupsAnswer>>(c, { object: 'lookups_by_purpose', live: callerOf(c).live, from, to, data: rows });
    },
  }),
];

const showCount = ({ purpose, basis, checkId, found, notFound }: PurposeCount) => ({
  purpose,
  basis,
  check: checkId,
  lookups: found + notFound,
  found,
  not_found: notFound,
});

function* lookupLines(rows: ReturnType<typeof showCount>[]): Generator<string> {
  const columns = ['purpose', 'basis', 'check', 'lookups', 'found', 'not_found'] as const;
  yield csvLine(columns);
  yield rows.map((row) => csvLine(columns.map((column) => row[column] ?? ''))).join('');
}

const showAll = (c: Http, source: NameSource, rows: readonly WithdrawalRow[]) => showWithdrawals(source, callerOf(c), rows);
