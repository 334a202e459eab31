/** Which providers answer: the sandbox for test keys, and for live keys what the operator's file (CONFAM_UPSTREAMS) names. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Config, ConfigError } from '../config.ts';
import { type Provider, type RecordKind, recordKinds } from './provider.ts';
import { createSandbox } from './sandbox/sandbox.ts';

const upstream = z.strictObject({
  /** `sandbox`: the built-in registry of invented people, for staging deployments. */
  adapter: z.enum(['sandbox']),
  requests_per_second: z.number().positive().max(100_000).nullable().default(null),
  burst: z.number().int().min(1).max(10_000).default(1),
  in_flight_max: z.number().int().min(1).max(5_000).default(50),
  timeout_ms: z.number().int().min(100).max(30_000).default(10_000),
  /** Simulated time of a look-up. */
  latency_ms: z.partialRecord(z.enum(recordKinds), z.number().int().min(0).max(60_000)).default({}),
});

/** `docs/providers.md` describes it. */
const upstreams = z
  .strictObject({
    providers: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), upstream),
    records: z.partialRecord(z.enum(recordKinds), z.array(z.string())),
  })
  .superRefine((file, context) => {
    for (const [kind, names] of Object.entries(file.records)) {
      for (const [i, name] of (names ?? []).entries()) {
        if (!file.providers[name])
          context.addIssue({ code: 'custom', path: ['records', kind, i], message: `names "${name}", which is not among the providers` });
      }
    }
  });

export function configureProviders(config: Config): { live: Provider[]; test: Provider[] } {
  return { test: sandboxes(config.CONFAM_SANDBOX_LATENCY_MS), live: config.CONFAM_UPSTREAMS ? readUpstreams(config.CONFAM_UPSTREAMS) : [] };
}

/** Bureaus are vendors of their own: one that is down or slow must not touch the others. */
const BUREAUS: readonly RecordKind[] = ['credit_crc', 'credit_first_central', 'credit_registry'];

function sandboxes(latency = 0): Provider[] {
  const latencyMs = Object.fromEntries(recordKinds.map((kind) => [kind, latency]));
  const registry = createSandbox({ latencyMs });
  return [
    { ...registry, kinds: registry.kinds.filter((kind) => !BUREAUS.includes(kind)) },
    ...BUREAUS.filter((kind) => registry.kinds.includes(kind)).map((kind) =>
      createSandbox({ name: `sandbox_${kind}`, kinds: [kind], latencyMs }),
    ),
  ];
}

/** The providers in the file's order for each record kind. Throws `ConfigError` naming the path within the file. */
function readUpstreams(path: string): Provider[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`CONFAM_UPSTREAMS: ${path} cannot be read as JSON (${(error as Error).name})`);
  }
  const parsed = upstreams.safeParse(json);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `CONFAM_UPSTREAMS: ${issue.path.join('.')}: ${issue.message}`).join('\n'));
  const { providers, records } = parsed.data;
  return Object.entries(providers).map(([name, settings]) => {
    const sandbox = createSandbox({
      name,
      latencyMs: settings.latency_ms,
      budget: {
        requestsPerSecond: settings.requests_per_second,
        burst: settings.burst,
        inFlightMax: settings.in_flight_max,
        timeoutMs: settings.timeout_ms,
      },
    });
    return {
      name,
      budget: sandbox.budget,
      kinds: recordKinds.filter((kind) => records[kind]?.includes(name)),
      lookup: (lookup) => sandbox.lookup(lookup),
    };
  });
}
