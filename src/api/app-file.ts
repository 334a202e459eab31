/**
 * Everything that an app holds, in clear, as JSON Lines: for an app that leaves. It is written from what is stored while it is sent, a page at a time; the last
 * line says how many came before it, so that half a file never looks whole.
 */

import { readKeys } from '../access/keys.ts';
import type { AppMode } from '../access/owner.ts';
import { readMembers } from '../access/people/accounts.ts';
import { listClearances } from '../aml/clearing.ts';
import { allMatches, listMonitors } from '../aml/monitors.ts';
import { readApprovals } from '../approvals/stored.ts';
import { readBatch } from '../batches/batch.ts';
import { keptImages } from '../batches/images.ts';
import { openRows } from '../batches/row-blocks.ts';
import { openJobs } from '../batches/submitted.ts';
import { openAbout } from '../contract/about.ts';
import { ownActions, showApproval } from '../contract/approvals.ts';
import { type BatchRow, showBatch } from '../contract/batches.ts';
import { naira, showInstant, showInstantOrNull } from '../contract/fields.ts';
import { showKey } from '../contract/keys.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { type StoredJob, selectJobs } from '../jobs/job.ts';
import { readHolds } from '../lifecycle/holds.ts';
import { readWithdrawals } from '../lifecycle/withdrawals.ts';
import { readEntries } from '../money/entries.ts';
import { readWallet } from '../money/ledger.ts';
import { hasInvalid } from '../results/invalid-rows.ts';
import { listReviews } from '../reviews/reviews.ts';
import { clearanceWithReason, consentsOf, named, revealsOf, reviewWithNotes, showHold, showWithdrawals } from './kept-items.ts';
import { showInClear, submittedOf } from './shown-job.ts';

/** Jobs, rows or other items read at a time. */
const PAGE = 100;

const NOT_INCLUDED = [
  { what: 'audit', why: 'an export of its own: GET /api/v1/admin/audit' },
  { what: 'events, deliveries, requests, usage', why: 'ids, status and counts' },
  {
    what: 'what vendors were asked about a job',
    why: 'outcome, time and the vendor’s number of each question: results say what came of them',
  },
  { what: 'answers kept for an Idempotency-Key, cached answers', why: 'copies of what is here' },
  { what: 'secrets of keys and of webhooks', why: 'they are of use to nobody else' },
  { what: 'portraits enrolled in the sandbox, saved mappings', why: 'test data and preferences' },
];

/** An owner without restrictions. */
const NOBODY = {};

/**
 * Null if there is no such app, or it was deleted. Throws `conflict` unless it is suspended: whoever runs the deployment sees the data of an app only when it
 * leaves, and its people notice.
 */
export async function appFile(ctx: Context, appId: string): Promise<AsyncGenerator<Uint8Array> | null> {
  const [app] = await ctx.sql<{ name: string; settings: object; createdAt: string; disabledAt: string | null }[]>`
    select name, settings, created_at, disabled_at from apps where id = ${appId} and deleted_at is null`;
  if (!app) return null;
  if (app.disabledAt === null) throw new ApiError('conflict', 'The app is not suspended: only an app that is leaving can be exported');
  const { name, settings, createdAt } = app;
  const about = { id: showId('app', appId), name, settings, created_at: showInstant(createdAt) };
  return lines({ object: 'app_export', app: about, made_at: new Date().toISOString(), not_included: NOT_INCLUDED }, items(ctx, appId));
}

async function* lines(first: object, rest: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  yield line(first);
  let count = 1;
  for await (const item of rest) {
    yield line(item);
    count++;
  }
  yield line({ object: 'end', lines: count });
}

const line = (item: object): Buffer => Buffer.from(`${JSON.stringify(item)}\n`);

async function* items(ctx: Context, appId: string): AsyncGenerator<object> {
  for (const { id, role, email, name, createdAt, acceptedAt } of await readMembers(ctx, appId))
    yield {
      object: 'person',
      id: showId('per', id),
      role,
      email,
      name,
      created_at: showInstant(createdAt),
      accepted_at: showInstantOrNull(acceptedAt),
    };
  yield* endpoints(ctx, appId);
  for (const live of [true, false]) {
    const owner = { appId, live };
    yield* keys(ctx, owner);
    yield* money(ctx, owner);
    yield* singles(ctx, owner);
    yield* batches(ctx, owner);
    yield* screened(ctx, owner);
    yield* reviews(ctx, owner);
    yield* reveals(ctx, owner);
    yield* approvals(ctx, owner);
    yield* legalHolds(ctx, owner);
    yield* requests(ctx, owner);
  }
}

/** The rows of all pages. */
async function* paged<Row extends { id: string }>(read: PageReader<Row>): AsyncGenerator<Row> {
  for await (const page of pages(read)) yield* page;
}

