/**
 * Pending questions: a vendor took them and answers later. They are stored by what was asked, not by who asked: others who want the same record wait for the
 * same answer. A job that waits for hours holds no worker, only its row in the queue.
 */

import { type Answer, type LookupResult, ProviderFailure, type Receipt } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import { DEPLOYMENT } from '../foundation/data-keys.ts';
import { byteaArray } from '../foundation/recordset.ts';

export interface Pending {
  provider: string;
  ticket: string;
  ageMs: number;
  /** An answer that the vendor sent unasked. */
  answer: (LookupResult & { receipt?: Receipt }) | null;
}

/** What was asked: the cache key (base64), the same under other index keys, and the tier. */
export interface PendingKey {
  key: string;
  older: readonly string[] | null;
  tier: number;
}

/** `subject`: base64, like `CacheAddress.subject`. */
export interface PendingQuestion extends PendingKey {
  subject: string | null;
}

const everyKey = ({ key, older }: PendingKey): string => byteaArray([key, ...(older ?? [])].map((one) => Buffer.from(one, 'base64')));

/** When to poll again after waiting for `ageMs`: ever more rarely, since a job may wait for hours. */
export const nextPollMs = (askAgainMs: number, ageMs: number): number =>
  Math.round(Math.max(askAgainMs, Math.min(ageMs * POLL_GROWTH, POLL_MS_MAX)));

const POLL_GROWTH = 0.25;
const POLL_MS_MAX = 15 * 60_000;
/** A vendor that has not answered by then is asked again. */
const KEEP_HOURS = 72;

export async function readPending({ sql, cipher }: Context, asked: PendingKey): Promise<Pending | null> {
  const [row] = await sql<{ key: Buffer; provider: string; ticket: Buffer; answer: Buffer | null; ageMs: number }[]>`
    select key, provider, ticket, answer, extract(epoch from now() - asked_at)::float8 * 1000 as "ageMs" from pending_lookups
    where key = any(${everyKey(asked)}::bytea[]) and tier = ${asked.tier} and expires_at > now() order by asked_at desc limit 1`;
  if (!row) return null;
  const key = row.key.toString('base64');
  const { open } = await cipher.opener([row.ticket, row.answer]);
  return {
    provider: row.provider,
    ageMs: row.ageMs,
    ticket: open(row.ticket, 'ticket', key),
    answer: row.answer && readAnswer(open(row.answer, 'answer', key)),
  };
}

/** No two questions have the same reference, or an answer could go to the wrong one. */
const TICKET_INDEX = 'pending_lookups_ticket';

/** Throws `surprise` if the vendor has given the reference to another question that is pending. */
export async function writePending(
  { sql, cipher }: Context,
  { key, older, tier, subject }: PendingQuestion,
  { provider, ticket }: { provider: string; ticket: string },
  jobId: string,
): Promise<void> {
  const { seal } = await cipher.sealer(DEPLOYMENT);
  if (older !== null) await dropPending({ sql }, { key, older, tier });
  const written = sql`
    insert into pending_lookups (key, subject, tier, provider, ticket, ticket_index, job_id, expires_at)
    values (decode(${key}, 'base64'), decode(${subject}, 'base64'), ${tier}, ${provider}, ${seal(ticket, 'ticket', key)}, ${cipher.index('ticket', provider, ticket)}, ${jobId},
      now() + ${KEEP_HOURS} * interval '1 hour')
    on conflict (key, tier) do update set subject = excluded.subject, provider = excluded.provider, ticket = excluded.ticket, ticket_index = excluded.ticket_index,
      job_id = excluded.job_id, answer = null, asked_at = now(), expires_at = excluded.expires_at`;
  await written.catch((error: { constraint_name?: string }) => {
    if (error.constraint_name !== TICKET_INDEX) throw error;
    throw new ProviderFailure('surprise', { detail: 'the reference of a pending question is that of another one' });
  });
}

export async function dropPending({ sql }: Pick<Context, 'sql'>, asked: PendingKey): Promise<void> {
  await sql`delete from pending_lookups where key = any(${everyKey(asked)}::bytea[]) and tier = ${asked.tier}`;
}

/**
 * Stores what a vendor's message said and makes the waiting job due. A null answer: it is ready and will be fetched. False: no question with this vendor
 * reference is pending.
 */
export async function answerPending({ sql, cipher }: Context, provider: string, ticket: string, answer: Answer | null): Promise<boolean> {
  if (answer && 'pending' in answer) return true;
  const [row] = await sql<{ key: Buffer; tier: number; jobId: string }[]>`
    select key, tier, job_id from pending_lookups where provider = ${provider} and ticket_index = any(${byteaArray(cipher.indexes('ticket', provider, ticket))}::bytea[])`;
  if (!row) return false;
  const sealed = answer && (await cipher.sealer(DEPLOYMENT)).seal(writeAnswer(answer), 'answer', row.key.toString('base64'));
  await sql`
    with kept as (update pending_lookups set answer = coalesce(${sealed}, answer) where key = ${row.key} and tier = ${row.tier})
    update waiting_jobs set run_after = now() where job_id = ${row.jobId}`;
  return true;
}

const writeAnswer = ({ receipt, ...answer }: LookupResult & { receipt?: Receipt }): string =>
  JSON.stringify({ ...answer, receipt: receipt && { ...receipt, answerHash: receipt.answerHash?.toString('base64') ?? null } });

function readAnswer(text: string): LookupResult & { receipt?: Receipt } {
  const { receipt, ...answer } = JSON.parse(text);
  if (!receipt) return answer;
  return { ...answer, receipt: { ...receipt, answerHash: receipt.answerHash && Buffer.from(receipt.answerHash, 'base64') } };
}

export const dropExpiredPending = ({ sql }: Pick<Context, 'sql'>) => sql`delete from pending_lookups where expires_at < now()`;
