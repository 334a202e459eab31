/**
 * Accepts batches: validates every row, holds the worst-case price, and commits rows, hold and lanes together. An upload is one transaction, filled while
 * the file is read, by a thread if it is large. It begins once the whole body has arrived, so no lock and no connection waits for a client.
 */

import { refuseDeleted } from '../access/apps.ts';
import { type Author, record } from '../access/audit/append.ts';
import { refuseWithdrawn } from '../access/consents.ts';
import type { Owner } from '../access/owner.ts';
import { referenceIndex, sealAbout } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import { bound, type Tx } from '../foundation/context.ts';
import type { NewBatchKey } from '../foundation/data-keys.ts';
import type { ErrorDetail } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { allReadBlocks, STORED_AS } from '../jobs/release.ts';
import type { Delimiter, TableAbout } from '../rows/row.ts';
import { type Accepted, type Submitting, withId } from './accepting.ts';
import { askForBatch, startNeedsApproval } from './approval.ts';
import { readBatch, WORK_CHANNEL } from './batch.ts';
import { noteStoring } from './being-stored.ts';
import { storeRows } from './copier.ts';
import { endBatches } from './ending.ts';
import { holdToSubmit } from './funding.ts';
import { intake, type Tally } from './intake.ts';
import { RowPacker } from './packer.ts';
import { fingerprintOf, saveMapping } from './saved-mappings.ts';
import { type Checked, checkUpload, deadline, quoteOf, readingOf, refuseInvalid, type Upload, type UploadReading } from './upload.ts';

export interface Submitted {
  batch: BatchRow;
  /** The first refused rows. */
  errors: ErrorDetail[];
  /** Unused files of an archive; null if there is none. */
  unusedFiles: number | null;
  reading: UploadReading;
}

/** Reads the whole upload and commits it; `by` asks for the approval that it may need to start. Throws `ApiError`, `UploadError`, or what the byte stream threw; then nothing is stored. */
export async function submitBatch(
  ctx: Submitting,
  owner: Owner,
  upload: Upload,
  by: Author,
  accepted?: Accepted<Submitted>,
): Promise<Submitted> {
  try {
    const checked = checkUpload(ctx, owner, upload);
    await refuseWithdrawn(ctx, owner, upload.options.consent);
    // An app that is already full is refused before it has sent everything.
    await ctx.storageQuota.refuseBeyond(ctx.sql, owner, 1);
    await upload.whole();
    return await withId(async (id, isLast) => {
      const key = await ctx.cipher.newBatchKey(owner.appId, id);
      return ctx.sql.begin(async (tx) => {
        if (!(await noteStoring(tx, owner, id)) && !isLast) return null;
        const submitted = await storeBatch({ tx, ctx, owner, id, key, upload: checked, by });
        await accepted?.(tx, submitted);
        return submitted;
      });
    });
  } finally {
    await upload.source.close();
  }
}

/** A batch that is being stored, by whom and from what. */
interface Storing {
  tx: Tx;
  ctx: Submitting;
  owner: Owner;
  id: string;
  key: NewBatchKey;
  upload: Checked;
  /** Whoever asks for the approval that it may need. */
  by: Author;
}

/** Reads the rows into a new batch, holds its price, and lets it begin unless it has to wait. */
async function storeBatch(storing: Storing): Promise<Submitted> {
  const { tx, ctx, owner, id, upload, by } = storing;
  const { appId, live } = owner;
  await bound(tx, 'reading');
  await insertBatch(storing);
  const { tally, bytes } = await storeUpload(storing);
  refuseInvalid(upload.options, tally);
  await ctx.storageQuota.refuseBeyond(tx, owner, bytes);
  // From here on others wait for the locks.
  await bound(tx, 'short');
  const quoteKobo = quoteOf(tally, upload.prices);
  const isManual = upload.options.start === 'manual';
  // The rows may have taken minutes, in which somebody may have decided that such a batch needs an approval.
  const settings = await refuseDeleted(tx, appId);
  const needsApproval = !isManual && startNeedsApproval({ settings }, quoteKobo);
  const starts = !isManual && !needsApproval;
  await insertLanes(storing, tally, starts);
  const expiresInSeconds = isManual ? ctx.config.CONFAM_MANUAL_HOLD_SECONDS : null;
  const holdKobo = await holdToSubmit(tx, owner, { id, quoteKobo, needsApproval, expiresInSeconds });
  const jobs = [...tally.jobs.values()].reduce((sum, count) => sum + count, 0);
  await tx`
    update batches set status = ${starts ? 'queued' : 'awaiting_start'}, rows = ${tally.rows}, jobs = ${jobs}, queued = ${jobs}, invalid = ${tally.invalid},
      duplicate = ${tally.duplicates}, stored_bytes = ${bytes}, quote_kobo = ${quoteKobo}, hold_kobo = ${holdKobo},
      columns = ${upload.source.columns ?? tally.keys}
    where id = ${id}`;
  // No valid row: the batch ends as soon as it begins.
  if (jobs === 0 && starts) await endBatches(tx, [id]);
  await saveMappingOf(storing);
  await tx`select pg_notify(${WORK_CHANNEL}, '')`;
  if (needsApproval) await askForBatch(ctx, tx, { id, appId, live, quoteKobo }, by);
  await record(tx, by, { appId, live, action: 'batch.submit', object: showId('bat', id), detail: { rows: tally.rows, quoteKobo } });
  return {
    batch: (await readBatch(ctx, tx, appId, id))!,
    errors: tally.errors,
    unusedFiles: tally.unusedFiles,
    reading: readingOf(upload, tally),
  };
}

