/** Batches: upload, preview and quote. `batch-progress.ts` reads them, `batch-control.ts` steers them, `results.ts` has what they found. */
import { readSubmitters } from '../access/submitters.ts';
import { previewUpload } from '../batches/preview.ts';
import { type Submitted, submitBatch } from '../batches/submit.ts';
import { showBatch } from '../contract/batches.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { quoteBatch } from '../pipeline/quote.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer, location } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { uploadBody, uploadOptions } from './openapi/uploads.ts';
import { route } from './route.ts';

const upload = {
  tag: 'batches',
  who: 'app',
  scope: 'batches:write',
  method: 'post',
  isBulk: true,
  description: 'Columns whose names differ from the inputs are mapped with `map.<input>=<column>`.',
  parameters: uploadOptions,
  ownBody: uploadBody,
} as const;

export const uploadRoutes = [
  route({
    ...upload,
    path: '/api/v1/batches',
    id: 'submitBatch',
    audit: { change: 'batch.submit' },
    summary: 'Upload rows to be checked',
    answers: { 202: answer('Accepted', refTo('BatchWithErrors'), location) },
    errors: ['invalid_upload', 'insufficient_funds', 'spending_cap_exceeded', 'storage_quota_exceeded', 'provider_not_configured'],
    async handle(c, { service, uploads }) {
      const accepted = async ({ batch, errors, unusedFiles, reading }: Submitted, sql: Sql | Tx) => {
        const submitterOf = await readSubmitters({ sql, cipher: service.cipher }, callerOf(c), [batch]);
        const entity = { ...showBatch(batch), created_by: submitterOf(batch), ...reading };
        return envelope(c, { ...entity, ...(unusedFiles !== null && { unused_files: unusedFiles }), errors }, 202, {
          Location: `/api/v1/batches/${showId('bat', batch.id)}`,
          'Retry-After': '1',
        });
      };
      const keep = async (tx: Tx, submitted: Submitted) => keepAnswer(c, tx, await accepted(submitted, tx));
      const submitted = await uploads.receiveUpload(c, (rows) => submitBatch(service, callerOf(c), rows, authorOf(c), keep));
      return accepted(submitted, service.sql);
    },
  }),
  route({
    ...upload,
    path: '/api/v1/batches/quote',
    id: 'quoteBatch',
    audit: { none: 'keeps nothing and shows nobody' },
    summary: 'What an upload would cost; nothing is stored',
    answers: { 200: answer('The quote', refTo('Quote')) },
    errors: ['invalid_upload', 'provider_not_configured', 'overloaded'],
    handle: async (c, { service, uploads }) =>
      envelope(c, await uploads.receiveUpload(c, (rows) => quoteBatch(service, callerOf(c), rows))),
  }),
  route({
    ...upload,
    path: '/api/v1/batches/preview',
    id: 'previewBatch',
    audit: { none: 'keeps nothing, and shows only what it was sent' },
    summary: 'What a file holds, and a proposed mapping; nothing is stored',
    description:
      'Takes what a submission takes; `checks` may be left out. Only the first 256 KiB of CSV, NDJSON and JSON are read, so you need not send more; a workbook or an archive must be whole.',
    answers: { 200: answer('The preview', refTo('Preview')) },
    errors: ['invalid_upload', 'overloaded'],
    handle: async (c, { service, uploads }) =>
      envelope(c, await uploads.receivePreview(c, (rows) => previewUpload(service, callerOf(c), rows))),
  }),
];
