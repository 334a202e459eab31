/** How uploads are documented: their options, and a body in every format. `api/uploads.ts` reads them. */
import { checks } from '../../checks/catalog.ts';
import { batchOptions } from '../../contract/batches.ts';
import { FORM_TYPE, fileOptions, GZIP_TYPES, UPLOAD_TYPES } from '../../contract/uploads.ts';
import type { BatchFormat } from '../../schema/batches.ts';
import { consentHeader, type Parameter, queryOf } from './operation.ts';
import { type JsonSchema, schemaOf } from './schema.ts';

const binary = { type: 'string', format: 'binary' };
const ROW = { nin: '70123456789', reference: 'order-7' };

/** Some generators take the JSON body for the only one. These members let their clients send text and files too, with a Content-Type of their own. */
const OTHER_TYPES: JsonSchema[] = [
  { type: 'string', description: 'Text of another media type, with its Content-Type; never JSON' },
  { ...binary, description: 'A file of another media type, with its Content-Type' },
];

/** The body of each format, with an example if people write that format by hand. */
const bodies: Record<BatchFormat, Record<string, unknown>> = {
  csv: { schema: { type: 'string', description: 'A header line and rows' }, example: 'nin,reference\n70123456789,order-7\n' },
  ndjson: { schema: { type: 'string', description: 'One JSON object a line' }, example: `${JSON.stringify(ROW)}\n` },
  json: { schema: { anyOf: [uploadDocument(), ...OTHER_TYPES] }, example: { checks: ['nin_basic'], rows: [ROW] } },
  xlsx: { schema: { ...binary, description: 'A workbook' } },
  zip: { schema: { ...binary, description: 'An archive of `manifest.csv` and the pictures that its rows name' } },
};

function writeBody() {
  return {
    required: true,
    description: 'A file of rows, plain or gzip. Options come in the query, or in form fields before the file.',
    content: {
      ...Object.fromEntries(
        [...UPLOAD_TYPES].map(([type, format]) => [
          type,
          // One example a format: the other media types of a format look the same.
          type === 'text/tab-separated-values'
            ? { schema: { type: 'string' }, example: 'nin\treference\n70123456789\torder-7\n' }
            : bodies[format],
        ]),
      ),
      ...Object.fromEntries(GZIP_TYPES.map((type) => [type, { schema: { ...binary, description: 'Any of these, compressed with gzip' } }])),
      [FORM_TYPE]: { schema: uploadForm() },
    },
  };
}

/** The options as fields, then the file: fields after it come too late. */
function uploadForm(): JsonSchema {
  const options = uploadOptions.filter((option) => option.in === 'query');
  return {
    type: 'object',
    description: 'The file comes last. `checks` may be in the query instead.',
    required: ['file'],
    properties: {
      ...Object.fromEntries(options.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }])),
      file: { ...binary, description: 'Its name tells its format, unless `format` does' },
    },
    additionalProperties: false,
  };
}

function uploadDocument(): JsonSchema {
  const { properties, ...rest } = schemaOf(batchOptions, 'input') as { properties: Record<string, JsonSchema>; required: string[] };
  const rows = { type: 'array', items: { type: 'object' }, description: 'Each holds the inputs of the checks' };
  return { ...rest, properties: { ...properties, rows }, required: ['rows'], additionalProperties: false };
}

/** A generated client needs each input by name: `map.nin=<column>`. */
const mapped: Parameter[] = ['reference', ...new Set(checks.flatMap((check) => Object.keys(check.input.shape)))].map((input) => ({
  name: `map.${input}`,
  in: 'query',
  required: false,
  description: `Column of \`${input}\`, if the column has another name`,
  schema: { type: 'string' },
}));

/** As they are sent in the query, where object-valued options are JSON text; and the headers of an upload. */
export const uploadOptions: readonly Parameter[] = [
  ...queryOf(batchOptions, { checks: 'nin_basic' }).map((option) => {
    if (option.name === 'checks')
      return {
        ...option,
        required: false,
        schema: { type: 'string' },
        description: 'Separated by commas; not needed if the body names them',
      };
    if (option.schema.type !== 'object') return option;
    return { ...option, schema: { type: 'string' }, description: `${option.description ?? ''} (JSON)`.trim() };
  }),
  ...queryOf(fileOptions),
  ...mapped,
  consentHeader,
  {
    name: 'Content-Encoding',
    in: 'header',
    required: false,
    description: 'For a compressed body',
    schema: { enum: ['gzip', 'identity'] },
  },
  {
    name: 'Content-Digest',
    in: 'header',
    required: false,
    description: '`sha-256=:…:` (RFC 9530): a body that does not match is refused',
    schema: { type: 'string' },
  },
];

/** What the body may be. */
export const uploadBody = writeBody();
