/**
 * Accepts batches and single jobs: validates every row, sets the worst-case price aside and commits rows, hold and lanes together. An
 * upload is one transaction, filled by COPY while the file is being read: a client that hangs up leaves nothing, and nothing is held.
 */
import { finished } from 'node:stream/promises';
import type { z } from 'zod';
import { findCheck } from './checks/catalog.ts';
import type { Check } from './checks/check.ts';
import { type Mapping, type RawRow, readInput, readReference, resolveMapping, rowReader } from './columns.ts';
import type { Context, Sql, Tx } from './context.ts';
import type { BatchOptions, BatchRow, JobRow, jobBody } from './contract.ts';
import { naira } from './contract.ts';
import { ApiError, type ErrorDetail } from './errors.ts';
import { newId } from './ids.ts';
import { holdFunds } from './ledger.ts';
import { refuseUrl } from './outbound.ts';
import type { Router } from './providers/router.ts';
import type { RowSource } from './rows/row.ts';
import type { AppSettings, BatchFormat, RowProblem } from './schema.ts';
import { cancelQueued, endBatches } from './settle.ts';

/** Wakes the dispatcher: one notification a submission, none a row. */
export const WORK_CHANNEL = 'confam_work';

export interface Owner {
  appId: string;
  /** The key that asks. */
  keyId: string;
  live: boolean;
  settings: AppSettings;
}

type Submitting = Context & { router: Router };
/** Runs last in the transaction that accepts something: what it writes is committed with it, what it throws undoes it. */
type Accepted<T> = (tx: Tx, accepted: T) => Promise<void>;

/** Errors of rows that an answer shows; the rest is in the results. */
const ERRORS_SHOWN = 100;
/** Rows that go to Postgres in one COPY; the next slice is prepared meanwhile. */
const SLICE_JOBS = 2_000;

/** The checks named, or `invalid_request`, `provider_not_configured`, or a missing consent. */
function allowedChecks(ctx: Submitting, owner: Owner, ids: readonly string[], path: string, hasConsent: boolean): Check[] {
  const checks = ids.map((id) => {
    const check = findCheck(id);
    if (!check)
      throw new ApiError('invalid_request', `unknown check`, {
        details: [{ path, message: 'names a check that does not exist', rule: 'unknown_check' }],
      });
    if (!ctx.router.configured(check.family, owner.live)) {
      throw new ApiError('provider_not_configured', `No provider is configured for ${check.id} with a live key; use a test key to try it.`);
    }
    return check;
  });
  if (owner.live && owner.settings.consentRequired && !hasConsent) {
    throw new ApiError('invalid_request', 'This app requires consent on live jobs', {
      details: [{ path: 'consent', message: 'is required', rule: 'required' }],
    });
  }
  return checks;
}

function insufficientFunds(quoteKobo: number, availableKobo: number): ApiError {
  return new ApiError('insufficient_funds', `The wallet does not cover the price of ${naira(quoteKobo)} NGX`, {
    extra: { quote_amount: naira(quoteKobo), available_amount: naira(availableKobo) },
  });
}

/** An address that a webhook could never be sent to is refused here, not when it is too late. */
function checkCallback(ctx: Context, url: string | undefined): void {
  const reason = url === undefined ? null : refuseUrl(url, ctx.config.webhookAllowPrivate);
  if (reason)
    throw new ApiError('invalid_request', `callback_url is not allowed (${reason})`, {
      details: [{ path: 'callback_url', message: callbackRules, rule: reason }],
    });
}

const callbackRules = 'must be an https URL on port 443 or 8443 that leads to a public address';

