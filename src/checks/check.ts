/**
 * What a check is. It is declared once, in `src/checks/<family>.ts`, and everything else reads that declaration: routing, validation,
 * bulk columns, quote, price, cache, results and documentation.
 */
import type { z } from 'zod';
import type { RecordKind } from '../providers/provider.ts';

export type Family = 'nin' | 'bvn';

/** Asks for a registry record: cache first, then the providers. Throws `ProviderFailure` when nobody could answer. */
export type Lookup = (
  kind: RecordKind,
  tier: number,
  identifier: string,
) => Promise<{ found: true; record: Record<string, unknown> } | { found: false }>;

type CheckResult = { found: true; entity: Record<string, unknown> } | { found: false };

export interface Check {
  /** Stable id: in `POST /jobs`, `checks=` of a batch, prices, metrics. */
  id: string;
  family: Family;
  summary: string;
  route: { method: 'GET'; path: string };
  /** `meta.service` where the observed name differs from the id. */
  service: string;
  /** Members are the query parameters and the bulk columns; all are strings. Unknown members are ignored. */
  input: z.ZodType<Record<string, string | undefined>> & z.ZodObject;
  entity: z.ZodObject;
  /** Entity members that hold images (base64): left out of CSV results, since no spreadsheet cell takes them. */
  images: readonly string[];
  priceKobo: number;
  /** Of an answer from the cache. */
  cachedPriceKobo: number;
  /** The entity is all that was looked up, so that it serves the cache too (also for poorer tiers). */
  entityIsRecord: boolean;
  /** The identifier that is looked up: what masks, erases and de-duplicates by. */
  subject(input: Record<string, string | undefined>): string;
  run(input: Record<string, string | undefined>, lookup: Lookup): Promise<CheckResult>;
}

/** Infers the input and entity types of one declaration, so that `subject` and `run` are checked against their schemas. */
export function defineCheck<Input extends z.ZodObject, Entity extends z.ZodObject>(declaration: {
  id: string;
  family: Family;
  summary: string;
  path: string;
  service?: string;
  input: Input;
  entity: Entity;
  images?: readonly (keyof z.infer<Entity> & string)[];
  priceKobo: number;
  cachedPriceKobo: number;
  entityIsRecord: boolean;
  subject(input: z.infer<Input>): string;
  run(input: z.infer<Input>, lookup: Lookup): Promise<{ found: true; entity: z.infer<Entity> } | { found: false }>;
}): Check {
  const { path, service, images, ...rest } = declaration;
  return { ...rest, route: { method: 'GET', path }, service: service ?? declaration.id, images: images ?? [] } as unknown as Check;
}

/**
 * The members of `record` that `entity` declares, in its order; absent ones become empty strings, as the registries send them.
 * Registry records are flat and textual; a provider's adapter has parsed them already.
 */
export function project<Entity extends z.ZodObject>(entity: Entity, record: Record<string, unknown>): z.infer<Entity> {
  const projected: Record<string, unknown> = {};
  for (const member of Object.keys(entity.shape)) projected[member] = record[member] ?? '';
  return projected as z.infer<Entity>;
}
