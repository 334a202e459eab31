/** Jobs of the simulated vendor: answered at once, or after the time that the script sets. They are kept in memory, up to a maximum. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { findCheck } from '../checks/catalog.ts';
import { CheckRefusal, isFlagged } from '../checks/check.ts';
import { ProviderFailure } from '../checks/provider.ts';
import { naira } from '../contract/fields.ts';
import type { jobWithResult } from '../contract/jobs.ts';
import { jobBody, showJobError } from '../contract/jobs.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import { type Finding, type Question, readQuestion } from './questions.ts';
import { type Reply, resourceReply, retryAfter } from './replies.ts';

interface Job {
  id: string;
  question: Question;
  reference: string | null;
  metadata: Record<string, unknown> | null;
  createdMs: number;
  /** On the clock of `performance.now()`. */
  dueMs: number;
  /** Determined when the job is due and somebody asks; null: not yet. */
  outcome: Promise<Outcome> | null;
}

type Outcome = (Finding | { error: string }) & { completedMs: number };

export interface Jobs {
  submit(fields: Record<string, unknown>, pendingMs: number, waitMs: number): Promise<Reply>;
  read(id: string): Promise<Reply>;
}

const KEPT_MAX = 50_000;

export function openJobs(ask: (question: Question) => Promise<Finding>): Jobs {
  const jobs = new LRUCache<string, Job>({ max: KEPT_MAX });

  async function finish({ question }: Job): Promise<Outcome> {
    const answer = await ask(question).catch((error: unknown) => ({ error: errorCodeOf(error) }));
    return { ...answer, completedMs: Date.now() };
  }

  async function show(job: Job): Promise<Reply> {
    const location = { Location: `/api/v1/jobs/${job.id}` };
    if (performance.now() < job.dueMs) return resourceReply(202, describe(job, null), { ...location, ...retryAfter(1) });
    job.outcome ??= finish(job);
    const outcome = await job.outcome;
    const entity = describe(job, outcome);
    const reply = resourceReply(200, entity, location);
    if (!('found' in outcome && outcome.found)) return reply;
    const { question } = job;
    return {
      ...reply,
      found: { question, entity: outcome.entity, with: (result) => ({ ...reply.body, entity: { ...entity, result } }) },
    };
  }

  return {
    async submit(fields, pendingMs, waitMs) {
      const { question, reference = null, metadata = null } = readJob(fields);
      // A client that waits for the whole time gets its answer then, whatever the timers' accuracy.
      const isAwaited = pendingMs <= waitMs;
      const dueMs = isAwaited ? 0 : performance.now() + pendingMs;
      const job: Job = { id: showId('job', newId()), question, reference, metadata, createdMs: Date.now(), dueMs, outcome: null };
      jobs.set(job.id, job);
      const heldMs = Math.min(pendingMs, waitMs);
      if (heldMs > 0) await sleep(heldMs);
      return show(job);
    },
    async read(id) {
      const job = jobs.get(id);
      if (!job) throw new ApiError('resource_not_found', 'There is no such job');
      const reply = await show(job);
      return { ...reply, status: 200, headers: {} };
    },
  };
}

function readJob(fields: Record<string, unknown>) {
  const parsed = jobBody.safeParse(fields);
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ path, message, code }) => ({ path: path.join('.'), message, rule: code as string }));
    throw new ApiError('invalid_request', details.map(({ path, message }) => `${path} ${message}`).join('; '), { details });
  }
  const { check: id, input, ...rest } = parsed.data;
  const check = findCheck(id);
  if (!check)
    throw new ApiError('invalid_request', 'check is not in the catalogue', {
      details: [{ path: 'check', message: 'is not in the catalogue', rule: 'unknown_check' }],
    });
  return { ...rest, question: readQuestion(check, input) };
}

function errorCodeOf(error: unknown): string {
  if (error instanceof CheckRefusal) return error.code;
  if (!(error instanceof ProviderFailure)) throw error;
  if (error.code === 'not_configured') return 'provider_not_configured';
  return error.code === 'invalid' ? 'invalid_identifier' : 'provider_failed';
}

function describe(job: Job, outcome: Outcome | null): z.infer<typeof jobWithResult> {
  const { check } = job.question;
  const error = outcome && 'error' in outcome ? outcome.error : null;
  const finding = outcome && 'found' in outcome ? outcome : null;
  return {
    id: job.id,
    object: 'job',
    check: check.id,
    status: outcome === null ? 'queued' : error === null ? 'completed' : 'failed',
    outcome: finding && (finding.found ? 'found' : 'not_found'),
    flagged: finding !== null && isFlagged(check, finding.found ? finding.entity : null),
    reference: job.reference,
    metadata: job.metadata,
    batch: null,
    row: null,
    duplicate_of: null,
    service: check.service,
    billed_amount: finding?.found ? naira(check.priceKobo) : 0,
    cached: false,
    attempts: outcome === null ? 0 : 1,
    error: showJobError(error),
    latency_ms: outcome && outcome.completedMs - job.createdMs,
    created_at: new Date(job.createdMs).toISOString(),
    next_attempt_at: null,
    completed_at: outcome && new Date(outcome.completedMs).toISOString(),
    live: true,
    result: finding?.found ? finding.entity : null,
  };
}