export async function submitJob(
  ctx: Submitting,
  owner: Owner,
  body: z.infer<typeof jobBody>,
  accepted?: Accepted<StoredJob>,
): Promise<StoredJob> {
  checkCallback(ctx, body.callback_url);
  const [check] = allowedChecks(ctx, owner, [body.check], 'check', body.consent !== undefined) as [Check];
  const read = readInput(check, (field) => body.input[field] ?? undefined);
  if ('problems' in read) {
    throw new ApiError('invalid_request', sentence(read.problems), {
      details: read.problems.map((p) => ({ path: `input.${p.field}`, message: p.message, rule: p.rule })),
    });
  }
  const id = newId();
  const job = {
    id,
    app_id: owner.appId,
    live: owner.live,
    check_id: check.id,
    family: check.family,
    price_kobo: check.priceKobo,
    cached_price_kobo: check.cachedPriceKobo,
    reference: body.reference ?? null,
    callback_url: body.callback_url ?? null,
    cache_mode: body.cache,
    subject: ctx.cipher.index('subject', check.family, check.subject(read.input)),
    input: ctx.cipher.seal(JSON.stringify(read.input), 'input', id),
  };
  return ctx.sql.begin(async (tx) => {
    const [covered] = await holdFunds(tx, [
      { id, appId: owner.appId, live: owner.live, amountKobo: check.priceKobo, expiresInSeconds: null },
    ]);
    if (!covered) throw insufficientFunds(check.priceKobo, await availableKobo(tx, owner));
    await tx`insert into jobs ${tx(job)}`;
    await tx`insert into waiting_jobs (job_id, app_id, family, check_id) values (${id}, ${owner.appId}, ${check.family}, ${check.id})`;
    // As text: drizzle, which shares the connection, takes postgres.js's own JSON serialiser away.
    await tx`update jobs set metadata = ${body.metadata === undefined ? null : JSON.stringify(body.metadata)}::text::jsonb,
      consent = ${body.consent === undefined ? null : JSON.stringify(body.consent)}::text::jsonb where id = ${id}`;
    await tx`select pg_notify(${WORK_CHANNEL}, '')`;
    const stored = (await readJob(tx, owner.appId, id)) as StoredJob;
    await accepted?.(tx, stored);
    return stored;
  });
}

export interface Upload {
  format: BatchFormat;
  source: RowSource;
  options: BatchOptions;
}

export interface Submitted {
  batch: BatchRow;
  /** The first ones of the rows that were refused. */
  errors: ErrorDetail[];
}

/** Reads the upload to its end and commits it. Throws `ApiError`, `UploadError`, or what the byte stream threw; then nothing is left. */
export async function submitBatch(
  ctx: Submitting,
  owner: Owner,
  { format, source, options }: Upload,
  accepted?: Accepted<Submitted>,
): Promise<Submitted> {
  try {
    checkCallback(ctx, options.callback_url);
    const checks = allowedChecks(ctx, owner, options.checks, 'checks', options.consent !== undefined);
    const mapping = resolveMapping(checks, source, options.mapping);
    return await ctx.sql.begin(async (tx) => {
      const submitted = await load(tx, ctx, owner, { format, source, options, checks, mapping });
      await accepted?.(tx, submitted);
      return submitted;
    });
  } finally {
    await source.close();
  }
}

