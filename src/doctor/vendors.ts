/** Checks the vendors for live keys. */
import type { Config } from '../foundation/config.ts';
import { configureProviders } from '../providers/configure.ts';
import { about, type Finding } from './finding.ts';

export function checkUpstreams(config: Config): Finding {
  const upstreams = about('upstreams');
  if (!config.CONFAM_UPSTREAMS) return upstreams.note('CONFAM_UPSTREAMS is not set: live keys get no answers, test keys do');
  try {
    const { live } = configureProviders(config);
    return upstreams.ok(`${config.CONFAM_UPSTREAMS}: ${live.map(({ name }) => name).join(', ') || 'no vendor'}`);
  } catch (error) {
    return upstreams.broken((error as Error).message.replaceAll('\n', '; '));
  }
}
