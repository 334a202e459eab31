/**
 * Finds everything held on a person in an app, in steps like an erasure, for the file that `api/subject-file.ts` writes when somebody takes it. What was found is
 * kept as ids and row numbers only, for a week; other apps' data is never looked at.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { type Author, record } from '../access/audit/append.ts';
import type { AppMode, Asking } from '../access/owner.ts';
import { forgetApprovals } from '../approvals/approvals.ts';
import type { Identifier } from '../contract/subjects.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import type { FoundOfPerson, subjectExports } from '../schema/lifecycle.ts';
import { type DataSubjects, dataSubjectsOf, type Matches, marksOf, typesOf, union } from './data-subjects.ts';
import { FailedItems } from './failed-items.ts';
import { type FoundRow, findCalls, findInvalid, findJobs, findRows, JOBS, nextBatches, stepOf } from './find-data-subjects.ts';

export type ExportRow = typeof subjectExports.$inferSelect;

export interface ExportRequest {
  identifiers: Identifier[];
  reason: string | null;
}

/** An approval may take three days; the file can be taken for some days more. */
const KEPT_DAYS = 7;
const ENDED_AT_ONCE = 100;
const ASKED = 'subject_export';

/** `asked` runs last in the transaction. */
export async function askExport(
  { sql, cipher }: Context,
  { appId, live, keyId = null, personId = null }: Asking,
  about: ExportRequest,
  by: Author,
  asked: (tx: Tx, row: ExportRow) => Promise<void>,
): Promise<ExportRow> {
  const id = newId();
  const { seal } = await cipher.sealer({ appId });
  return sql.begin(async (tx) => {
    const [row] = await tx<ExportRow[]>`
      insert into subject_exports (id, app_id, live, key_id, person_id, asked, expires_at)
      values (${id}, ${appId}, ${live}, ${keyId}, ${personId}, ${seal(JSON.stringify(about), ASKED, id)}, now() + ${KEPT_DAYS} * interval '1 day') returning *`;
    await record(tx, by, {
      appId,
      live,
      action: 'subject.export',
      object: showId('exp', id),
      detail: { types: typesOf(about.identifiers) },
    });
    await asked(tx, row!);
    return row!;
  });
}

/** Null once the export has ended. */
export const openAsked = async (
  { cipher }: Pick<Context, 'cipher'>,
  { id, asked }: Pick<ExportRow, 'id' | 'asked'>,
): Promise<ExportRequest | null> => asked && (JSON.parse(await cipher.open(asked, ASKED, id)) as ExportRequest);

/**
 * Ends what has expired, then works on open requests, oldest first, until there is nothing to do. Rests between steps as long as they took. Throws at the end if
 * any failed.
 */
export async function advanceExports(ctx: Context, stop: AbortSignal, failed = new FailedItems()): Promise<void> {
  await ctx.sql.begin(async (tx) => {
    const over = await tx<{ id: string }[]>`
      select id from subject_exports where asked is not null and expires_at <= now() limit ${ENDED_AT_ONCE} for update skip locked`;
    await end(tx, over);
  });
  while (!stop.aborted) {
    const began = performance.now();
    if (!(await failed.attempt('exp', (take) => ctx.sql.begin((tx) => advance(ctx, tx, failed.ids(), take))))) break;
    await rest(performance.now() - began);
  }
  failed.tell();
}

/** One step. False: nothing is open, or other processes are working on it. */
async function advance(ctx: Context, tx: Tx, except: readonly string[], take: (ids: readonly string[]) => void): Promise<boolean> {
  const [row] = await tx<ExportRow[]>`
    select * from subject_exports where finished_at is null and id <> all(${except}::uuid[]) order by id limit 1 for update skip locked`;
  if (!row) return false;
  take([row.id]);
  const found: FoundOfPerson = row.found ?? { jobs: [], calls: [], rows: {}, invalidRows: {} };
  const next = await step(
    ctx,
    tx,
    { ...row, found },
    dataSubjectsOf(ctx.cipher, marksOf(ctx.cipher, row, (await openAsked(ctx, row))!.identifiers)),
  );
  await tx`
    update subject_exports set stage = ${next.stage}, cursor = ${next.cursor}, row = ${next.row}, found = ${JSON.stringify(found)}::text::jsonb,
      finished_at = ${next.stage === 'done' ? tx`now()` : null}
    where id = ${row.id}`;
  return true;
}

