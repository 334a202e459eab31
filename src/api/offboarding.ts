/** The end of an app, by the operator: its data as a file, its deletion, and the certificate of deletion. `admin.ts` suspends it first. */
import type { z } from 'zod';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { type appDeletionAnswer, appDeletionBody, appExportQuery } from '../contract/apps.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { receiptBody } from '../contract/subjects.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { deleteApp, deletionToApprove, readDeletion } from '../lifecycle/app-deletion.ts';
import type { AppDeletionRow } from '../lifecycle/purge-app.ts';
import { TABLES_OF_RECEIPTS } from '../lifecycle/receipts.ts';
import { appFile } from './app-file.ts';
import { askAdministrator } from './asking.ts';
import { aboutRead, authorOf } from './audited.ts';
import { envelope } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer, file } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { checkingReceipts } from './receipts.ts';
import { route } from './route.ts';

const APP = '/api/v1/admin/apps/:id';

const common = { tag: 'operator', who: 'admin' } as const;
const deletion = answer('The deletion as it is now', refTo('AppDeletion'));

const deletionOrApproval = answer(
  'The deletion as it is now; with `CONFAM_APPROVALS=app_deletion` the approval that a second administrator must give first: nothing is deleted yet',
  { oneOf: [refTo('AppDeletion'), refTo('Approval')] },
);

const noApp = () => new ApiError('resource_not_found', 'There is no such app');

export const offboardingRoutes = [
  route({
    ...common,
    method: 'get',
    path: `${APP}/export`,
    id: 'exportApp',
    audit: { read: 'app.export' },
    summary: 'Everything that a suspended app holds, in clear, as JSON Lines',
    description:
      'People, keys without their secrets, wallets with their entries, jobs, calls and batches with inputs, results and pictures, monitors, clearances, reviews, receipts of erasures. The last line has `"object":"end"`: a file without it is not whole.',
    query: appExportQuery,
    answers: { 200: file('The file', 'application/x-ndjson') },
    errors: ['conflict', 'overloaded'],
    async handle(c, { service, sendFile, params, query: { purpose } }) {
      const appId = parseId('app', params.id);
      const content = appId && (await appFile(service, appId));
      if (!content) throw noApp();
      aboutRead(c, { appId, live: null, object: params.id, ...(purpose && { purpose }) });
      return sendFile(c, DEPLOYMENT, content, {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': `attachment; filename="${params.id}.jsonl"`,
      });
    },
  }),
  route({
    ...common,
    method: 'post',
    path: `${APP}/deletion`,
    id: 'deleteApp',
    audit: { change: 'app.delete' },
    summary: 'Delete a suspended app with all its data; cannot be undone',
    description:
      'In the transaction that answers, its data keys are destroyed, its API keys and links revoked and its people removed: nothing can be read any more. Its rows are deleted afterwards. 409 names everything that is in the way: it is not suspended, work has not ended, a legal hold, money in the live wallet. Where the deployment demands a second administrator, it asks for the approval instead, and work is canceled once that is given.',
    body: { schema: appDeletionBody, example: { balance: 'refunded' }, isOptional: true },
    answers: { 202: deletionOrApproval },
    errors: ['conflict'],
    async handle(c, { service, forgetKeys, params, body: { balance = null, cancel_work: cancelWork } }) {
      const id = parseId('app', params.id);
      if (!id) throw noApp();
      const terms = { balance, cancelWork };
      if (service.config.CONFAM_APPROVALS.includes('app_deletion') && !(await readDeletion(service, id))) {
        const asked = await deletionToApprove(service, id, terms);
        if (!asked) throw noApp();
        return askAdministrator(c, service, asked);
      }
      const row = await deleteApp(service, id, terms, authorOf(c), (tx, made) => keepAnswer(c, tx, envelope(c, show(made), 202)));
      forgetKeys();
      if (!row) throw noApp();
      return envelope(c, show(row), 202);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${APP}/deletion`,
    id: 'readAppDeletion',
    audit: { none: 'shows nobody' },
    summary: 'The progress of an app’s deletion, and its signed certificate',
    answers: { 200: deletion },
    async handle(c, { service, params }) {
      const id = parseId('app', params.id);
      const row = id && (await readDeletion(service, id));
      if (!row) throw new ApiError('resource_not_found', 'There is no such app, or nobody has deleted it');
      return envelope(c, show(row));
    },
  }),
  route({
    ...common,
    ...checkingReceipts(...TABLES_OF_RECEIPTS),
    path: '/api/v1/admin/receipts',
    id: 'checkAppCertificate',
    summary: 'Whether this deployment has signed exactly this certificate, or receipt of an erasure',
    body: { schema: receiptBody, example: { receipt: '{"object":"deletion_certificate"}', signature: 'c2lnbmF0dXJl' } },
  }),
];

const show = (row: AppDeletionRow): z.infer<typeof appDeletionAnswer> => ({
  object: 'app_deletion',
  app: showId('app', row.appId),
  status: row.finishedAt === null ? 'running' : 'done',
  stage: row.stage,
  counts: row.counts,
  asked_at: showInstant(row.askedAt),
  finished_at: showInstantOrNull(row.finishedAt),
  certificate: row.certificate,
  signature: row.signature,
});
