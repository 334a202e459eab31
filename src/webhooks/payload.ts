/**
 * Results inside a webhook: read when the message is sent, encrypted to the receiver's public key (JWE, RFC 7516), never stored. RSA-OAEP-256 for an RSA key,
 * ECDH-ES+A256KW for P-256 and X25519; content A256GCM.
 */
import type { Unopened } from '../contract/about.ts';
import { type JobRow, showJob } from '../contract/jobs.ts';
import type { EncryptionKey } from '../contract/webhooks.ts';
import type { Context } from '../foundation/context.ts';
import { parseId } from '../foundation/ids.ts';
import { entityOpener, openEntity, type StoredEntity } from '../jobs/entities.ts';
import { jobColumns } from '../jobs/job.ts';
import { attachBlocks, type InBlock } from '../jobs/result-blocks.ts';
import type { StoredEvent } from './events.ts';

/** Bound on a batch's results in one message, as JSON; the receiver fetches the rest. */
const RESULTS_BYTES_MAX = 256 * 1024;
/** Jobs read per query. */
const PAGE_JOBS = 200;
/** Whether results are final after an event of this type. */
export const carriesResults = (type: string): boolean =>
  /^(job\.(completed|failed)|batch\.(completed|canceled|failed|expired))$/.test(type);

/** Compact JWE of the results that `event` announces; null if it announces none. Throws if the key cannot encrypt. */
export async function encryptResults(ctx: Context, event: StoredEvent, key: EncryptionKey, openJobs: OpenJobs): Promise<string | null> {
  if (!carriesResults(event.type)) return null;
  const id = String(event.data.id);
  const results = event.type.startsWith('job.')
    ? await resultOfJob(ctx, parseId('job', id)!)
    : await resultsOfBatch(ctx, parseId('bat', id)!, id, openJobs);
  return encryptTo(key, JSON.stringify(results));
}

/** Throws if `key` is not a usable public key. */
export async function encryptTo(key: EncryptionKey, plain: string): Promise<string> {
  // Loaded for the first such webhook: few apps ask for one.
  const { CompactEncrypt, importJWK } = await import('jose');
  const alg = key.kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW';
  return new CompactEncrypt(Buffer.from(plain))
    .setProtectedHeader({ alg, enc: 'A256GCM', cty: 'json', ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .encrypt(await importJWK(key, alg));
}

/** Tells the key from others in the audit (RFC 7638, SHA-256 in base64url). */
export async function thumbprintOf(key: EncryptionKey): Promise<string> {
  const { calculateJwkThumbprint } = await import('jose');
  return calculateJwkThumbprint(key);
}

type JobWithResult = JobRow & StoredEntity;

/** Implemented by `batches/submitted.ts`, which is above this room, because the reference of a batch's job is in its row. */
export type OpenJobs = (ctx: Context, jobs: readonly Unopened<JobWithResult>[]) => Promise<JobWithResult[]>;

async function resultOfJob(ctx: Context, id: string) {
  const [job] = await ctx.sql<(StoredEntity & InBlock)[]>`
    select j.id as entity_of, r.entity, r.entity_images, j.batch_id, j.result_block, j.result_slot
    from jobs j left join results r on r.job_id = j.id where j.id = ${id}`;
  if (job) await attachBlocks(ctx, [job]);
  return { result: job ? openEntity(await entityOpener(ctx.cipher, [job]), job) : null };
}

/** The batch's first jobs in row order, each as `GET /jobs/{id}` shows it. */
async function resultsOfBatch(ctx: Context, batchId: string, id: string, openJobs: OpenJobs) {
  const results: unknown[] = [];
  const answer = (truncated: boolean) => ({ results, truncated, results_url: `/api/v1/batches/${id}/results?format=jsonl` });
  let bytes = 0;
  let after = { row: 0, check: '' };
  for (;;) {
    const jobs = await openJobs(ctx, await readPage(ctx, batchId, after));
    const opener = await entityOpener(ctx.cipher, jobs);
    for (const job of jobs) {
      const result = { ...showJob(job), result: openEntity(opener, job) };
      bytes += Buffer.byteLength(JSON.stringify(result));
      if (bytes > RESULTS_BYTES_MAX) return answer(true);
      results.push(result);
    }
    const last = jobs.at(-1);
    if (!last || jobs.length < PAGE_JOBS) return answer(false);
    after = { row: last.rowNumber!, check: last.checkId };
  }
}

/** A duplicate shows its original's result. */
const readPage = (ctx: Context, batchId: string, after: { row: number; check: string }) => ctx.sql<Unopened<JobWithResult>[]>`
  select ${ctx.sql.unsafe(jobColumns)}, coalesce(original.id, j.id) as entity_of, coalesce(original.result_block, j.result_block) as result_block,
    coalesce(original.result_slot, j.result_slot) as result_slot, r.entity, r.entity_images
  from jobs j
  left join jobs original on original.batch_id = j.batch_id and original.check_id = j.check_id and original.row_number = j.twin_row
  left join results r on r.job_id = coalesce(original.id, j.id)
  where j.batch_id = ${batchId} and (j.row_number, j.check_id) > (${after.row}, ${after.check})
  order by j.row_number, j.check_id limit ${PAGE_JOBS}`;
