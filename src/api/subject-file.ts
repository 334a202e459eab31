/**
 * The file of everything held on a person: JSON, written while it is sent, from what `lifecycle/export.ts` has found. Data deleted in the meantime is not in it.
 */
import { clearancesOf } from '../aml/clearing.ts';
import { allMatches, monitorsOf, readMonitor } from '../aml/monitors.ts';
import { keptImages } from '../batches/images.ts';
import { readBlocks } from '../batches/row-blocks.ts';
import { openJobs } from '../batches/submitted.ts';
import { recordKinds } from '../checks/provider.ts';
import type { UnopenedBatch } from '../contract/batches.ts';
import { showInstant } from '../contract/fields.ts';
import type { Identifier } from '../contract/subjects.ts';
import { showId } from '../foundation/ids.ts';
import { type StoredJob, selectJobs } from '../jobs/job.ts';
import { marksOf } from '../lifecycle/data-subjects.ts';
import type { ExportRow } from '../lifecycle/export.ts';
import type { Service } from '../pipeline/service.ts';
import { readTrail } from '../providers/provider-report.ts';
import { listReviews } from '../reviews/reviews.ts';
import { readPortrait } from '../sandbox/portraits/read.ts';
import { callerOf, type Http } from './http.ts';
import { clearanceWithReason, consentsOf, named, revealsOf, reviewWithNotes } from './kept-items.ts';
import { showAsked } from './providers.ts';
import { showInClear, submittedOf } from './shown-job.ts';

/** Jobs or rows read at a time. */
const PAGE = 50;

const NOT_INCLUDED = [
  {
    what: 'audit, ledger, usage',
    why: 'they name nobody, unless the operator did in the note of a top-up; the audit of a job is read by its id',
  },
  { what: 'events and their deliveries', why: 'they hold ids, status and counts' },
  { what: 'answers kept for an Idempotency-Key', why: 'copies of what is here, kept for a day' },
  { what: 'answers that apps of the deployment share', why: 'they may come from another app' },
  { what: 'legal holds', why: 'they hold keyed hashes of identifiers, and a reason that is not searched' },
  {
    what: 'reference, metadata, consent and names of columns of batches, saved mappings, and results about somebody else that name the person',
    why: 'they are not searched',
  },
  {
    what: 'notes and reasons that people wrote about somebody else: in review cases, clearances, approvals and for seeing a job in clear',
    why: 'they are not searched',
  },
];

/** `row`: an export that is done, and what was asked. */
export async function* subjectFile(
  c: Http,
  service: Service,
  row: ExportRow,
  { identifiers, reason }: { identifiers: Identifier[]; reason: string | null },
): AsyncGenerator<Uint8Array> {
  const about = {
    object: 'subject_file',
    export: showId('exp', row.id),
    app: showId('app', row.appId),
    mode: row.live ? 'live' : 'test',
    asked_at: showInstant(row.askedAt),
    reason,
    identifiers,
    not_included: NOT_INCLUDED,
  };
  yield Buffer.from(JSON.stringify(about, null, 1).replace(/\n\}$/, ''));
  yield* list('jobs', singles(c, service, row, 'jobs'));
  yield* list('calls', singles(c, service, row, 'calls'));
  yield* list('rows', rows(c, service, row));
  yield* list('rows_to_correct', invalidRows(service, row));
  yield* list('monitors', monitors(service, row, identifiers));
  yield* list('clearances', clearances(service, row, identifiers));
  yield* list('cached_answers', cached(service, row, identifiers));
  yield* list('portraits', portraits(service, row, identifiers));
  yield Buffer.from('\n}\n');
}

async function* list(name: string, items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`,\n "${name}": [`);
  let between = '\n  ';
  for await (const item of items) {
    yield Buffer.from(between + JSON.stringify(item));
    between = ',\n  ';
  }
  yield Buffer.from(']');
}

function* pages<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += PAGE) yield items.slice(at, at + PAGE);
}

/** Single jobs, each with what was submitted, or records of calls. */
async function* singles(c: Http, service: Service, { appId, live, found }: ExportRow, kind: 'jobs' | 'calls') {
  const isJob = kind === 'jobs';
  for (const page of pages(found![kind])) {
    const stored = await service.sql<StoredJob[]>`
      ${selectJobs(service.sql)}
      where j.id = any(${page}::uuid[]) and j.app_id = ${appId} and j.live = ${live} and not exists (select 1 from deletions d where d.id = j.id) order by j.id`;
    const jobs = await openJobs<StoredJob>(service, stored);
    const submitted = isJob ? await submittedOf(service, jobs) : [];
    for (const [at, shown] of (await wholeJobs(c, service, jobs)).entries()) yield isJob ? { ...shown, submitted: submitted[at] } : shown;
  }
}