type PageReader<Row> = (before: string | null) => Promise<readonly Row[]>;

/** Repeats `read` with the last id of the page before, until a page is not full. */
async function* pages<Row extends { id: string }>(read: PageReader<Row>): AsyncGenerator<readonly Row[]> {
  for (let before: string | null = null; ; ) {
    const page = await read(before);
    yield page;
    if (page.length < PAGE) return;
    before = page.at(-1)!.id;
  }
}

async function* endpoints({ sql }: Context, appId: string): AsyncGenerator<object> {
  const rows = await sql<{ id: string; live: boolean; url: string; description: string | null; events: string[]; createdAt: string }[]>`
    select id, live, url, description, events, created_at from webhook_endpoints where app_id = ${appId} and deleted_at is null order by id`;
  for (const { id, createdAt, ...endpoint } of rows)
    yield { object: 'webhook_endpoint', id: showId('whe', id), ...endpoint, created_at: showInstant(createdAt) };
}

async function* keys(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  for await (const key of paged((before) => readKeys(ctx, owner, { before, limit: PAGE }))) yield showKey(key);
}

async function* money(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  const { availableKobo, heldKobo } = await readWallet(ctx.sql, owner);
  const mode = owner.live ? 'live' : 'test';
  yield { object: 'wallet', mode, currency: 'NGX', available: naira(availableKobo), held: naira(heldKobo) };
  const every = { kind: null, since: null, until: null };
  for (let cursor: string | null = null; ; ) {
    const page: NonNullable<Awaited<ReturnType<typeof readEntries>>> = (await readEntries(ctx, owner, every, { cursor, limit: PAGE }))!;
    for (const entry of page.entries) yield { object: 'wallet_entry', mode, ...entry };
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

/** Single jobs with their inputs and pictures, and the records of calls. */
async function* singles(ctx: Context, { appId, live }: AppMode): AsyncGenerator<object> {
  const { sql } = ctx;
  for (let after: string | null = null; ; ) {
    const stored: StoredJob[] = await sql<StoredJob[]>`
      ${selectJobs(sql)}
      where j.app_id = ${appId} and j.live = ${live} and j.batch_id is null and (j.input is not null or j.subject is not null)
        ${narrowed(sql, [after !== null && sql`j.id > ${after}`])} and not exists (select 1 from deletions d where d.id = j.id)
      order by j.id limit ${PAGE}`;
    const jobs = await openJobs<StoredJob>(ctx, stored);
    const shown = await showInClear(NOBODY, ctx, jobs);
    const own = jobs.filter((job) => job.input !== null);
    const submitted = new Map((await submittedOf(ctx, own)).map((input, at) => [own[at]!.id, input]));
    const consents = await consentsOf(ctx, jobs);
    const pictured = await withPictures(ctx, own);
    for (const [at, job] of jobs.entries()) {
      const isJob = job.input !== null;
      yield {
        ...shown[at]!,
        object: isJob ? 'job' : 'call',
        consent: consents[at],
        ...(isJob && { submitted: submitted.get(job.id), pictures: pictured.has(job.id) ? await keptImages(ctx, job.id) : {} }),
      };
    }
    if (stored.length < PAGE) return;
    after = stored.at(-1)!.id;
  }
}

async function withPictures({ sql }: Context, jobs: readonly StoredJob[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`select id from jobs where id = any(${jobs.map(({ id }) => id)}::uuid[]) and images is not null`;
  return new Set(rows.map(({ id }) => id));
}

async function* batches(ctx: Context, { appId, live }: AppMode): AsyncGenerator<object> {
  const { sql } = ctx;
  const ids = paged(
    (before) => sql<{ id: string }[]>`
      select id from batches
      where ${ownedBy(sql, { appId, live })} and deleted_at is null ${narrowed(sql, [before !== null && sql`id < ${before}`])}
      order by live desc, id desc limit ${PAGE}`,
  );
  for await (const { id } of ids) {
    const batch = await readBatch(ctx, ctx.sql, appId, id);
    if (!batch || batch.deletedAt !== null) continue;
    const { consent = null } = openAbout(await ctx.cipher.opener([batch.about]), showId('bat', id), batch.about);
    yield { ...showBatch(batch), consent, columns: batch.columns, mapping: batch.mapping };
    yield* rowsOf(ctx, batch);
    yield* rowsToCorrect(ctx, batch);
  }
}

/** Each row as it was submitted, with its jobs and their results. */
async function* rowsOf(ctx: Context, batch: BatchRow): AsyncGenerator<object> {
  const shownId = showId('bat', batch.id);
  for (let from = 1; from <= batch.rows; from += PAGE) {
    const to = from + PAGE - 1;
    const raw = new Map<number, unknown>();
    for await (const row of openRows(ctx, batch.id, { from, to })) raw.set(row.row, row.raw);
    const stored = await ctx.sql<StoredJob[]>`
      ${selectJobs(ctx.sql)} where j.batch_id = ${batch.id} and j.row_number between ${from} and ${to} order by j.row_number, j.check_id`;
    const jobs = await openJobs<StoredJob>(ctx, stored);
    const shown = await showInClear(NOBODY, ctx, jobs);
    const pictured = await withPictures(ctx, jobs);
    const byRow = new Map<number, { job: StoredJob; shown: object }[]>();
    for (const [at, job] of jobs.entries()) byRow.set(job.rowNumber!, [...(byRow.get(job.rowNumber!) ?? []), { job, shown: shown[at]! }]);
    for (const [row, own] of byRow) {
      // Batches of earlier releases have each row with its job.
      const kept = own[0]!.job;
      const submitted = kept.input === null ? raw.get(row) : JSON.parse(await ctx.cipher.open(kept.input, 'input', kept.id));
      const withTheirs: object[] = [];
      for (const one of own)
        withTheirs.push(pictured.has(one.job.id) ? { ...one.shown, pictures: await keptImages(ctx, one.job.id) } : one.shown);
      yield { object: 'row', batch: shownId, row, submitted: named(batch, submitted), jobs: withTheirs };
    }
  }
}

async function* rowsToCorrect({ sql, cipher }: Context, batch: BatchRow): AsyncGenerator<object> {
  if (!hasInvalid(batch)) return;
  for (let after = 0; ; ) {
    const stored = await sql<{ rowNumber: number; input: Buffer | null; problems: unknown }[]>`
      select row_number, input, problems from invalid_rows where batch_id = ${batch.id} and row_number > ${after} order by row_number limit ${PAGE}`;
    const { open } = await cipher.opener(stored.map(({ input }) => input));
    for (const { rowNumber, input, problems } of stored) {
      const raw: unknown = input && JSON.parse(open(input, 'invalid_row', `${batch.id}:${rowNumber}`));
      yield { object: 'row_to_correct', batch: showId('bat', batch.id), row: rowNumber, submitted: named(batch, raw), problems };
    }
    if (stored.length < PAGE) return;
    after = stored.at(-1)!.rowNumber;
  }
}

async function* screened(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  const monitors = paged(async (before) => {
    const page = await listMonitors(ctx, owner, { before, limit: PAGE, jobId: undefined });
    return page.map((monitor) => ({ id: parseId('mon', monitor.id)!, monitor }));
  });
  for await (const { id, monitor } of monitors) {
    yield monitor;
    for await (const match of allMatches(ctx, id)) yield { object: 'aml_monitor_hit', monitor: monitor.id, ...match };
  }
  const every = { limit: PAGE, list: null, sourceId: null, isEndedToo: true };
  const clearances = paged((before) => listClearances(ctx, owner, { ...every, before }));
  for await (const one of clearances) yield { object: 'clearance', ...(await clearanceWithReason(ctx, one)) };
}

async function* reviews(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  const any = { states: null, kind: null, assignee: null, jobId: null, limit: PAGE };
  for await (const review of paged((before) => listReviews(ctx, owner, { ...any, before }))) yield reviewWithNotes(ctx, review);
}

async function* reveals(ctx: Context, { appId, live }: AppMode): AsyncGenerator<object> {
  const jobs = await ctx.sql<{ id: string }[]>`select distinct job_id as id from reveals where app_id = ${appId} and live = ${live}`;
  for (const { id } of jobs) for (const reveal of await revealsOf(ctx, id)) yield { object: 'reveal', job: showId('job', id), ...reveal };
}

/** Approvals that concern both modes are listed with the live ones. */
async function* approvals(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  const own = paged((before) => readApprovals(ctx, { owner, actions: ownActions, before, limit: PAGE }));
  for await (const approval of own) if (owner.live || approval.live !== null) yield showApproval(approval);
}

async function* legalHolds(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  for await (const hold of paged((before) => readHolds(ctx, owner, { id: null, before, limit: PAGE }))) yield showHold(ctx, hold);
}

/** What people have asked of the app: withdrawals, and erasures with their receipts. */
async function* requests(ctx: Context, owner: AppMode): AsyncGenerator<object> {
  for await (const rows of pages((before) => readWithdrawals(ctx, owner, { before, limit: PAGE })))
    yield* await showWithdrawals(ctx, NOBODY, rows);
  const { sql } = ctx;
  const { appId, live } = owner;
  const erasures = await sql<{ id: string; receipt: string; signature: string }[]>`
    select id, receipt, signature from erasures where app_id = ${appId} and live = ${live} and finished_at is not null order by id`;
  for (const { id, receipt, signature } of erasures) yield { object: 'erasure', id: showId('ers', id), receipt, signature };
}
