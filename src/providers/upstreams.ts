/**
 * The operator's file of vendors (CONFAM_UPSTREAMS): its schema, published as `docs/upstreams.schema.json`, and how providers are made from it. Credentials
 * are never in the file; it names the environment variables that hold them.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ENGINE_NAMES, type Provider, type RecordKind, recordKinds, type Tiers } from '../checks/provider.ts';
import { ConfigError, readJson, secretIn } from '../foundation/config.ts';
import { messageOf, parseWith } from '../foundation/validation.ts';
import { createSandbox } from '../sandbox/provider.ts';
import type { Adapter } from './adapter.ts';
import { adapters } from './adapters.ts';
import { checkRecord } from './records.ts';
import { openVendorHttp } from './vendor-http.ts';

/** Whom to ask for a record kind, in this order unless weights say otherwise. */
export interface Route {
  choices: { provider: string; weight: number | null }[];
  /** If the first has not answered by then, ask the next one too and take the first answer. Null: never. */
  hedgeAfterMs: number | null;
}

export type Routes = Partial<Record<RecordKind, Route>>;

export interface Upstreams {
  providers: Provider[];
  routes: Routes;
}

const kobo = z.number().int().min(0).max(100_000_000);

/** The bound of `timeout_ms`. The hold of a call outlasts it (`pipeline/settle.ts`). */
export const TIMEOUT_MS_MAX = 60_000;

const common = {
  requests_per_second: z
    .number()
    .positive()
    .max(100_000)
    .nullable()
    .default(null)
    .describe('For all processes, calls and batch work together; null: no limit'),
  burst: z.number().int().min(1).max(10_000).default(1).describe('Requests that may be sent at once'),
  reserved_for_calls: z
    .number()
    .min(0)
    .max(0.9)
    .default(0)
    .describe('Share of the rate reserved for single calls; batch work never uses it'),
  in_flight_max: z
    .number()
    .int()
    .min(1)
    .max(5_000)
    .default(50)
    .describe('Most calls in flight in one process; the actual limit adapts below it'),
  timeout_ms: z.number().int().min(100).max(TIMEOUT_MS_MAX).default(10_000).describe('From the request to the complete answer'),
  cost_kobo: z
    .partialRecord(z.enum(recordKinds), z.union([kobo, z.record(z.string().regex(/^[1-9]$/, 'must be a tier, such as 1'), kobo)]))
    .default({})
    .describe('What the vendor charges for a found record, or for each tier: { "nin": { "1": 8000, "3": 12000 } }'),
  charges_not_found: z.boolean().default(false).describe('The vendor also charges for "no record"'),
};

const sandboxUpstream = z.strictObject({
  adapter: z.literal('sandbox').describe('The built-in registry of invented people, for staging deployments'),
  ...common,
  latency_ms: z
    .partialRecord(z.enum(recordKinds), z.number().int().min(0).max(60_000))
    .default({})
    .describe('Simulated duration of a look-up'),
});

const variable = z
  .strictObject({ env: z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable') })
  .describe('The environment variable that holds the secret; the file itself never does');

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
      .describe('Certificate authorities to trust instead of the system’s, and our client certificate'),
    proxy: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Egress proxy'),
  });

const providerName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be lower-case letters, digits, - and _, at most 32');
const ownName = providerName.refine((name) => !engineNames.has(name), 'is reserved for an engine of this service');
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
      .describe('If the first provider has not answered by then, ask the next one too; both may charge'),
  }),
]);

export const upstreamsFile = z.strictObject({
  $schema: z.string().optional(),
  providers: z.record(ownName, z.discriminatedUnion('adapter', [sandboxUpstream, ...adapters.map(vendorUpstream)])),
  records: z
    .partialRecord(z.enum(recordKinds), route)
    .describe('For each record kind, the providers in the order in which they are asked; with weights, in random order by weight'),
});

type File = z.infer<typeof upstreamsFile>;
type Settings = File['providers'][string];
type VendorSettings = Extract<Settings, { base_url: string }>;

interface Surroundings {
  environment: Record<string, string | undefined>;
  /** Our own public address for vendors' callbacks; null: none. */
  publicUrl: string | null;
}

/** Throws `ConfigError` naming every wrong path in the file. */
export function readUpstreams(path: string, surroundings: Surroundings): Upstreams {
  const parsed = parseWith(upstreamsFile, readJson('CONFAM_UPSTREAMS', path));
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
        at.that(`"${provider}" cannot answer ${kind}: its adapter ${settings.adapter} does not serve that record`);
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

interface Complaint {
  that(message: string): void;
}
type Complain = (...at: (string | number)[]) => Complaint;

/** Checks what the schema cannot (variables, PEM files). The returned function opens the connections, once the whole file has proved valid. */
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
  const secrets = readSecrets(credentials, surroundings, (credential) => complain('providers', name, 'credentials', credential));
  const certificates = readCertificates(tls, (member) => complain('providers', name, 'tls', member));
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

/** By credential; without those whose variable is not set, which `wrongAt` is told. */
function readSecrets(
  credentials: VendorSettings['credentials'],
  { environment }: Surroundings,
  wrongAt: (credential: string) => Complaint,
): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const [credential, { env }] of Object.entries(credentials)) {
    try {
      const value = secretIn(environment, env);
      if (value === undefined) wrongAt(credential).that(`the environment variable ${env} is not set`);
      else secrets[credential] = value;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      wrongAt(credential).that(error.message);
    }
  }
  return secrets;
}

/** The PEM files' text; `wrongAt` is told of those that cannot be read. */
function readCertificates(tls: VendorSettings['tls'], wrongAt: (member: keyof VendorSettings['tls']) => Complaint) {
  const pem = (member: keyof VendorSettings['tls']): string | undefined => {
    const path = tls[member];
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      wrongAt(member).that(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  };
  return { ca: pem('ca_file'), cert: pem('client_cert_file'), key: pem('client_key_file') };
}

function whole(answer: Awaited<ReturnType<Provider['lookup']>>, lookup: Parameters<Provider['lookup']>[0]) {
  if (!('pending' in answer)) checkRecord(lookup, answer, answer.receipt);
  return answer;
}

/** The tier's cost, or that of the next richer tier with a price: richer data never costs less. */
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

/** If a member may have several forms, report the branch that matched furthest: it is the one that was meant. */
function flatten(issue: z.core.$ZodIssue, within: PropertyKey[] = []): Problem[] {
  const path = [...within, ...issue.path];
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path: path as (string | number)[], message }));
  if (issue.code !== 'invalid_union' || issue.errors.length === 0)
    return [{ path: path as (string | number)[], message: messageOf(issue) }];
  const depth = (branch: z.core.$ZodIssue[]) => Math.max(...branch.map((one) => one.path.length));
  const meant = issue.errors.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
  return meant.flatMap((one) => flatten(one, path));
}