/** Jobs in clear, with all that belongs to each. */
async function wholeJobs(c: Http, service: Service, jobs: readonly StoredJob[]) {
  const [inClear, consents] = await Promise.all([showInClear(callerOf(c), service, jobs), consentsOf(service, jobs)]);
  return Promise.all(
    jobs.map(async (job, at) => {
      const owner = { appId: job.appId, live: job.live };
      const filter = { states: null, kind: null, assignee: null, jobId: job.id, before: null, limit: 1 };
      const [images, trail, seen, [review]] = await Promise.all([
        keptImages(service, job.id),
        readTrail(service, job.entityOf),
        revealsOf(service, job.id),
        listReviews(service, owner, filter),
      ]);
      return {
        ...inClear[at]!,
        consent: consents[at],
        pictures: images,
        vendors_asked: trail.map(showAsked),
        seen_in_clear: seen,
        review: review ? await reviewWithNotes(service, review) : null,
      };
    }),
  );
}

/** Null if it was deleted in the meantime. */
async function batchOf({ sql }: Service, { appId, live }: ExportRow, id: string): Promise<UnopenedBatch | null> {
  const [batch] = await sql<UnopenedBatch[]>`
    select * from batches where id = ${id} and app_id = ${appId} and live = ${live} and deleted_at is null`;
  return batch ?? null;
}

async function* rows(c: Http, service: Service, row: ExportRow) {
  for (const [id, numbers] of Object.entries(row.found!.rows)) {
    const batch = await batchOf(service, row, id);
    if (!batch) continue;
    for (const page of pages(numbers)) {
      const stored = await service.sql<StoredJob[]>`
        ${selectJobs(service.sql)} where j.batch_id = ${id} and j.row_number = any(${page}::int[]) order by j.row_number, j.check_id`;
      const jobs = await openJobs<StoredJob>(service, stored);
      const shown = await wholeJobs(c, service, jobs);
      const present = [...new Set(jobs.map((job) => job.rowNumber!))];
      const { open } = await readBlocks(service, id, present);
      for (const number of present) {
        const own = jobs.flatMap((job, at) => (job.rowNumber === number ? [{ job, shown: shown[at]! }] : []));
        // Batches of earlier releases have each row with its job.
        const kept = own[0]!.job;
        const raw: unknown = kept.input === null ? open(number) : JSON.parse(await service.cipher.open(kept.input, 'input', kept.id));
        yield { batch: showId('bat', id), row: number, submitted: named(batch, raw), jobs: own.map((one) => one.shown) };
      }
    }
  }
}

async function* invalidRows(service: Service, row: ExportRow) {
  for (const [id, numbers] of Object.entries(row.found!.invalidRows)) {
    const batch = await batchOf(service, row, id);
    if (!batch) continue;
    const stored = await service.sql<{ rowNumber: number; input: Buffer; problems: unknown }[]>`
      select row_number, input, problems from invalid_rows where batch_id = ${id} and row_number = any(${numbers}::int[]) and input is not null order by row_number`;
    for (const { rowNumber, input, problems } of stored) {
      const raw: unknown = JSON.parse(await service.cipher.open(input, 'invalid_row', `${id}:${rowNumber}`));
      yield { batch: showId('bat', id), row: rowNumber, submitted: named(batch, raw), problems };
    }
  }
}

async function* monitors(service: Service, row: ExportRow, identifiers: readonly Identifier[]) {
  for (const id of await monitorsOf(service, row, marksOf(service.cipher, row, identifiers).subjects)) {
    const matches: object[] = [];
    for await (const match of allMatches(service, id)) matches.push(match);
    yield { ...(await readMonitor(service, row, id)), matches };
  }
}

/** Also those that were revoked. */
async function* clearances(service: Service, row: ExportRow, identifiers: readonly Identifier[]) {
  for (const one of await clearancesOf(service, row, marksOf(service.cipher, row, identifiers).subjects))
    yield await clearanceWithReason(service, one);
}

/** The app's own answers of registries. */
async function* cached({ cache }: Service, { appId, live }: ExportRow, identifiers: readonly Identifier[]) {
  for (const identifier of identifiers) {
    if (identifier.type === 'person') continue;
    for (const kind of recordKinds) {
      for (const { result, provider } of await cache.about({ appId, live, scope: 'app' }, kind, identifier.value))
        if (result.found) yield { identifier, kind, provider, record: result.record };
    }
  }
}

/** Enrolled in the sandbox. */
async function* portraits(service: Service, { appId, live }: ExportRow, identifiers: readonly Identifier[]) {
  for (const identifier of live ? [] : identifiers) {
    if (identifier.type !== 'nin' && identifier.type !== 'bvn') continue;
    const kept = await readPortrait(service, { appId }, identifier.type, identifier.value);
    if (kept) yield { identifier, image: kept.image.toString('base64') };
  }
}