async function load(tx: Tx, ctx: Submitting, owner: Owner, upload: Upload & { checks: Check[]; mapping: Mapping }) {
  const { format, source, options, checks, mapping } = upload;
  const id = newId();
  const counts = { rows: 0, jobs: 0, invalid: 0 };
  const errors: ErrorDetail[] = [];
  const read = rowReader(source.columns, mapping);
  const seenKeys = new Map<string, true>();
  const copier = openCopier(tx, ctx, { batchId: id, owner, cacheMode: options.cache, consent: options.consent });
  await tx`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, rows, jobs, queued, invalid, quote_kobo, hold_kobo, reference, metadata, callback_url)
    values (${id}, ${owner.appId}, ${owner.live}, ${options.start === 'auto' ? 'queued' : 'awaiting_start'}, ${checks.map((check) => check.id)}, ${format},
      ${source.columns ?? []}, ${JSON.stringify(mapping)}::text::jsonb, 0, 0, 0, 0, 0, 0, ${options.reference ?? null},
      ${options.metadata === undefined ? null : JSON.stringify(options.metadata)}::text::jsonb, ${options.callback_url ?? null})`;

  const refuse = async (row: number, problems: RowProblem[], raw: RawRow | null) => {
    counts.invalid++;
    for (const problem of problems) {
      if (errors.length < ERRORS_SHOWN)
        errors.push({ path: problem.field ?? `row ${row}`, row, rule: problem.rule, message: problem.message });
    }
    await copier.invalid(row, problems, raw);
  };

  try {
    for await (const rows of source.rows as AsyncIterable<
      { row: number; value: RawRow | null; error: (RowProblem & { row: number }) | null }[]
    >) {
      for (const { row, value, error } of rows) {
        counts.rows++;
        if (source.columns === null && value !== null && seenKeys.size < 200) for (const key of Object.keys(value)) seenKeys.set(key, true);
        if (error || value === null) {
          await refuse(
            row,
            [{ field: error?.field ?? null, rule: error?.rule ?? 'unreadable', message: error?.message ?? 'cannot be read' }],
            value,
          );
          continue;
        }
        const cell = (field: string) => read(value, field);
        const inputs = checks.map((check) => readInput(check, cell));
        const own = readReference(cell);
        const problems = [...inputs, own].flatMap((part) => ('problems' in part ? part.problems : []));
        if (problems.length > 0) {
          await refuse(row, distinct(problems), value);
          continue;
        }
        for (const [i, check] of checks.entries()) {
          counts.jobs++;
          const { input } = inputs[i] as { input: Record<string, string | undefined> };
          await copier.job(row, check, check.subject(input), (own as { reference: string | null }).reference, value);
        }
      }
    }
  } catch (error) {
    await copier.settled();
    throw error;
  }
  await copier.flush();
  if (options.on_invalid === 'reject' && counts.invalid > 0) {
    throw new ApiError(
      'invalid_request',
      `${counts.invalid} of ${counts.rows} rows are invalid; nothing was accepted (on_invalid=reject)`,
      { details: errors },
    );
  }

  const quoteKobo = checks.reduce((sum, check) => sum + check.priceKobo, 0) * (counts.rows - counts.invalid);
  const [covered] = await holdFunds(tx, [{ id, appId: owner.appId, live: owner.live, amountKobo: quoteKobo, expiresInSeconds: null }]);
  if (!covered) throw insufficientFunds(quoteKobo, await availableKobo(tx, owner));
  await tx`
    update batches set rows = ${counts.rows}, jobs = ${counts.jobs}, queued = ${counts.jobs}, invalid = ${counts.invalid}, quote_kobo = ${quoteKobo}, hold_kobo = ${quoteKobo},
      columns = ${source.columns ?? [...seenKeys.keys()]},
      duplicate = (select count(*) - count(distinct (check_id, subject)) from jobs where batch_id = ${id})
    where id = ${id}`;
  for (const check of checks) {
    await tx`insert into lanes (batch_id, check_id, app_id, live, family, open)
      values (${id}, ${check.id}, ${owner.appId}, ${owner.live}, ${check.family}, ${options.start === 'auto' && counts.jobs > 0})`;
  }
  // Nothing valid in it: it is over as soon as it begins.
  if (counts.jobs === 0 && options.start === 'auto') await endBatches(tx, [id]);
  await tx`select pg_notify(${WORK_CHANNEL}, '')`;
  return { batch: (await readBatch(tx, owner.appId, id))!, errors };
}

/** Sends jobs by COPY, slice by slice, and invalid rows by INSERT. A slice is under way while the next is prepared: at most two in memory. */
function openCopier(tx: Tx, ctx: Context, batch: { batchId: string; owner: Owner; cacheMode: string; consent: unknown }) {
  let lines: string[] = [];
  let refused: { row: number; problems: RowProblem[]; input: string | null }[] = [];
  let underWay: Promise<unknown> = Promise.resolve();
  const constant = [
    batch.owner.appId,
    batch.batchId,
    batch.owner.live ? 't' : 'f',
    batch.cacheMode,
    batch.consent === undefined ? '\\N' : escapeCopy(JSON.stringify(batch.consent)),
  ].join('\t');

  async function send(): Promise<void> {
    await underWay;
    const [jobLines, rows] = [lines, refused];
    [lines, refused] = [[], []];
    underWay = write(tx, batch.batchId, jobLines, rows);
    // Whoever awaits it next sees the error; until then it is not unhandled.
    underWay.catch(() => {});
  }

  return {
    async job(row: number, check: Check, subject: string, reference: string | null, raw: RawRow): Promise<void> {
      const id = newId();
      const input = ctx.cipher.seal(JSON.stringify(raw), 'input', id).toString('hex');
      const index = ctx.cipher.index('subject', check.family, subject).toString('hex');
      lines.push(
        `${id}\t${constant}\t${row}\t${check.priceKobo}\t${check.cachedPriceKobo}\t${check.id}\t${check.family}\t${reference === null ? '\\N' : escapeCopy(reference)}\t\\\\x${index}\t\\\\x${input}\n`,
      );
      if (lines.length >= SLICE_JOBS) await send();
    },
    async invalid(row: number, problems: RowProblem[], raw: RawRow | null): Promise<void> {
      refused.push({
        row,
        problems,
        input: raw === null ? null : ctx.cipher.seal(JSON.stringify(raw), 'invalid_row', `${batch.batchId}:${row}`).toString('base64'),
      });
      if (refused.length >= SLICE_JOBS) await send();
    },
    async flush(): Promise<void> {
      await send();
      await underWay;
    },
    /** A ROLLBACK in the middle of a COPY costs the connection, and hides the error that led to it. */
    async settled(): Promise<void> {
      await underWay.catch(() => {});
    },
  };
}

