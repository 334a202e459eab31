/**
 * Clearances: an app's analyst decided that a listed person is not the screened one. The hit is still shown but does not count, as long as the entry is
 * unchanged (its digest), the clearance has not expired and nobody has revoked it. The reason, the analyst and the entry are stored as ciphertext.
 */
import { type Author, record } from '../access/audit/append.ts';
import type { AppMode } from '../access/owner.ts';
import { knownCheck } from '../checks/catalog.ts';
import { readInput, sentence } from '../checks/read-input.ts';
import type { ClearanceBody, ClearanceNote, ClearanceRow } from '../contract/clearances.ts';
import { personMembers } from '../contract/clearances.ts';
import type { CreatedBy } from '../contract/created-by.ts';
import type { Context } from '../foundation/context.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { amlClearances } from '../schema/aml.ts';
import type { DigestOf } from './digests.ts';
import { digestIndexes, openSource, sealSource, sourceIndexes } from './listings.ts';
import { SCREENING, subjectsOfJob } from './subjects-of-job.ts';

/** `cleared_by`: who decided. */
export type NewClearance = ClearanceBody & { cleared_by: string };

/**
 * Clears a hit, replacing any earlier clearance of the same person and entry. Throws `ApiError` if the person or the entry is unknown or invalid, or if the entry has
 * changed since `body.list_version`. `createdBy`: who records it, with their name.
 */
export async function createClearance(
  ctx: Context,
  digestOf: DigestOf,
  owner: AppMode,
  body: NewClearance,
  { by, createdBy }: { by: Author; createdBy: CreatedBy },
): Promise<ClearanceRow> {
  const subjects = body.job === undefined ? subjectsOf(ctx, body) : await subjectsToClear(ctx, owner, body.job);
  const [subject] = subjects;
  const digest = await digestOf(owner.live, body.list, body.source_id);
  if (digest === null) throw new ApiError('resource_not_found', 'No current list has such an entry');
  // Checked after reading the digest, so that a change in between is noticed.
  if (owner.live && body.list_version !== undefined && (await hasChanged(ctx, { ...body, listVersion: body.list_version })))
    throw new ApiError('conflict', 'The entry has changed since that screening: screen again and decide on the current entry');
  const indexes = sourceIndexes(ctx.cipher, owner, body.source_id);
  const [keyedDigest] = digestIndexes(ctx.cipher, owner, { list: body.list, sourceId: body.source_id, digest });
  const id = newId();
  const sealer = await ctx.cipher.sealer(owner);
  const note = sealNote(sealer, id, { reason: body.reason, clearedBy: body.cleared_by, createdBy });
  return ctx.sql.begin(async (tx) => {
    // Two concurrent requests must not both find nothing to replace.
    await tx`select 1 from apps where id = ${owner.appId} for no key update`;
    await tx`
      update aml_clearances set revoked_at = now()
      where app_id = ${owner.appId} and live = ${owner.live} and subject = any(${byteaArray(subjects)}::bytea[]) and list = ${body.list}
        and (source_index = any(${byteaArray(indexes)}::bytea[]) or source_id = ${body.source_id}) and revoked_at is null`;
    const [row] = await tx<StoredClearance[]>`
      insert into aml_clearances (id, app_id, live, subject, list, source, source_index, digest, note, expires_at)
      values (${id}, ${owner.appId}, ${owner.live}, ${subject}, ${body.list}, ${sealSource(sealer, id, body.source_id)},
        ${indexes[0]}, ${keyedDigest}, ${note}, ${body.expires_at})
      returning *`;
    await record(tx, by, { appId: row!.appId, live: row!.live, action: 'clearance.create', object: showId('clr', id), subject });
    return { ...row!, sourceId: body.source_id };
  });
}

/** Whether the entry has changed since the list version with this label. The sandbox lists never change. */
async function hasChanged({ sql }: Context, { list, source_id, listVersion }: { list: string; source_id: string; listVersion: string }) {
  const [unchanged] = await sql`
    select 1 from aml_entries e join aml_list_versions shown on shown.list = e.list and shown.label = ${listVersion}
    where e.list = ${list} and e.source_id = ${source_id} and e.to_version is null and e.from_version <= shown.id limit 1`;
  return unchanged === undefined;
}

type StoredClearance = typeof amlClearances.$inferSelect;

async function openClearances({ cipher }: Pick<Context, 'cipher'>, rows: readonly StoredClearance[]): Promise<ClearanceRow[]> {
  const opener = await cipher.opener(rows.map(({ source }) => source));
  return rows.map((row) => withSource(opener, row));
}

const withSource = (opener: Opener, row: StoredClearance): ClearanceRow => ({
  ...row,
  sourceId: row.source === null ? row.sourceId! : openSource(opener, row.id, row.source),
});

/** Follows the screening's own rules, so that both mean the same person. */
function subjectsOf({ cipher }: Context, body: ClearanceBody): [Buffer, ...Buffer[]] {
  const check = knownCheck(SCREENING);
  const read = readInput(check, (field) => body[personMembers.find((member) => member === field)!]);
  if ('input' in read) return cipher.indexes('subject', check.family, check.subject(read.input));
  throw new ApiError('invalid_request', sentence(read.problems), {
    details: read.problems.map((problem) => ({ path: problem.field ?? '', message: problem.message, rule: problem.rule })),
  });
}

