/** Which providers answer: the sandbox for test keys, and the providers of the operator's file (CONFAM_UPSTREAMS) for live keys. */

import { type Provider, type RecordKind, recordKinds } from '../checks/provider.ts';
import type { Config } from '../foundation/config.ts';
import { createSandbox } from '../sandbox/provider.ts';
import { type Routes, readUpstreams } from './upstreams.ts';

export interface Providers {
  live: readonly Provider[];
  test: readonly Provider[];
  /** For live keys. A kind without a route goes to all who serve it, in the order of `live`. */
  routes?: Routes;
}

export function configureProviders(config: Config, environment: Record<string, string | undefined> = process.env): Providers {
  const test = sandboxes(config.CONFAM_SANDBOX_LATENCY_MS);
  if (!config.CONFAM_UPSTREAMS) return { test, live: [] };
  const { providers, routes } = readUpstreams(config.CONFAM_UPSTREAMS, { environment, publicUrl: config.CONFAM_PUBLIC_URL ?? null });
  return { test, live: providers, routes };
}

/** Credit bureaus are providers of their own: one that is down or slow must not affect the others. */
const BUREAUS: readonly RecordKind[] = ['credit_crc', 'credit_first_central', 'credit_registry'];

function sandboxes(latency = 0): Provider[] {
  const latencyMs = Object.fromEntries(recordKinds.map((kind) => [kind, latency]));
  const kinds = Object.keys(createSandbox().serves) as RecordKind[];
  return [
    createSandbox({ kinds: kinds.filter((kind) => !BUREAUS.includes(kind)), latencyMs }),
    ...BUREAUS.filter((kind) => kinds.includes(kind)).map((kind) => createSandbox({ name: `sandbox_${kind}`, kinds: [kind], latencyMs })),
  ];
}
