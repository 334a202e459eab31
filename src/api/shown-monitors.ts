/**
 * Monitors as the caller may see them. Where the app demands a reason or an approval to see people in clear, a person sees a monitor masked, unless they may see the
 * job that started it.
 */
import type { z } from 'zod';
import { masked } from '../contract/masking.ts';
import type { monitorAnswer } from '../contract/monitors.ts';
import { parseId } from '../foundation/ids.ts';
import { jobsInClear } from './asking.ts';
import type { Http } from './http.ts';
import type { Tools } from './tools.ts';

type Monitor = z.infer<typeof monitorAnswer> & { matches?: { at: string }[] };

export async function showMonitors<Shown extends Monitor>(
  c: Http,
  tools: Pick<Tools, 'service'>,
  monitors: readonly Shown[],
): Promise<Shown[]> {
  const isInClear = await jobsInClear(
    c,
    tools,
    monitors.map(({ job }) => parseId('job', job)!),
  );
  return monitors.map((monitor) => (isInClear(parseId('job', monitor.job)!) ? monitor : maskedMonitor(monitor)));
}

function maskedMonitor<Shown extends Monitor>(monitor: Shown): Shown {
  const { name, date_of_birth, country, matches } = monitor;
  return {
    ...monitor,
    ...masked({ name, date_of_birth, country }),
    ...(matches && { matches: matches.map(({ at, ...hit }) => ({ ...masked(hit), at })) }),
    masked: true,
  };
}
