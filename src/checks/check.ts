/**
 * What a check is. Each check is declared once, in `src/checks/<family>.ts`. Everything else reads that declaration: routing, validation, bulk
 * columns, quotes, prices, the cache, results and documentation.
 */
import { z } from 'zod';
import type { FaceProblem } from '../engines/face/face.ts';
import { digest } from '../foundation/crypto.ts';
import type { FAMILIES } from '../foundation/families.ts';
import type { Hints, Needs, RecordKind, Tiers } from './provider.ts';

/** Checks that share upstreams and a worker pool. */
export type Family = (typeof FAMILIES)[number];

/** In base64, bare or as a data: URI; or the name of a picture that was sent with a call (`sent-pictures.ts`). */
export type PictureTexts = Record<'selfie', string> & Partial<Record<'portrait', string>>;

export interface LookupOptions {
  hints?: Hints;
  /** With pictures, the question is always asked again, and the answer is neither shared nor kept. */
  pictures?: PictureTexts;
  /** Asked for every request and never cached, because the answer depends on more than its subject. Does not count when an answer is called cached. */
  isFresh?: boolean;
  /** Shorter wait for a paused provider, for a record that the check can do without. */
  waitMaxMs?: number;
  /**
   * Kinds without any of which this record is of no use. While their providers are all away for longer than `waitMaxMs`, or none is prepared, no provider is asked
   * for this record, and `ProviderUnavailable` or their `ProviderFailure` is thrown.
   */
  onlyWith?: { any: Tiers; waitMaxMs: number };
  /** Throws `ProviderFailure` for a record that it cannot read. The provider has then failed, and the record is neither charged nor cached. */
  read?: (record: Record<string, unknown>) => unknown;
  /** Reports the source of the answer, whether or not there is a record. `cache` also means another request's look-up. */
  onAnswer?: (source: 'provider' | 'cache') => void;
}

/** Asks for a registry record: the cache first, then the providers. Throws `ProviderFailure` if nobody could answer. */
export type Lookup = (
  kind: RecordKind,
  tier: number,
  identifier: string,
  options?: LookupOptions,
) => Promise<{ found: true; record: Record<string, unknown> } | { found: false }>;

/** Codes of `foundation/errors.ts`. */
export type RefusalCode = 'subject_mismatch' | 'portrait_not_enrolled' | 'portrait_not_on_record' | FaceProblem;

/** The input contradicts the record or cannot be compared with it, so there is no answer and no charge: a call is refused, a job fails. */
export class CheckRefusal extends Error {
  readonly code: RefusalCode;
  /** The input at fault. Null if no single one is; the message then says everything. */
  readonly field: string | null;
  constructor(message: string, code: RefusalCode = 'subject_mismatch', field: string | null = null) {
    super(message);
    this.name = 'CheckRefusal';
    this.code = code;
    this.field = field;
  }
}

/** The person checked is to be monitored (`src/aml/`). */
export interface Monitored {
  /** The check's input, which identifies the person and is used for rescreening. */
  input: Record<string, string | undefined>;
  /** By list, the label of the version of which the answer shows every hit. */
  shown: Record<string, string>;
}

/** Parts of an answer that several sources share equally. A part that no source answered costs nothing. */
export interface Parts {
  of: number;
  /** Parts that were looked up for this request. */
  asked: number;
  /** Parts that came from the cache. */
  cached: number;
}

/** `detail`: a sentence that says more than that there is no record. */
type NotFound = { found: false; detail?: string };
type CheckResult = { found: true; entity: Record<string, unknown>; monitor?: Monitored; parts?: Parts } | NotFound;

export interface Check {
  /** Stable id, used in `POST /jobs`, a batch's `checks=`, prices and metrics. */
  id: string;
  family: Family;
  summary: string;
  route: { method: 'GET' | 'POST'; path: string };
  /** `meta.service` of a published answer; it may differ from the id. */
  service: string;
  /** Label of an announced check (`in sandbox preview`); null if the check is available. */
  stage: string | null;
  /** Its members are the parameters of the call and the bulk columns. Parsed values are strings. Unknown members are ignored. */
  input: z.ZodType<Record<string, string | undefined>> & z.ZodObject;
  entity: z.ZodObject;
  /** Entity members that hold images (base64). CSV and XLSX results leave them out, because they do not fit into a cell. */
  images: readonly string[];
  /** Entity members that are lists of objects, by path: how each is written into a cell of CSV or XLSX. */
  cells: Readonly<Record<string, (value: unknown) => string>>;
  priceKobo: number;
  /** Price of an answer from the cache. */
  cachedPriceKobo: number;
  /** When an answer costs less than the price, in a sentence; null if never. */
  priceRule: string | null;
  /** False: every answer is computed again, because it depends on more than the subject's record. */
  cacheable: boolean;
  /** Which answers somebody should look at; `when` says it in words. Null: the check never flags an answer. */
  flag: { when: string; isSet(entity: Record<string, unknown>): boolean } | null;
  /** The record kinds that must be served for the check to be answered. */
  needs: Needs;
  /** The check that answers instead if this input is `true`, at its own price. Null: none. */
  instead: { input: string; check: string } | null;
  /** Largest body of a call, in bytes. */
  bodyBytesMax: number;
  /** The entity is the whole looked-up record, so it can be cached (and answer lower tiers). */
  entityIsRecord: boolean;
  /** The identifier that is looked up, in canonical form. Masking and erasure go by it. */
  subject(input: Record<string, string | undefined>): string;
  /** The whole question, in canonical form. Rows of a batch with the same question are looked up and charged once; the later ones are duplicates. */
  question(input: Record<string, string | undefined>): string;
  run(input: Record<string, string | undefined>, lookup: Lookup): Promise<CheckResult>;
}

/** Larger than any valid text, so that an overlong one is refused by name. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

/** Infers the input and entity types of a declaration, so that `subject` and `run` are checked against the schemas. */
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
  flag?: { when: string; isSet(entity: z.infer<Entity>): boolean };
  needs: Needs;
  instead?: Check['instead'];
  bodyBytesMax?: number;
  entityIsRecord: boolean;
  subject(input: z.infer<Input>): string;
  /** Default: the parsed input. */
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
    flag = null,
    instead = null,
    bodyBytesMax = BODY_BYTES_MAX,
    question = bodyBytesMax > BODY_BYTES_MAX ? questionWithPictures : defaultQuestion(declaration.input),
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
    flag,
    instead,
    bodyBytesMax,
    question,
  } as unknown as Check;
}

/** Whether somebody should look at the answer. Null: nothing was found. */
export const isFlagged = ({ flag }: Check, entity: Record<string, unknown> | null): boolean =>
  flag !== null && entity !== null && flag.isSet(entity);

function defaultQuestion(schema: z.ZodObject): Check['question'] {
  const [only, ...others] = Object.keys(schema.shape);
  return others.length === 0 ? (input) => input[only!]! : (input) => JSON.stringify(input);
}

/** Pictures count by their digests: writing out and comparing 20 MB would stop everything else for a tenth of a second. */
const questionWithPictures: Check['question'] = (input) =>
  JSON.stringify(input, (_, value) => (typeof value === 'string' && value.length > LONG ? digest(value).toString('base64') : value));

/** Characters of a text that counts by its digest. */
const LONG = 1_000;

/**
 * The members of `record` that `entity` declares, in its order, at every depth. A missing value becomes an empty string (as the registries send it),
 * an empty list, or null for any other type. The provider's adapter has already parsed the values.
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
