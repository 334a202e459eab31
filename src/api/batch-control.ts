/** Steers batches: start, pause, resume, cancel, retry. */
import { cancelBatch, pauseBatch, resumeBatch, retryBatch, startBatch } from '../batches/control.ts';
import { authorOf } from './audited.ts';
import { findBatch } from './find.ts';
import { envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { route } from './route.ts';
import { showWithErrors } from './show-batch.ts';

const verbs = [
  ['start', startBatch, 'Start a batch that is waiting to be started'],
  ['pause', pauseBatch, 'Pause a batch'],
  ['resume', resumeBatch, 'Resume a paused batch'],
  ['cancel', cancelBatch, 'Cancel a batch; jobs that have not begun are not charged'],
  ['retry', retryBatch, 'Retry the failed jobs of a batch'],
] as const;

export const controlRoutes = verbs.map(([verb, act, summary]) =>
  route({
    method: 'post',
    path: `/api/v1/batches/:id/${verb}`,
    id: `${verb}Batch`,
    audit: { change: 'batch.control' },
    tag: 'batches',
    summary,
    who: 'app',
    scope: 'batches:write',
    find: findBatch,
    answers: { 200: answer('The batch as it is now', refTo('BatchWithErrors')) },
    errors: ['conflict', 'insufficient_funds', 'spending_cap_exceeded', 'provider_not_configured'],
    async handle(c, { service, found: { appId, id } }) {
      return envelope(c, await showWithErrors(service, (await act(service, appId, id, authorOf(c)))!));
    },
  }),
);