async function subjectsToClear(ctx: Context, owner: AppMode, job: string): Promise<[Buffer, ...Buffer[]]> {
  const [current, ...others] = await subjectsOfJob(ctx, owner, parseId('job', job), 'aml_clearances');
  if (!current) throw new ApiError('resource_not_found', 'There is no such screening');
  return [current, ...others];
}

export interface ClearanceFilter {
  /** The last id of the previous page. */
  before: string | null;
  limit: number;
  list: string | null;
  sourceId: string | null;
  /** Only clearances of the person that this job screened; undefined: of everybody. */
  jobId?: string | null | undefined;
  /** Also those that were revoked or replaced. */
  isEndedToo?: boolean;
}

/** Clearances in force, newest first. */
export async function listClearances(ctx: Context, { appId, live }: AppMode, filter: ClearanceFilter): Promise<ClearanceRow[]> {
  const { sql, cipher } = ctx;
  const { before, limit, list, sourceId, jobId, isEndedToo = false } = filter;
  const subjects = jobId === undefined ? [] : await subjectsOfJob(ctx, { appId, live }, jobId, 'aml_clearances');
  const indexes = sourceId === null ? [] : sourceIndexes(cipher, { appId, live }, sourceId);
  const rows = await sql<StoredClearance[]>`
    select * from aml_clearances
    where ${ownedBy(sql, { appId, live })}
      ${narrowed(sql, [
        !isEndedToo && sql`revoked_at is null`,
        before !== null && sql`id < ${before}`,
        list !== null && sql`list = ${list}`,
        sourceId !== null && sql`(source_index = any(${byteaArray(indexes)}::bytea[]) or source_id = ${sourceId})`,
        jobId !== undefined && sql`subject = any(${byteaArray(subjects)}::bytea[])`,
      ])}
    order by live desc, id desc limit ${limit}`;
  return openClearances(ctx, rows);
}

/** Clearances of these subjects that count at the moment. One that does not open is left out: the reason for it is lost, so the hit counts. */
export async function clearancesInForce(
  ctx: Context,
  digestOf: DigestOf,
  { appId, live }: AppMode,
  subjects: readonly Buffer[],
): Promise<ClearanceRow[]> {
  const rows = await ctx.sql<StoredClearance[]>`
    select * from aml_clearances
    where app_id = ${appId} and live = ${live} and subject = any(${byteaArray(subjects)}::bytea[])
      and revoked_at is null and (expires_at is null or expires_at > now())`;
  const opener = await ctx.cipher.opener(rows.flatMap(({ note, source }) => (source === null ? [note] : [note, source])));
  const opened = rows.flatMap((row) => {
    try {
      openNote(opener, row);
      return [withSource(opener, row)];
    } catch (error) {
      ctx.log.error({ clearance: showId('clr', row.id), err: error }, 'clearance does not open');
      return [];
    }
  });
  const lapsed = await Promise.all(opened.map((row) => isLapsed(ctx, digestOf, row)));
  return opened.filter((_, at) => !lapsed[at]);
}

/** Every clearance of these subjects (HMACs in hex), oldest first, also those that were revoked or replaced. */
export async function clearancesOf(
  { sql, cipher }: Context,
  { appId, live }: AppMode,
  subjects: readonly string[],
): Promise<ClearanceRow[]> {
  const rows = await sql<StoredClearance[]>`
    select * from aml_clearances
    where app_id = ${appId} and live = ${live} and subject = any(${byteaArray(subjects)}::bytea[]) order by id`;
  return openClearances({ cipher }, rows);
}

/** False if unknown, already revoked, or of another app or mode. */
export async function revokeClearance({ sql }: Context, { appId, live }: AppMode, id: string, by: Author): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [revoked] = await tx<{ subject: Buffer }[]>`
      update aml_clearances set revoked_at = now()
      where id = ${id} and app_id = ${appId} and live = ${live} and revoked_at is null returning subject`;
    if (!revoked) return false;
    await record(tx, by, { appId, live, action: 'clearance.revoke', object: showId('clr', id), subject: revoked.subject });
    return true;
  });
}

/** Whether it has expired, or the entry has changed since it was cleared. */
export async function isLapsed({ cipher }: Context, digestOf: DigestOf, row: ClearanceRow): Promise<boolean> {
  if (row.expiresAt !== null && Date.parse(row.expiresAt) <= Date.now()) return true;
  const digest = await digestOf(row.live, row.list, row.sourceId);
  if (digest === null) return true;
  const expected = row.sourceIndex === null ? [Buffer.from(digest, 'hex')] : digestIndexes(cipher, row, { ...row, digest });
  return !expected.some((one) => row.digest.equals(one));
}

const NOTE = 'clearance';
const sealNote = (sealer: Sealer, id: string, note: ClearanceNote): Buffer => sealer.seal(JSON.stringify(note), NOTE, id);
/** Throws if the key that sealed it is missing from the configuration. */
export const openNote = (opener: Opener, { id, note }: Pick<ClearanceRow, 'id' | 'note'>): ClearanceNote =>
  JSON.parse(opener.open(note, NOTE, id));
