/**
 * The adapter interface: how to ask one vendor for the records it serves. An adapter turns look-ups into requests and answers into records; it knows nothing
 * about budgets, breakers or retries. `docs/providers.md` says what was verified against what.
 */
import { z } from 'zod';
import {
  type Answer,
  describeIssues,
  type Lookup,
  type Provider,
  ProviderFailure,
  type Receipt,
  type Tiers,
  type VendorMessage,
} from '../checks/provider.ts';
import type { VendorHttp } from './vendor-http.ts';

/** One configured vendor, as its adapter sees it. */
export interface Vendor<Credential extends string = string, Options = unknown> {
  http: VendorHttp;
  credentials: Record<Credential, string>;
  options: Options;
  /** Where the vendor may send late answers; null if we have no public address. */
  callbackUrl: string | null;
}

export interface Adapter {
  id: string;
  /** Names of the credentials; each is read from an environment variable. */
  credentials: readonly string[];
  /** The adapter's own settings in the file. */
  options: z.ZodObject;
  /** The vendor's production address; null if the operator must name one. */
  baseUrl: string | null;
  /** The record kinds that it can answer with these options, each up to a tier. */
  serves(options: never): Tiers;
  open(vendor: Vendor<string, never>): Pick<Provider, 'lookup' | 'poll' | 'reconcile' | 'receive'>;
}

/** Type-checks the members of an adapter against each other. */
export function defineAdapter<const Credential extends string, Options extends z.ZodObject>(adapter: {
  id: string;
  credentials: readonly Credential[];
  options: Options;
  baseUrl: string | null;
  serves(options: z.infer<Options>): Tiers;
  open(vendor: Vendor<Credential, z.infer<Options>>): {
    lookup(lookup: Lookup): Promise<Answer>;
    poll?(ticket: string, lookup: Lookup): Promise<Answer>;
    reconcile?(lookup: Lookup): Promise<Answer | null>;
    receive?(message: VendorMessage): Promise<{ ticket: string; answer: Answer | null } | null>;
  };
}): Adapter {
  return adapter as unknown as Adapter;
}

/** For adapters without settings of their own. */
export const noOptions = z.strictObject({});

/** Parses the vendor's answer by its documented schema. Anything else is a surprise, reported by path and never by value. */
export function expectShape<Schema extends z.ZodType>(schema: Schema, body: unknown, receipt: Receipt): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ProviderFailure('surprise', { receipt, detail: describeIssues(parsed.error) });
}