async function write(
  tx: Tx,
  batchId: string,
  lines: string[],
  refused: { row: number; problems: RowProblem[]; input: string | null }[],
): Promise<void> {
  if (lines.length > 0) {
    const copy = await tx`
      copy jobs (id, app_id, batch_id, live, cache_mode, consent, row_number, price_kobo, cached_price_kobo, check_id, family, reference, subject, input) from stdin`.writable();
    copy.end(Buffer.from(lines.join('')));
    await finished(copy);
  }
  if (refused.length > 0) {
    await tx`
      insert into invalid_rows (batch_id, row_number, problems, input)
      select ${batchId}, row_number, problems::jsonb, decode(input, 'base64')
      from unnest(${refused.map((r) => r.row)}::int[], ${refused.map((r) => JSON.stringify(r.problems))}::text[], ${refused.map((r) => r.input)}::text[]) as t(row_number, problems, input)`;
  }
}

/** Text format of COPY: backslash and the separators are escaped. */
const escapeCopy = (text: string): string =>
  text.replace(/[\\\t\n\r]/g, (c) => (c === '\\' ? '\\\\' : c === '\t' ? '\\t' : c === '\n' ? '\\n' : '\\r'));

function distinct(problems: RowProblem[]): RowProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()];
}

/** "bvn must be 11 digits" */
export const sentence = (problems: { field: string | null; message: string }[]): string =>
  problems.map((p) => `${p.field ?? ''} ${p.message}`.trim()).join('; ');

export async function startBatch(ctx: Context, appId: string, id: string): Promise<BatchRow | null> {
  return ctx.sql.begin(async (tx) => {
    const started = await tx`update batches set status = 'queued' where id = ${id} and app_id = ${appId} and status = 'awaiting_start'`;
    const batch = await readBatch(tx, appId, id);
    if (!batch) return null;
    if (started.count === 0) throw new ApiError('conflict', `A batch that is ${batch.status} cannot be started`);
    await tx`update lanes set open = true where batch_id = ${id}`;
    if (batch.jobs === 0) await endBatches(tx, [id]);
    await tx`select pg_notify(${WORK_CHANNEL}, '')`;
    return readBatch(tx, appId, id);
  });
}

/** Rows canceled in one transaction. */
const CANCEL_SLICE = 20_000;

/** Stops leasing at once, cancels what is queued; what is leased finishes. A batch that is over already is answered as it is. */
export async function cancelBatch(ctx: Context, appId: string, id: string): Promise<BatchRow | null> {
  await ctx.sql.begin(async (tx) => {
    const stopped = await tx`
      update batches set status = 'canceling' where id = ${id} and app_id = ${appId} and status in ('awaiting_start', 'queued', 'running') returning id`;
    if (stopped.count > 0) await tx`update lanes set open = false where batch_id = ${id}`;
  });
  let batch = await readBatch(ctx.sql, appId, id);
  if (batch?.status === 'completed') throw new ApiError('conflict', 'A batch that is completed cannot be canceled');
  if (batch?.status === 'canceling') {
    for (let row: number | null = 0; row !== null; ) row = await cancelQueued(ctx, id, row, CANCEL_SLICE);
    batch = await readBatch(ctx.sql, appId, id);
  }
  return batch;
}

async function availableKobo(tx: Tx, { appId, live }: Owner): Promise<number> {
  const [wallet] = await tx<
    { available: number }[]
  >`select available_kobo as available from wallets where app_id = ${appId} and live = ${live}`;
  return wallet?.available ?? 0;
}

/** Null: unknown, or another app's. */
export async function readBatch(sql: Sql | Tx, appId: string, id: string): Promise<BatchRow | null> {
  const [row] = await sql<BatchRow[]>`select * from batches where id = ${id} and app_id = ${appId}`;
  return row ?? null;
}

/** A job with its sealed entity and when it is tried again. */
export type StoredJob = JobRow & { entity: Buffer | null; runAfter: string | null };

/** Null: unknown, or another app's. */
export async function readJob(sql: Sql | Tx, appId: string, id: string): Promise<StoredJob | null> {
  const [row] = await sql<StoredJob[]>`
    select j.*, r.entity, w.run_after from jobs j left join results r on r.job_id = j.id left join waiting_jobs w on w.job_id = j.id
    where j.id = ${id} and j.app_id = ${appId}`;
  return row ?? null;
}
