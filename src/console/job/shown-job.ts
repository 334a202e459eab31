/** A job as its page and that of its review case show it. */
import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { isJobOver } from '../../client/jobs.ts';
import type { Stated } from '../../client/purpose.ts';
import { type Resource, useResource } from '../parts/resource.tsx';
import { client } from '../state.ts';

const EVERY_MS = 3_000;

/**
 * Read again until it has ended. `of` is what was read; `shown` makes of that what is to be seen: what was shown in clear stays, also when the page is read again
 * after the connection was lost. `show` takes what an action answered.
 */
export function useShownJob(id: string, stated: Stated = {}): { of: Resource<Job>; shown(job: Job): Job; show(job: Job): void } {
  const [isOpen, setOpen] = useState(true);
  const of = useResource(`job ${id}`, (signal) => client.jobs.read(id, signal, stated), { everyMs: isOpen ? EVERY_MS : null });
  const [inClear, setInClear] = useState<Job | null>(null);
  const isOver = of.data !== null && isJobOver(of.data);
  useEffect(() => setOpen(!isOver), [isOver]);
  return { of, shown: (job) => inClear ?? job, show: (job) => (job.masked ? of.set(() => job) : setInClear(job)) };
}
