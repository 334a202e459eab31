/** A job with its result: in clear to a key, masked to a person, who sees what was submitted too. `reveal.ts` shows it to people in clear. */
import type { z } from 'zod';
import type { AppMode, Owner } from '../access/owner.ts';
import { readSubmitters } from '../access/submitters.ts';
import { readClearedNow, type StoredScreening } from '../aml/cleared-now.ts';
import { SCREENING } from '../aml/subjects-of-job.ts';
import { readSubmitted } from '../batches/submitted.ts';
import { SCREENED as COMPANY_SCREENING } from '../checks/cac.ts';
import { knownCheck } from '../checks/catalog.ts';
import type { ScreenedCompany } from '../checks/company-screening.ts';
import { imageInputs } from '../checks/inputs.ts';
import type { ScreeningEntity } from '../checks/screening.ts';
import { type jobWithResult, showJob } from '../contract/jobs.ts';
import { masked } from '../contract/masking.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { entityOpener, openEntity } from '../jobs/entities.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { Service } from '../pipeline/service.ts';
import { callerOf, type Http } from './http.ts';

type Shown = z.infer<typeof jobWithResult>;

/** In clear, as keys see them, with who submitted each. */
export async function showInClear(
  asking: Pick<Owner, 'keyId' | 'terms'>,
  { cipher, sql }: { cipher: Service['cipher']; sql: Sql | Tx },
  jobs: readonly StoredJob[],
): Promise<Shown[]> {
  const submitterOf = await readSubmitters({ cipher, sql }, asking, jobs);
  const opener = await entityOpener(cipher, jobs);
  return jobs.map((job) => ({ ...showJob(job), created_by: submitterOf(job), result: openEntity(opener, job) }));
}

/** The same jobs, their screenings with the hits that are cleared by now. */
export async function withCleared(service: Service, owner: AppMode, jobs: readonly StoredJob[], shown: readonly Shown[]): Promise<Shown[]> {
  const screenings = shown.flatMap(({ result }, at) => {
    const { checkId, subject } = jobs[at]!;
    const screening = subject && result && screeningOf(checkId, subject, result);
    return screening ? [{ at, screening }] : [];
  });
  if (screenings.length === 0) return [...shown];
  const read = await readClearedNow(
    service,
    service.digestOf,
    owner,
    screenings.map(({ screening }) => screening),
  );
  const cleared = new Map(screenings.map(({ at }, i) => [at, read[i]!]));
  return shown.map((job, at) => (cleared.has(at) ? { ...job, cleared: cleared.get(at)! } : job));
}

/** Null for a result without hits. */
function screeningOf(checkId: string, subject: Buffer, result: Record<string, unknown>): StoredScreening | null {
  if (checkId === SCREENING) {
    const entity = result as ScreeningEntity;
    return entity.hits.length > 0 ? { subject, entity } : null;
  }
  if (checkId !== COMPANY_SCREENING) return null;
  const company = result as unknown as ScreenedCompany & { overall_risk: { total_hits: number } };
  return company.overall_risk.total_hits > 0 ? { company } : null;
}

/** What was submitted for each job, without pictures. */
export async function submittedOf(ctx: Context, jobs: readonly StoredJob[]): Promise<Record<string, unknown>[]> {
  const submitted = await readSubmitted(ctx, jobs);
  return jobs.map((job) => {
    const check = knownCheck(job.checkId);
    const read = submitted(job);
    const images = imageInputs(check);
    const values = Object.keys(check.input.shape).flatMap((name) => {
      const value = images.includes(name) ? undefined : read(name);
      return value === undefined || value === null || value === '' ? [] : [[name, value]];
    });
    return Object.fromEntries(values);
  });
}

/** Shows jobs as the caller may see them. `sql`: the transaction that has made them. */
export async function showJobs(
  c: Http,
  service: Service,
  jobs: readonly StoredJob[],
  { sql = service.sql }: { sql?: Sql | Tx } = {},
): Promise<Shown[]> {
  const owner = callerOf(c);
  const inClear = await withCleared(service, owner, jobs, await showInClear(owner, { cipher: service.cipher, sql }, jobs));
  if (!c.get('session')) return inClear;
  const submitted = await submittedOf(service, jobs);
  return inClear.map((shown, at) => ({
    ...shown,
    result: masked(shown.result, knownCheck(jobs[at]!.checkId).images),
    submitted: masked(submitted[at]!),
    masked: true,
  }));
}