/** The batch and its key, before its rows: they refer to it. */
async function insertBatch({ tx, ctx, owner, id, key, upload }: Storing): Promise<void> {
  const { format, source, options, checks, mapping } = upload;
  const about = { reference: options.reference, metadata: options.metadata, consent: options.consent };
  const delimiter = source.columns === null ? undefined : unusual(source.about.dialect);
  // Whether it must wait for an approval is known once its rows are priced; until then it counts as waiting.
  const mayWait = options.start === 'manual' || owner.settings.approveStartAboveKobo !== undefined;
  await tx`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, date_format, stored_as, rows, jobs, queued, invalid, quote_kobo, hold_kobo,
      about, reference_index, callback_url, max_failure_percent, expires_at, key_id, person_id, unmoved_after)
    values (${id}, ${owner.appId}, ${owner.live}, ${mayWait ? 'awaiting_start' : 'queued'}, ${checks.map((check) => check.id)}, ${format},
      ${source.columns ?? []}, ${JSON.stringify(mapping)}::text::jsonb, ${options.date_format}, ${STORED_AS}, 0, 0, 0, 0, 0, 0,
      ${sealAbout(key, showId('bat', id), { ...about, delimiter })},
      ${options.reference === undefined ? null : referenceIndex(ctx.cipher, owner, options.reference)}, ${options.callback_url ?? null},
      ${options.max_failure_percent ?? null}, ${await deadline(tx, options.expires_at)}, ${owner.keyId ?? null}, ${owner.personId ?? null},
      case when ${allReadBlocks(tx)} then null else 0 end)`;
  await key.store(tx);
}

/** Stores the rows, read by a thread if the upload has one. */
async function storeUpload({ tx, ctx, owner, id, key, upload }: Storing): Promise<{ tally: Tally; bytes: number }> {
  const { appId, live } = owner;
  const { counted, bytes } = await storeRows(
    tx,
    { batchId: id, appId, live, cacheMode: upload.options.cache, prices: upload.prices },
    upload.thread()?.read({ kind: 'store', batchId: id, key: key.key }, upload) ?? intake(ctx, upload, new RowPacker(key, id)),
  );
  return { tally: counted, bytes };
}

async function insertLanes({ tx, owner: { appId, live }, id, upload }: Storing, tally: Tally, starts: boolean): Promise<void> {
  for (const check of upload.checks) {
    const hasJobs = tally.jobs.get(check.id)! > 0;
    await tx`insert into lanes (batch_id, check_id, app_id, live, family, price_kobo, fresh, open)
      values (${id}, ${check.id}, ${appId}, ${live}, ${check.family}, ${upload.prices.get(check.id)!.priceKobo}, ${hasJobs}, ${starts && hasJobs})`;
  }
}

/** Saves the mapping for the next upload with the same columns. */
async function saveMappingOf({ tx, ctx, owner: { appId }, upload: { options, source } }: Storing): Promise<void> {
  const { mapping, checks, date_format } = options;
  if (Object.keys(mapping).length === 0) return;
  await saveMapping(tx, ctx.cipher, appId, fingerprintOf(ctx.cipher, appId, source), { mapping, checks, date_format });
}

/** The delimiter of a CSV, unless it is a comma. */
const unusual = (dialect: TableAbout['dialect']): Delimiter | undefined => (dialect?.delimiter === ',' ? undefined : dialect?.delimiter);
