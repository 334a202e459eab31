/** A job with its result: in clear to a key, masked to a person, who sees what was submitted too. `reveal.ts` shows it to people in clear. */
import type { z } from 'zod';
import { readSubmitted } from '../batches/submitted.ts';
import { knownCheck } from '../checks/catalog.ts';
import { imageInputs } from '../checks/inputs.ts';
import { type jobWithResult, showJob } from '../contract/jobs.ts';
import { masked } from '../contract/masking.ts';
import { openEntity } from '../jobs/entities.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { Service } from '../pipeline/service.ts';
import type { Http } from './http.ts';

type Shown = z.infer<typeof jobWithResult>;

/** In clear, as keys see it. */
export const showInClear = ({ cipher }: Pick<Service, 'cipher'>, job: StoredJob): Shown => ({
  ...showJob(job),
  result: openEntity(cipher, job),
});

/** What was submitted for each job, without pictures. */
export async function submittedOf(service: Service, jobs: readonly StoredJob[]): Promise<Record<string, unknown>[]> {
  const submitted = await readSubmitted(service, jobs);
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

/** As whoever asks may see them. */
export async function showJobs(c: Http, service: Service, jobs: readonly StoredJob[]): Promise<Shown[]> {
  if (!c.get('session')) return jobs.map((job) => showInClear(service, job));
  const submitted = await submittedOf(service, jobs);
  return jobs.map((job, at) => {
    const shown = showInClear(service, job);
    return { ...shown, result: masked(shown.result, knownCheck(job.checkId).images), submitted: masked(submitted[at]!), masked: true };
  });
}
