/**
 * Accepts batches and single jobs: validates every row, holds the worst-case price, and commits rows, hold and lanes together. An upload is one
 * transaction, filled while the file is read, by a thread if it is large. It begins once the whole body has arrived, so no lock and no connection waits for a client.
 */

import type { z } from 'zod';
import { refuseDeleted } from '../access/apps.ts';
import { type Author, record } from '../access/audit/append.ts';
import { refuseWithdrawn, refuseWithoutConsent } from '../access/consents.ts';
import type { Owner, Price } from '../access/owner.ts';
import { refuseCheck } from '../access/restrictions.ts';
import { answeringCheck, askedCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { codeOfProblems, readInput, sentence } from '../checks/read-input.ts';
import { referenceIndex, sealAbout } from '../contract/about.ts';
import type { BatchOptions, BatchRow, reading } from '../contract/batches.ts';
import type { jobBody } from '../contract/jobs.ts';
import { bound, type Context, type Sql, type Tx } from '../foundation/context.ts';
import type { NewBatchKey } from '../foundation/data-keys.ts';
import { ApiError, type ErrorDetail } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import type { StoredJob } from '../jobs/job.ts';
import { allReadBlocks, STORED_AS } from '../jobs/release.ts';
import { holderOf, insufficientFunds, refuseBeyondCaps } from '../money/caps.ts';
import { availableKobo, holdFunds } from '../money/ledger.ts';
import { priceOf } from '../money/prices.ts';
import { ROW_BYTES } from '../money/usage.ts';
import { refuseUnserved } from '../providers/availability.ts';
import type { Router } from '../providers/router.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import type { Delimiter, RowSource, TableAbout } from '../rows/row.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { refuseReceiver } from '../webhooks/receiver-url.ts';
import { askForBatch, startNeedsApproval } from './approval.ts';
import { readBatch, WORK_CHANNEL } from './batch.ts';
import { noteStoring } from './being-stored.ts';
import { type Mapping, resolveMapping, takenColumns } from './columns.ts';
import { storeRows } from './copier.ts';
import { endBatches } from './ending.ts';
import { imagesOf, packImages, withoutImages } from './images.ts';
import { intake, type Tally } from './intake.ts';
import { RowPacker } from './packer.ts';
import type { RowThread } from './row-thread.ts';
import { fingerprintOf, saveMapping } from './saved-mappings.ts';
import type { StorageQuota } from './storage.ts';
import { readJob } from './submitted.ts';

export type Submitting = Context & { router: Router; storageQuota: StorageQuota };

/** Runs last in the accepting transaction: what it writes is committed with it, and what it throws rolls it back. */
type Accepted<T> = (tx: Tx, accepted: T) => Promise<void>;

/** The named checks at this app's prices. Throws `invalid_request`, `provider_not_configured`, or the refusal for missing consent. */
function allowedChecks(ctx: Submitting, owner: Owner, ids: readonly string[], path: string, consent: unknown): Check[] {
  const checks = ids.map((id) => {
    const check = askedCheck(id, path);
    refuseCheck(owner.terms, check.id);
    refuseUnserved(ctx.router, check, owner.live);
    return { ...check, ...priceOf(owner, check) };
  });
  refuseWithoutConsent(owner, consent);
  return checks;
}

export async function submitJob(
  ctx: Submitting,
  owner: Owner,
  body: z.infer<typeof jobBody>,
  accepted?: Accepted<StoredJob>,
): Promise<StoredJob> {
  if (body.callback_url !== undefined) refuseReceiver(ctx, body.callback_url, 'callback_url');
  const answering = answeringCheck(askedCheck(body.check, 'check'), body.input);
  const [check] = allowedChecks(ctx, owner, [answering.check.id], 'check', body.consent) as [Check];
  await refuseWithdrawn(ctx, owner, body.consent);
  const input = jobInput(check, answering.raw, ctx.router.watchLists(owner.live));
  const sealer = await ctx.cipher.sealer(owner);
  return withId(async (id, isLast) => {
    const images = imagesOf(check, input);
    const job = {
      id,
      app_id: owner.appId,
      live: owner.live,
      check_id: check.id,
      family: check.family,
      price_kobo: check.priceKobo,
      cached_price_kobo: check.cachedPriceKobo,
      about: sealAbout(sealer, showId('job', id), { reference: body.reference, metadata: body.metadata, consent: body.consent }),
      reference_index: body.reference === undefined ? null : referenceIndex(ctx.cipher, owner, body.reference),
      callback_url: body.callback_url ?? null,
      cache_mode: body.cache,
      subject: ctx.cipher.index('subject', check.family, check.subject(input)),
      input: sealer.seal(JSON.stringify(withoutImages(check, input)), 'input', id),
      images: images && sealer.seal(packImages(images), 'images', id),
      stored_as: STORED_AS,
      key_id: owner.keyId ?? null,
      person_id: owner.personId ?? null,
    };
    const bytes = ROW_BYTES + [job.about, job.input, job.images].reduce((sum, sealed) => sum + (sealed?.length ?? 0), 0);
    return ctx.sql.begin(async (tx) => {
      const [isAnnounced] = await Promise.all([noteStoring(tx, owner, id), refuseDeleted(tx, owner.appId)]);
      if (!isAnnounced && !isLast) return null;
      await ctx.storageQuota.refuseBeyond(tx, owner, bytes);
      await refuseBeyondCaps(tx, owner, check.priceKobo, 'job');
      const [covered] = await holdFunds(tx, [{ ...holderOf(owner), id, amountKobo: check.priceKobo, expiresInSeconds: null }]);
      if (!covered) throw await insufficientFunds(tx, owner, check.priceKobo);
      await tx`insert into jobs ${tx(job)}`;
      await tx`insert into waiting_jobs (job_id, app_id, family, check_id) values (${id}, ${owner.appId}, ${check.family}, ${check.id})`;
      await tx`select pg_notify(${WORK_CHANNEL}, '')`;
      const stored = (await readJob(ctx, tx, owner.appId, id)) as StoredJob;
      await accepted?.(tx, stored);
      return stored;
    });
  });
}

/**
 * Runs `store` with a new id. Null: an erasure came between the id and its announcement, so it runs once more with a newer one. The last time it must store,
 * because ids of other machines may be ahead of this one's clock.
 */
async function withId<Stored>(store: (id: string, isLast: boolean) => Promise<Stored | null>): Promise<Stored> {
  return (await store(newId(), false)) ?? ((await store(newId(), true)) as Stored);
}

/** Parses a job's input and refuses unknown members: a misspelt optional input would be paid for without being compared. */
function jobInput(check: Check, sent: Record<string, unknown>, watchLists: readonly string[] | null): Record<string, string | undefined> {
  const known = Object.keys(check.input.shape);
  const read = readInput(check, (field) => sent[field] ?? undefined, watchLists);
  const problems = 'problems' in read ? read.problems : [];
  const unknown = unknownOptions(Object.keys(sent), known, ['input']);
  if (!('problems' in read) && unknown.length === 0) return read.input;
  const said = [...problems, ...unknown.map(({ path, message }) => ({ field: path, message }))];
  throw new ApiError(unknown.length > 0 ? 'invalid_request' : codeOfProblems(problems), sentence(said), {
    details: [...problems.map((p) => ({ path: `input.${p.field}`, message: p.message, rule: p.rule })), ...unknown],
  });
}

export interface Upload {
  format: BatchFormat;
  source: RowSource;
  options: BatchOptions;
  /** Resolves once the last byte of the body has arrived; nothing waits for the client after that. Throws what is wrong with the body. */
  whole(): Promise<void>;
  /** Reads the rows in place of `source.rows`, once the upload is whole. Null: the upload is small and is read here. */
  thread(): RowThread | null;
}

/** An upload whose checks, columns and callback address are valid. */
export interface Checked extends Upload {
  checks: Check[];
  mapping: Mapping;
  prices: Map<string, Price>;
  /** Ids of the watch lists that its rows may name. Null: any. */
  watchLists: readonly string[] | null;
}

/** Refuses what can be refused before the rows are read. Throws `ApiError`. */
export function checkUpload(ctx: Submitting, owner: Owner, upload: Upload): Checked {
  const { options, source } = upload;
  if (options.callback_url !== undefined) refuseReceiver(ctx, options.callback_url, 'callback_url');
  const checks = allowedChecks(ctx, owner, options.checks, 'checks', options.consent);
  const prices = new Map(checks.map(({ id, priceKobo, cachedPriceKobo }) => [id, { priceKobo, cachedPriceKobo }]));
  const watchLists = ctx.router.watchLists(owner.live);
  return { ...upload, checks, mapping: resolveMapping(checks, source, options.mapping), prices, watchLists };
}

/** The worst case: no answer comes from the cache. */
export const quoteOf = ({ jobs }: Tally, prices: Map<string, Price>): number =>
  [...jobs].reduce((sum, [check, count]) => sum + count * prices.get(check)!.priceKobo, 0);

export interface Submitted {
  batch: BatchRow;
  /** The first refused rows. */
  errors: ErrorDetail[];
  /** Unused files of an archive; null if there is none. */
  unusedFiles: number | null;
  reading: UploadReading;
}

/** How the upload's columns and dates were read. */
export type UploadReading = z.infer<z.ZodObject<typeof reading>>;

/** `tally`: over all its rows. */
export const readingOf = ({ mapping, options, source }: Checked, { ambiguousDates, encoding, hiddenRows }: Tally): UploadReading => ({
  mapping: takenColumns(mapping, source),
  date_format: options.date_format,
  ambiguous_dates: ambiguousDates,
  ...(source.columns !== null && {
    file: {
      sheet: source.about.sheet,
      header_row: source.about.headerRow,
      left_out: source.about.leftOut,
      encoding,
      hidden_rows: hiddenRows,
    },
  }),
});

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
  const { holdKobo, starts, needsApproval } = await holdQuote(storing, tally, quoteKobo);
  const jobs = [...tally.jobs.values()].reduce((sum, count) => sum + count, 0);
  await tx`
    update batches set status = ${starts ? 'queued' : 'awaiting_start'}, rows = ${tally.rows}, jobs = ${jobs}, queued = ${jobs}, invalid = ${tally.invalid},
      duplicate = ${tally.duplicates}, stored_bytes = ${bytes}, quote_kobo = ${quoteKobo}, hold_kobo = ${holdKobo},
      columns = ${upload.source.columns ?? tally.keys}
    where id = ${id}`;
  await insertLanes(storing, tally, starts);
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
  const said = { reference: options.reference, metadata: options.metadata, consent: options.consent };
  const delimiter = source.columns === null ? undefined : unusual(source.about.dialect);
  // Whether it must wait for an approval is known once its rows are priced; until then it counts as waiting.
  const mayWait = options.start === 'manual' || owner.settings.approveStartAboveKobo !== undefined;
  await tx`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, date_format, stored_as, rows, jobs, queued, invalid, quote_kobo, hold_kobo,
      about, reference_index, callback_url, max_failure_percent, expires_at, key_id, person_id, unmoved_after)
    values (${id}, ${owner.appId}, ${owner.live}, ${mayWait ? 'awaiting_start' : 'queued'}, ${checks.map((check) => check.id)}, ${format},
      ${source.columns ?? []}, ${JSON.stringify(mapping)}::text::jsonb, ${options.date_format}, ${STORED_AS}, 0, 0, 0, 0, 0, 0,
      ${sealAbout(key, showId('bat', id), { ...said, delimiter })},
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

async function holdQuote(
  { tx, ctx, owner, id, upload }: Storing,
  tally: Tally,
  quoteKobo: number,
): Promise<{ holdKobo: number; starts: boolean; needsApproval: boolean }> {
  const isManual = upload.options.start === 'manual';
  // The rows may have taken minutes, in which somebody may have decided that such a batch needs an approval.
  const settings = await refuseDeleted(tx, owner.appId);
  const needsApproval = !isManual && startNeedsApproval({ settings }, quoteKobo);
  const expiresInSeconds = isManual ? ctx.config.CONFAM_MANUAL_HOLD_SECONDS : null;
  const leastKobo = leastOf(tally, upload.prices);
  const holdKobo = await holdForBatch(tx, owner, { id, quoteKobo, expiresInSeconds, leastKobo, needsApproval });
  return { holdKobo, starts: !isManual && !needsApproval, needsApproval };
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

/** `on_invalid=reject`: one invalid row refuses the whole upload. */
export function refuseInvalid(options: BatchOptions, { invalid, rows, errors }: Tally): void {
  if (options.on_invalid === 'reject' && invalid > 0) {
    throw new ApiError(
      'invalid_request',
      `${invalid} of ${rows} rows ${invalid === 1 ? 'is' : 'are'} invalid; nothing was accepted (on_invalid=reject)`,
      {
        details: errors,
      },
    );
  }
}

/** Throws `ApiError` if it is in the past. */
export async function deadline(sql: Sql | Tx, expiresAt: string | undefined): Promise<string | null> {
  if (expiresAt === undefined) return null;
  const [row] = await sql<{ isAhead: boolean }[]>`select ${expiresAt}::text::timestamptz > now() as "isAhead"`;
  if (!row!.isAhead)
    throw new ApiError('invalid_request', 'expires_at is in the past', {
      details: [{ path: 'expires_at', message: 'must be in the future', rule: 'past' }],
    });
  return expiresAt;
}

interface ToHold {
  id: string;
  quoteKobo: number;
  expiresInSeconds: number | null;
  /** Price of its cheapest job. */
  leastKobo: number;
  needsApproval: boolean;
}

/** Holds the quote, or nothing yet if the batch waits for its approval. For an app that allows partial runs, holds what the wallet has if that pays for at least one job. Returns the amount held. */
async function holdForBatch(tx: Tx, owner: Owner, { id, quoteKobo, expiresInSeconds, leastKobo, needsApproval }: ToHold): Promise<number> {
  await refuseBeyondCaps(tx, owner, quoteKobo, 'batch');
  const hold = async (amountKobo: number) => (await holdFunds(tx, [{ ...holderOf(owner), id, amountKobo, expiresInSeconds }]))[0]!;
  if (needsApproval) {
    await hold(0);
    return 0;
  }
  if (await hold(quoteKobo)) return quoteKobo;
  // The wallet's row is locked by now, so nobody can take from it before this transaction ends.
  const available = await availableKobo(tx, owner);
  if (!owner.settings.partialRuns || available < leastKobo || !(await hold(available))) throw await insufficientFunds(tx, owner, quoteKobo);
  return available;
}

const leastOf = ({ jobs }: Tally, prices: Map<string, Price>): number =>
  Math.min(...[...jobs].filter(([, count]) => count > 0).map(([check]) => prices.get(check)!.priceKobo));
