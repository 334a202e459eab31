/** Which providers answer: the sandbox for test keys, and for live keys what the operator's file (CONFAM_UPSTREAMS) names. */

import { type Provider, type RecordKind, recordKinds } from '../checks/provider.ts';
import type { Config } from '../foundation/config.ts';
import { createSandbox } from '../sandbox/provider.ts';
import { type Routes, readUpstreams } from './upstreams.ts';

export interface Providers {
  live: readonly Provider[];
  test: readonly Provider[];
  /** For live keys; a kind without a route is asked of whoever serves it, in their order. */
  routes?: Routes;
}

export function configureProviders(config: Config, environment: Record<string, string | undefined> = process.env): Providers {
  const test = sandboxes(config.CONFAM_SANDBOX_LATENCY_MS);
  if (!config.CONFAM_UPSTREAMS) return { test, live: [] };
  const { providers, routes } = readUpstreams(config.CONFAM_UPSTREAMS, { environment, publicUrl: config.CONFAM_PUBLIC_URL ?? null });
  return { test, live: providers, routes };
}

/** Bureaus are vendors of their own: one that is down or slow must not touch the others. */
const BUREAUS: readonly RecordKind[] = ['credit_crc', 'credit_first_central', 'credit_registry'];

function sandboxes(latency = 0): Provider[] {
  const latencyMs = Object.fromEntries(recordKinds.map((kind) => [kind, latency]));
  const kinds = Object.keys(createSandbox().serves) as RecordKind[];
  return [
    createSandbox({ kinds: kinds.filter((kind) => !BUREAUS.includes(kind)), latencyMs }),
    ...BUREAUS.filter((kind) => kinds.includes(kind)).map((kind) => createSandbox({ name: `sandbox_${kind}`, kinds: [kind], latencyMs })),
  ];
}