type Place = Pick<ExportRow, 'stage' | 'cursor' | 'row'>;

/** Adds to `found`, and says where the next step begins. */
async function step({ cipher }: Context, tx: Tx, row: ExportRow & { found: FoundOfPerson }, dataSubjects: DataSubjects): Promise<Place> {
  const { stage, found } = row;
  const at = (next: ExportRow['stage'], cursor: string | null = null, upTo = 0): Place => ({ stage: next, cursor, row: upTo });
  if (stage === 'jobs') {
    const { jobs, next } = await findJobs(cipher, tx, row, dataSubjects, null);
    found.jobs.push(...jobs.map(({ id }) => id));
    return next === null ? at('calls') : at('jobs', next);
  }
  if (stage === 'calls') {
    const calls = await findCalls(tx, row, dataSubjects);
    found.calls.push(...calls.map(({ id }) => id));
    return calls.length < JOBS ? at('batches') : at('calls', calls.at(-1)!.id);
  }
  const {
    suspects: [next],
    upTo,
  } = await nextBatches(cipher, tx, row, dataSubjects);
  if (!next) return upTo === null ? at('done') : at('batches', upTo);
  const { id } = next.batch;
  const { among, to, isLast } = stepOf(next, id === row.cursor ? row.row : 0);
  addRows(found.rows, id, await findRows(cipher, tx, dataSubjects, next.batch, among));
  addRows(found.invalidRows, id, await findInvalid(cipher, tx, dataSubjects, next.batch, among));
  return at('batches', id, isLast ? 0 : to);
}

/** A row that shares an answer may be of a later step, and is found there again. */
function addRows(all: Record<string, number[]>, batch: string, rows: readonly FoundRow[]): void {
  if (rows.length > 0)
    all[batch] = [...new Set([...(all[batch] ?? []), ...rows.map(({ row }) => row)])].toSorted((one, other) => one - other);
}

/** Newest first. `id`: only that one; `before`: only older ones. */
export async function readExports(
  { sql }: Context,
  { appId, live }: AppMode,
  { id, before, limit }: { id: string | null; before: string | null; limit: number },
): Promise<ExportRow[]> {
  return sql<ExportRow[]>`
    select * from subject_exports
    where ${ownedBy(sql, { appId, live })} ${narrowed(sql, [id !== null && sql`id = ${id}`, before !== null && sql`id < ${before}`])}
    order by live desc, id desc limit ${limit}`;
}

/** Deletes who these exports are about, and the reasons given for them. */
async function end(tx: Tx, exports: readonly { id: string }[]): Promise<void> {
  if (exports.length === 0) return;
  await tx`
    update subject_exports set asked = null, found = null, finished_at = coalesce(finished_at, now()), stage = 'done'
    where id = any(${exports.map(({ id }) => id)}::uuid[])`;
  await forgetApprovals(
    tx,
    exports.map(({ id }) => showId('exp', id)),
  );
}

/** Ends the exports that name an identifier of these people, because they are being erased. Returns whose each was. */
export async function endExportsAbout(
  ctx: Pick<Context, 'cipher'>,
  tx: Tx,
  { appId, live }: AppMode,
  { bySubject }: DataSubjects,
): Promise<Matches[]> {
  const open = await tx<
    ExportRow[]
  >`select * from subject_exports where app_id = ${appId} and live = ${live} and asked is not null order by id for update`;
  const opened = await Promise.all(open.map(async (row) => ({ ...row, identifiers: (await openAsked(ctx, row))!.identifiers })));
  const named = opened.flatMap((row) => {
    const matches = union(...marksOf(ctx.cipher, row, row.identifiers).subjects.map((subject) => bySubject.get(subject) ?? []));
    return matches.length > 0 ? [{ id: row.id, matches }] : [];
  });
  await end(tx, named);
  return named.map(({ matches }) => matches);
}
