/** Deletes batches and single jobs, and puts batches under a legal hold. */
import { showBatch } from '../contract/batches.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { deleteBatch, deleteJob, liftLegalHold, placeLegalHold } from '../lifecycle/deletions.ts';
import { authorOf } from './audited.ts';
import { findBatch } from './find.ts';
import { callerOf, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { objectOf, refTo } from './openapi/schema.ts';
import { route } from './route.ts';

const common = { who: 'app', scope: 'privacy', errors: ['conflict'] } as const;
const ofBatch = { ...common, tag: 'batches', find: findBatch } as const;

export const deletionRoutes = [
  route({
    ...ofBatch,
    method: 'delete',
    path: '/api/v1/batches/:id',
    id: 'deleteBatch',
    audit: { change: 'batch.delete' },
    summary: 'Delete a batch that has ended: its rows, results, pictures, messages and links',
    description:
      'Its data is unreadable at once and deleted soon after; then the status is `deleted`. Ledger, audit, usage and the batch’s counts stay.',
    answers: { 200: answer('It is deleted', refTo('Batch')), 202: answer('It is being deleted', refTo('Batch')) },
    async handle(c, { service, found }) {
      const batch = (await deleteBatch(service, found, authorOf(c)))!;
      return envelope(c, showBatch(batch), batch.status === 'deleted' ? 200 : 202);
    },
  }),
  route({
    ...ofBatch,
    method: 'put',
    path: '/api/v1/batches/:id/legal-hold',
    id: 'holdBatch',
    audit: { change: 'batch.hold' },
    summary: 'Put a batch under a legal hold: none of it can be deleted until the hold is lifted',
    answers: { 200: answer('The batch', refTo('Batch')) },
    handle: async (c, { service, found }) => envelope(c, showBatch((await placeLegalHold(service, found, authorOf(c)))!)),
  }),
  route({
    ...ofBatch,
    method: 'delete',
    path: '/api/v1/batches/:id/legal-hold',
    id: 'releaseBatch',
    audit: { change: 'batch.release' },
    summary: 'Lift the legal hold of a batch',
    answers: { 200: answer('The batch', refTo('Batch')) },
    handle: async (c, { service, found }) => envelope(c, showBatch((await liftLegalHold(service, found, authorOf(c)))!)),
  }),
  route({
    ...common,
    tag: 'jobs',
    method: 'delete',
    path: '/api/v1/jobs/:id',
    id: 'deleteJob',
    audit: { change: 'job.delete' },
    summary: 'Delete a single job that has ended: its input, result, pictures and messages',
    description: 'A row of a batch is deleted with its batch.',
    answers: {
      200: answer('Deleted', objectOf({ id: { type: 'string' }, object: { const: 'job' }, deleted: { const: true } })),
    },
    async handle(c, { service, params }) {
      const id = parseId('job', params.id);
      const { appId, live } = callerOf(c);
      if (id === null || !(await deleteJob(service, { id, appId, live }, authorOf(c))))
        throw new ApiError('resource_not_found', 'There is no such job');
      return envelope(c, { id: params.id, object: 'job', deleted: true });
    },
  }),
];
