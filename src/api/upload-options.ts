/** The options of an upload as they are sent: in the query, as fields of a form, or as members of a JSON document. `uploads.ts` checks them by their schema. */
import { batchOptions } from '../contract/batches.ts';
import { withPlus } from '../contract/queries.ts';
import { fileOptions } from '../contract/uploads.ts';
import { ApiError, repeatedOption } from '../foundation/errors.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { parseJson, refusePrototype } from './bounded-json.ts';
import { consentOf } from './consent.ts';
import { type Http, invalid } from './http.ts';

/** By file name extension, which is also the value of the option `format`. */
export const NAMES: ReadonlyMap<string, BatchFormat> = new Map(
  Object.entries<BatchFormat>({
    csv: 'csv',
    tsv: 'csv',
    txt: 'csv',
    ndjson: 'ndjson',
    jsonl: 'ndjson',
    json: 'json',
    xlsx: 'xlsx',
    xlsm: 'xlsx',
    zip: 'zip',
  }),
);

const JSON_OPTIONS = ['mapping', 'metadata', 'consent'];

/** Options as they were sent, checked later; `format` and `sheet` are among them and tell how to read the file. */
export type SentOptions = Record<string, unknown>;

export function namedFormat({ format }: SentOptions): BatchFormat | null {
  if (format === undefined || format === '') return null;
  const named = typeof format === 'string' ? NAMES.get(format) : undefined;
  if (named) return named;
  throw wrongOption('format', `must be one of ${[...NAMES.keys()].join(', ')}`, 'invalid_value');
}

/** The batch options by name, and those that tell how to read the file. `map.<input>` comes on top; its inputs depend on the checks. */
const OPTIONS = Object.keys({ ...batchOptions.shape, ...fileOptions.shape });
const MAPPED = 'map.';

const isOption = (name: string): boolean => name.startsWith(MAPPED) || OPTIONS.includes(name);

/** Why a form field other than the file is refused; null: it is an option. */
export const unknownField = (name: string): ApiError | null => (isOption(name) ? null : invalid(unknownOptions([name], OPTIONS)));

/** The query holds nothing but options: `options.ts` has refused the rest. */
export function optionsOfQuery(c: Http): SentOptions {
  const asked = optionsOf(Object.entries(c.req.query()));
  if (typeof asked.expires_at === 'string') asked.expires_at = withPlus(asked.expires_at);
  const consent = consentOf(c, asked.consent);
  return consent === undefined ? asked : { ...asked, consent };
}

/** `checks=…`, `map.nin=…`; `mapping` is the same as JSON. A name that repeats is refused. */
export function optionsOf(pairs: readonly [name: string, value: string][]): SentOptions {
  const options = new Map<string, unknown>();
  const mapping = new Map<string, string>();
  for (const [name, value] of pairs) {
    const input = name.startsWith(MAPPED) ? name.slice(MAPPED.length) : null;
    if (input === null ? options.has(name) : mapping.has(input)) throw invalid([repeatedOption(name)]);
    if (input !== null) mapping.set(input, value);
    else options.set(name, JSON_OPTIONS.includes(name) ? parseJson(name, value) : value);
  }
  const whole = options.get('mapping') ?? {};
  // Anything but an object stays as it is, to be refused with the other options.
  if (mapping.size > 0 && typeof whole === 'object') options.set('mapping', { ...whole, ...Object.fromEntries(mapping) });
  return withoutPrototype(Object.fromEntries(options));
}

/** The query wins. */
export const mergeOptions = (inBody: SentOptions, inQuery: SentOptions): SentOptions => withoutPrototype({ ...inBody, ...inQuery });

function withoutPrototype(options: SentOptions): SentOptions {
  for (const [name, value] of Object.entries(options)) refusePrototype(name, value);
  return options;
}

export const wrongOption = (path: string, message: string, rule: string): ApiError =>
  new ApiError('invalid_request', `${path} ${message}`, { details: [{ path, message, rule }] });
