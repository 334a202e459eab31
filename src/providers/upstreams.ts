/**
 * The operator's file of vendors (CONFAM_UPSTREAMS): its schema, which is published as `docs/upstreams.schema.json`, and how providers
 * are made of it. Credentials are never in the file: it names the environment variables that hold them.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ENGINE_NAMES, type Provider, type RecordKind, recordKinds, type Tiers } from '../checks/provider.ts';
import { ConfigError } from '../foundation/config.ts';
import { createSandbox } from '../sandbox/provider.ts';
import type { Adapter } from './adapter.ts';
import { adapters } from './adapters.ts';
import { checkRecord } from './records.ts';
import { openVendorHttp } from './vendor-http.ts';

/** Whom to ask for a record kind, in this order unless weights say otherwise. */
export interface Route {
  choices: { provider: string; weight: number | null }[];
  /** Ask the next one too when the first has not answered by then, and take the first answer. Null: never. */
  hedgeAfterMs: number | null;
}

export type Routes = Partial<Record<RecordKind, Route>>;

export interface Upstreams {
  providers: Provider[];
  routes: Routes;
}

const kobo = z.number().int().min(0).max(100_000_000);

const common = {
  requests_per_second: z
    .number()
    .positive()
    .max(100_000)
    .nullable()
    .default(null)
    .describe('Over all processes and both paths; null: no limit'),
  burst: z.number().int().min(1).max(10_000).default(1).describe('Requests that may come at once'),
  reserved_for_calls: z
    .number()
    .min(0)
    .max(0.9)
    .default(0)
    .describe('Share of the rate that batch work never takes, so that single calls find it free'),
  in_flight_max: z.number().int().min(1).max(5_000).default(50).describe('In one process; the limit adapts below it'),
  timeout_ms: z.number().int().min(100).max(60_000).default(10_000).describe('From the request to the whole answer'),
  cost_kobo: z
    .partialRecord(z.enum(recordKinds), z.union([kobo, z.record(z.string().regex(/^[1-9]$/, 'must be a tier, such as 1'), kobo)]))
    .default({})
    .describe('What the vendor charges for a record that it found, or by its tier: { "nin": { "1": 8000, "3": 12000 } }'),
  charges_not_found: z.boolean().default(false).describe('The vendor charges for "no record" as well'),
};

const sandboxUpstream = z.strictObject({
  adapter: z.literal('sandbox').describe('The built-in registry of invented people, for staging deployments'),
  ...common,
  latency_ms: z.partialRecord(z.enum(recordKinds), z.number().int().min(0).max(60_000)).default({}).describe('Simulated time of a look-up'),
});

