/** Steers batches: start, pause, resume, cancel, retry. */
import { refuseCheck } from '../access/restrictions.ts';
import { startNeedsApproval } from '../batches/approval.ts';
import { askToStart, cancelBatch, pauseBatch, resumeBatch, retryBatch, startBatch } from '../batches/control.ts';
import type { BatchRow } from '../contract/batches.ts';
import { waiting, waitsForApproval } from './asking.ts';
import { authorOf } from './audited.ts';
import { findBatch } from './find.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { route } from './route.ts';
import { showWithErrors } from './show-batch.ts';
import type { Tools } from './tools.ts';

const verbs = [
  { verb: 'pause', find: findBatch, act: pauseBatch, summary: 'Pause a batch' },
  { verb: 'resume', find: findRunnable, act: resumeBatch, summary: 'Resume a paused batch' },
  { verb: 'cancel', find: findBatch, act: cancelBatch, summary: 'Cancel a batch; jobs that have not begun are not charged' },
  { verb: 'retry', find: findRunnable, act: retryBatch, summary: 'Retry the failed jobs of a batch' },
] as const;

/** The batch, whose checks the key must be allowed to run, whoever submitted it. */
async function findRunnable(c: Http, tools: Tools): Promise<BatchRow> {
  const batch = await findBatch(c, tools);
  for (const check of batch.checks) refuseCheck(callerOf(c).terms, check);
  return batch;
}

const common = {
  method: 'post',
  audit: { change: 'batch.control' },
  tag: 'batches',
  who: 'app',
  scope: 'batches:write',
  errors: ['conflict', 'insufficient_funds', 'spending_cap_exceeded', 'provider_not_configured'],
} as const;

const batch = answer('The batch as it is now', refTo('BatchWithErrors'));

const start = route({
  ...common,
  path: '/api/v1/batches/:id/start',
  id: 'startBatch',
  summary: 'Start a batch that is waiting to be started',
  find: findRunnable,
  answers: { 200: batch, 202: waitsForApproval },
  async handle(c, { service, found: { appId, id, quoteKobo } }) {
    if (!startNeedsApproval(callerOf(c), quoteKobo))
      return envelope(c, await showWithErrors(c, service, (await startBatch(service, appId, id, authorOf(c)))!));
    const approval = await askToStart(service, appId, id, authorOf(c), (tx, asked) => keepAnswer(c, tx, waiting(c, asked)));
    return waiting(c, approval!);
  },
});

export const controlRoutes = [
  start,
  ...verbs.map(({ verb, find, act, summary }) =>
    route({
      ...common,
      path: `/api/v1/batches/:id/${verb}`,
      id: `${verb}Batch`,
      summary,
      find,
      answers: { 200: batch },
      async handle(c, { service, found: { appId, id } }) {
        return envelope(c, await showWithErrors(c, service, (await act(service, appId, id, authorOf(c)))!));
      },
    }),
  ),
];
