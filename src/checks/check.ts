/**
 * What a check is. It is declared once, in `src/checks/<family>.ts`, and everything else reads that declaration: routing, validation,
 * bulk columns, quote, price, cache, results and documentation.
 */
import { z } from 'zod';
import type { FaceProblem } from '../engines/face/face.ts';
import type { Hints, Needs, Pictures, RecordKind } from './provider.ts';

/** Checks that share upstreams and a worker pool. */
export type Family = 'nin' | 'bvn' | 'cac' | 'tin' | 'credit' | 'document' | 'email' | 'aml' | 'face';

export interface LookupOptions {
  hints?: Hints;
  /** Makes it a question that is put every time, and whose answer nobody shares or keeps. */
  pictures?: Pictures;
  /** Shortens the wait for a paused provider, for a record that the check can do without. */
  waitMaxMs?: number;
  /** Throws `ProviderFailure` for a record that it cannot read: its provider has then failed, and nothing of it is charged or cached. */
  read?: (record: Record<string, unknown>) => unknown;
  /** Told who answered, whether there is a record or not; `cache` also stands for another request's look-up. */
  onAnswer?: (source: 'provider' | 'cache') => void;
}

/** Asks for a registry record: cache first, then the providers. Throws `ProviderFailure` when nobody could answer. */
export type Lookup = (
  kind: RecordKind,
  tier: number,
  identifier: string,
  options?: LookupOptions,
) => Promise<{ found: true; record: Record<string, unknown> } | { found: false }>;

/** Codes of `foundation/errors.ts`. */
export type RefusalCode = 'subject_mismatch' | 'portrait_not_enrolled' | 'portrait_not_on_record' | FaceProblem;

/** What was sent contradicts the record or cannot be compared with it, so that there is nothing to tell and nothing to pay: a refused call, a failed job. */
export class CheckRefusal extends Error {
  readonly code: RefusalCode;
  /** The input that is to blame. Null: none alone is, and the message says all. */
  readonly field: string | null;
  constructor(message: string, code: RefusalCode = 'subject_mismatch', field: string | null = null) {
    super(message);
    this.name = 'CheckRefusal';
    this.code = code;
    this.field = field;
  }
}

/** Whoever was checked is to be kept under watch (`src/aml/`). */
export interface Monitored {
  /** The check's input, by which the person is found and checked again. */
  input: Record<string, string | undefined>;
}

/** An answer that several sources make up in equal parts: a part that no source answered costs nothing. */
export interface Parts {
  of: number;
  /** Answered for this request. */
  asked: number;
  /** Answered before. */
  cached: number;
}

/** `detail`: a sentence that says more than that there is no record. */
type NotFound = { found: false; detail?: string };
type CheckResult = { found: true; entity: Record<string, unknown>; monitor?: Monitored; parts?: Parts } | NotFound;

export interface Check {
  /** Stable id: in `POST /jobs`, `checks=` of a batch, prices, metrics. */
  id: string;
  family: Family;
  summary: string;
  route: { method: 'GET' | 'POST'; path: string };
  /** `meta.service` where the observed name differs from the id. */
  service: string;
  /** The label of an announced check (`in sandbox preview`); null: it is available. */
  stage: string | null;
  /** Members are the parameters of the call and the bulk columns; parsed, all are strings. Unknown members are ignored. */
  input: z.ZodType<Record<string, string | undefined>> & z.ZodObject;
  entity: z.ZodObject;
  /** Entity members that hold images (base64): left out of CSV results, since no spreadsheet cell takes them. */
  images: readonly string[];
  /** Entity members, by their path, that are lists of objects: how they are told in a cell of CSV or XLSX. */
  cells: Readonly<Record<string, (value: unknown) => string>>;
  priceKobo: number;
  /** Of an answer from the cache. */
  cachedPriceKobo: number;
  /** When it costs less than its price, in a sentence; null: it never does. */
  priceRule: string | null;
  /** False: every answer is made anew, since what it depends on is not the subject's record. */
  cacheable: boolean;
  /** Who must be there for it to be answered. */
  needs: Needs;
  /** Largest body of a call in bytes. */
  bodyBytesMax: number;
  /** The entity is all that was looked up, so that it serves the cache too (also for poorer tiers). */
  entityIsRecord: boolean;
  /** The identifier that is looked up, in one form however it was written: what masks and erases by. */
  subject(input: Record<string, string | undefined>): string;
  /** All that is asked, in one form however it was written. Rows of a batch that ask the same are twins: looked up and charged once. */
  question(input: Record<string, string | undefined>): string;
  run(input: Record<string, string | undefined>, lookup: Lookup): Promise<CheckResult>;
}

/** Larger than any text may be, so that one that is too long is refused by its name. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

/** Infers the input and entity types of one declaration, so that `subject` and `run` are checked against their schemas. */
export function defineCheck<Input extends z.ZodObject, Entity extends z.ZodObject>(declaration: {
  id: string;
  family: Family;
  summary: string;
  /** Default GET. */
  method?: 'GET' | 'POST';
  path: string;
  service?: string;
  stage?: string;
  input: Input;
  entity: Entity;
  images?: readonly (keyof z.infer<Entity> & string)[];
  cells?: Check['cells'];
  priceKobo: number;
  cachedPriceKobo: number;
  priceRule?: string;
  /** Default true. */
  cacheable?: boolean;
  needs: Needs;
  bodyBytesMax?: number;
  entityIsRecord: boolean;
  subject(input: z.infer<Input>): string;
  /** Default: the parsed input, each member as its schema leaves it. */
  question?(input: z.infer<Input>): string;
  run(
    input: z.infer<Input>,
    lookup: Lookup,
  ): Promise<{ found: true; entity: z.infer<Entity>; monitor?: Monitored; parts?: Parts } | NotFound>;
}): Check {
  const {
    method = 'GET',
    path,
    service = declaration.id,
    stage = null,
    images = [],
    cells = {},
    priceRule = null,
    cacheable = true,
    bodyBytesMax = BODY_BYTES_MAX,
    question = defaultQuestion(declaration.input),
    ...rest
  } = declaration;
  return {
    ...rest,
    route: { method, path },
    service,
    stage,
    images,
    cells,
    priceRule,
    cacheable,
    bodyBytesMax,
    question,
  } as unknown as Check;
}

function defaultQuestion(schema: z.ZodObject): Check['question'] {
  const [only, ...others] = Object.keys(schema.shape);
  return others.length === 0 ? (input) => input[only!]! : (input) => JSON.stringify(input);
}

/**
 * The members of `record` that `entity` declares, in its order, at every depth. What the record does not have becomes an empty string, as
 * the registries send it, an empty list, or null for anything else. A provider's adapter has parsed the values already.
 */
export function project<Entity extends z.ZodObject>(entity: Entity, record: Record<string, unknown>): z.infer<Entity> {
  const projected: Record<string, unknown> = {};
  for (const member of Object.keys(entity.shape))
    projected[member] = projectMember(entity.shape[member] as z.ZodType, record[member] ?? null);
  return projected as z.infer<Entity>;
}

function projectMember(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodString) return value ?? '';
  if (schema instanceof z.ZodNullable) return value === null ? null : projectMember(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray)
    return Array.isArray(value) ? value.map((item) => projectMember(schema.element as z.ZodType, item)) : [];
  return schema instanceof z.ZodObject && value !== null ? project(schema, value as Record<string, unknown>) : value;
}