const variable = z
  .strictObject({ env: z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable') })
  .describe('The environment variable that holds it; a secret itself is never in this file');

const file = z.string().min(1).describe('Path of a PEM file');

const vendorUpstream = (adapter: Adapter) =>
  z.strictObject({
    adapter: z.literal(adapter.id),
    base_url: adapter.baseUrl === null ? z.url({ protocol: /^https?$/ }) : z.url({ protocol: /^https?$/ }).default(adapter.baseUrl),
    credentials: z.strictObject(Object.fromEntries(adapter.credentials.map((name) => [name, variable]))),
    options: adapter.options.prefault({}),
    ...common,
    connect_timeout_ms: z.number().int().min(100).max(30_000).default(5_000),
    response_bytes_max: z
      .number()
      .int()
      .min(1024)
      .max(100 * 1024 * 1024)
      .default(5 * 1024 * 1024),
    tls: z
      .strictObject({ ca_file: file.optional(), client_cert_file: file.optional(), client_key_file: file.optional() })
      .default({})
      .describe('The certificate authorities to trust instead of the usual ones, and our certificate'),
    proxy: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Egress proxy'),
  });

const providerName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be lower case letters, digits, - and _, at most 32');
const ownName = providerName.refine((name) => !engineNames.has(name), 'is the name of an engine of this service');
const engineNames = new Set<string>(Object.values(ENGINE_NAMES));
const choice = z.union([providerName, z.strictObject({ provider: providerName, weight: z.number().positive().max(1_000) })]);
const choices = z.array(choice).min(1);
const route = z.union([
  choices,
  z.strictObject({
    providers: choices,
    hedge_after_ms: z
      .number()
      .int()
      .min(10)
      .max(30_000)
      .optional()
      .describe('Ask the next provider too when the first has not answered by then: both may charge'),
  }),
]);

export const upstreamsFile = z.strictObject({
  $schema: z.string().optional(),
  providers: z.record(ownName, z.discriminatedUnion('adapter', [sandboxUpstream, ...adapters.map(vendorUpstream)])),
  records: z
    .partialRecord(z.enum(recordKinds), route)
    .describe('For each record kind the providers in the order in which they are asked; with weights, in proportion to them'),
});

type File = z.infer<typeof upstreamsFile>;
type Settings = File['providers'][string];
type VendorSettings = Extract<Settings, { base_url: string }>;

interface Surroundings {
  environment: Record<string, string | undefined>;
  /** Ours, where vendors may call back; null: none. */
  publicUrl: string | null;
}

/** Throws `ConfigError` naming every path within the file that is wrong. */
export function readUpstreams(path: string, surroundings: Surroundings): Upstreams {
  const parsed = upstreamsFile.safeParse(readJson(path));
  if (!parsed.success) refuse(parsed.error.issues.flatMap((issue) => flatten(issue)));
  const { providers, records } = parsed.data;
  const problems: Problem[] = [];
  const complain = (...at: (string | number)[]) => ({
    that: (message: string) => void problems.push({ path: at, message }),
  });
  const routes: Routes = {};
  const kindsOf = new Map<string, RecordKind[]>(Object.keys(providers).map((name) => [name, []]));
  for (const [kind, declared] of Object.entries(records) as [RecordKind, z.infer<typeof route>][]) {
    const list = Array.isArray(declared) ? declared : declared.providers;
    routes[kind] = {
      choices: list.map((one) => (typeof one === 'string' ? { provider: one, weight: null } : one)),
      hedgeAfterMs: Array.isArray(declared) ? null : (declared.hedge_after_ms ?? null),
    };
    for (const [i, { provider }] of routes[kind].choices.entries()) {
      const settings = providers[provider];
      const at = complain('records', kind, ...(Array.isArray(declared) ? [] : ['providers']), i);
      if (!settings) at.that(`names "${provider}", which is not among the providers`);
      else if (servesOf(settings)[kind] === undefined)
        at.that(`"${provider}" cannot answer ${kind}: its adapter ${settings.adapter} has no such record`);
      else if (kindsOf.get(provider)!.includes(kind)) at.that(`names "${provider}" twice`);
      else kindsOf.get(provider)!.push(kind);
    }
  }
  const opened = Object.entries(providers).map(([name, settings]) => {
    const kinds = kindsOf.get(name)!;
    const serves = Object.fromEntries(kinds.map((kind) => [kind, servesOf(settings)[kind]!])) as Tiers;
    return openProvider(name, settings, serves, surroundings, complain);
  });
  if (problems.length > 0) refuse(problems);
  return { providers: opened.map((open) => open()), routes };
}

const adapterOf = (settings: Settings): Adapter | undefined => adapters.find(({ id }) => id === settings.adapter);

function servesOf(settings: Settings): Tiers {
  const adapter = adapterOf(settings);
  if (adapter) return adapter.serves((settings as VendorSettings).options as never);
  return createSandbox().serves;
}

type Complain = (...at: (string | number)[]) => { that(message: string): void };

/** What the file cannot know is looked at here (variables, PEM files); what is returned opens connections, when all of the file is right. */
function openProvider(name: string, settings: Settings, serves: Tiers, surroundings: Surroundings, complain: Complain): () => Provider {
  const shared = {
    name,
    serves,
    budget: {
      requestsPerSecond: settings.requests_per_second,
      burst: settings.burst,
      reservedForCalls: settings.reserved_for_calls,
      inFlightMax: settings.in_flight_max,
      timeoutMs: settings.timeout_ms,
    },
    cost: (kind: RecordKind, tier: number, found: boolean) => (found || settings.charges_not_found ? costOf(settings, kind, tier) : 0),
  };
  if (settings.adapter === 'sandbox') {
    const { latency_ms: latencyMs } = settings as z.infer<typeof sandboxUpstream>;
    return () => {
      const sandbox = createSandbox({ name, latencyMs });
      return { ...shared, lookup: (lookup) => sandbox.lookup(lookup) };
    };
  }
  const adapter = adapterOf(settings)!;
  const { credentials, tls, ...vendor } = settings as VendorSettings;
  const secrets: Record<string, string> = {};
  for (const [credential, { env }] of Object.entries(credentials)) {
    const value = surroundings.environment[env];
    if (value) secrets[credential] = value;
    else complain('providers', name, 'credentials', credential).that(`the environment variable ${env} is not set`);
  }
  const pem = (member: keyof typeof tls): string | undefined => {
    const path = tls[member];
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      complain('providers', name, 'tls', member).that(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  };
  const certificates = { ca: pem('ca_file'), cert: pem('client_cert_file'), key: pem('client_key_file') };
  return () => {
    const http = openVendorHttp({
      baseUrl: vendor.base_url,
      timeoutMs: vendor.timeout_ms,
      connectTimeoutMs: vendor.connect_timeout_ms,
      responseBytesMax: vendor.response_bytes_max,
      inFlightMax: vendor.in_flight_max,
      tls: certificates,
      proxy: vendor.proxy,
    });
    const callbackUrl = surroundings.publicUrl && `${surroundings.publicUrl}/v1/upstreams/${name}/callback`;
    const { poll, reconcile, ...calls } = adapter.open({ http, credentials: secrets, options: vendor.options as never, callbackUrl });
    return {
      ...shared,
      ...calls,
      lookup: async (lookup) => whole(await calls.lookup(lookup), lookup),
      ...(poll && { poll: async (ticket, lookup) => whole(await poll(ticket, lookup), lookup) }),
      ...(reconcile && {
        reconcile: async (lookup) => {
          const answer = await reconcile(lookup);
          return answer && whole(answer, lookup);
        },
      }),
      close: () => http.close(),
    } satisfies Provider;
  };
}

function whole(answer: Awaited<ReturnType<Provider['lookup']>>, lookup: Parameters<Provider['lookup']>[0]) {
  if (!('pending' in answer)) checkRecord(lookup, answer, answer.receipt);
  return answer;
}

/** Of the tier, or of the next richer one that has a price: nobody is charged less for more. */
function costOf({ cost_kobo }: Settings, kind: RecordKind, tier: number): number {
  const cost = cost_kobo[kind] ?? 0;
  if (typeof cost === 'number') return cost;
  const tiers = Object.keys(cost)
    .map(Number)
    .sort((a, b) => a - b);
  return cost[String(tiers.find((one) => one >= tier) ?? tiers.at(-1))] ?? 0;
}

interface Problem {
  path: (string | number)[];
  message: string;
}

function refuse(problems: Problem[]): never {
  throw new ConfigError(problems.map(({ path, message }) => `CONFAM_UPSTREAMS: ${path.join('.')}: ${message}`).join('\n'));
}

/** Of the forms that a member may have, the one that fits the furthest is the one that was meant. */
function flatten(issue: z.core.$ZodIssue, within: PropertyKey[] = []): Problem[] {
  const path = [...within, ...issue.path];
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path: path as (string | number)[], message }));
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path: path as (string | number)[], message: issue.message }];
  const depth = (branch: z.core.$ZodIssue[]) => Math.max(...branch.map((one) => one.path.length));
  const meant = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
  return meant.flatMap((one) => flatten(one, path));
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`CONFAM_UPSTREAMS: ${path} cannot be read as JSON (${(error as Error).name})`);
  }
}
