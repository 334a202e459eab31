/** Jobs, batches, their results and links to them. */
import { checks } from '../../checks/catalog.ts';
import { batchOptions } from '../../contract/batches.ts';
import { jobBody } from '../../contract/jobs.ts';
import { PAGE_DEFAULT, PAGE_MAX, WAIT_SECONDS_MAX } from '../../contract/queries.ts';
import { linkBody, OUTCOMES } from '../../contract/results.ts';
import { FORM_TYPE, fileOptions, GZIP_TYPES, UPLOAD_TYPES } from '../../contract/uploads.ts';
import { type BatchFormat, batchStatus } from '../../schema/batches.ts';
import { jobOutcome, jobStatus } from '../../schema/jobs.ts';
import { answer, consentHeader, file, header, jsonBody, type Operation, type Parameter, queryOf } from './operation.ts';
import { type JsonSchema, listOf, refTo, schemaOf } from './schema.ts';

const query = (name: string, description: string, schema: JsonSchema = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});
const someOf = (names: readonly string[]): JsonSchema => ({ type: 'array', items: { enum: names } });
/** Values separated by commas. */
const several = (name: string, description: string, names: readonly string[]) => ({
  ...query(name, description, someOf(names)),
  style: 'form',
  explode: false,
});

const cursor = query('cursor', '`next_cursor` of the previous page');
const limit = query('limit', 'Maximum items a page', { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT });
const wait = query('wait', 'Seconds to wait for it to finish, or with If-None-Match for a change', {
  type: 'integer',
  minimum: 0,
  maximum: WAIT_SECONDS_MAX,
});
const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of your copy',
  schema: { type: 'string' },
};
const instant = { type: 'string', format: 'date-time' };
const since = query('since', 'From this time on', instant);
const format = query('format', 'Format of the file', { enum: ['csv', 'jsonl', 'xlsx'], default: 'csv' });

const etag = { ETag: header('Changes with the state') };
const unchanged = { description: 'Unchanged', headers: etag };
const location = {
  Location: header('Path of the new resource'),
  'Retry-After': header('Seconds until it is worth asking', { type: 'integer' }),
};
const bom = query('bom', '0: CSV without the leading byte-order mark that Excel needs to recognise UTF-8', {
  enum: ['0', '1'],
  default: '1',
});
const FILES = ['text/csv', 'application/x-ndjson', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'];
const nextSince = { 'Next-Since': header('Send it as `since` in the next request to get only what is new', instant) };

const JOB = { check: 'nin_basic', input: { nin: '70123456789' }, reference: 'order-7' };

const jobs: Operation[] = [
  {
    method: 'post',
    path: '/api/v1/jobs',
    id: 'submitJob',
    tag: 'jobs',
    summary: 'One check, answered later',
    who: 'app',
    parameters: [
      {
        name: 'Prefer',
        in: 'header',
        required: false,
        description: '`wait=10`: seconds to wait for the job to finish (RFC 7240)',
        schema: { type: 'string' },
      },
      consentHeader,
    ],
    body: jsonBody(jobBody, JOB),
    answers: {
      200: answer('The job finished within the wait', refTo('JobWithResult'), location),
      202: answer('Accepted', refTo('JobWithResult'), location),
    },
    errors: [
      'insufficient_funds',
      'spending_cap_exceeded',
      'too_many_misses',
      'invalid_image',
      'image_too_large',
      'provider_not_configured',
    ],
  },
  {
    method: 'get',
    path: '/api/v1/jobs',
    id: 'listJobs',
    tag: 'jobs',
    summary: 'Single jobs without their results, newest first',
    description: 'Rows of a batch are in `/api/v1/batches/{id}/jobs`.',
    who: 'app',
    parameters: [
      several('status', 'Only these', jobStatus.enumValues),
      query('outcome', 'Only these', { enum: jobOutcome.enumValues }),
      query('check', 'Only this check'),
      query('reference', 'Only with this reference'),
      since,
      query('until', 'Before this time', instant),
      limit,
      cursor,
    ],
    answers: { 200: answer('A page', listOf(refTo('Job'), true)) },
  },
  {
    method: 'get',
    path: '/api/v1/jobs/:id',
    id: 'readJob',
    tag: 'jobs',
    summary: 'A job with its result',
    who: 'app',
    parameters: [wait, ifNoneMatch],
    answers: { 200: answer('The job', refTo('JobWithResult'), etag), 304: unchanged },
  },
  {
    method: 'get',
    path: '/api/v1/jobs/:id/report',
    id: 'readJobReport',
    tag: 'jobs',
    summary: 'The evidence of a screening, as a PDF',
    description:
      'For a completed `aml_screening` job: the person, lists and versions, the decision, every hit with its explanation, a seal.',
    who: 'app',
    answers: { 200: file('The report', 'application/pdf') },
    errors: ['conflict'],
  },
  {
    method: 'get',
    path: '/api/v1/jobs/:id/images/:side',
    id: 'readJobImage',
    tag: 'jobs',
    summary: 'A picture submitted with the job, exactly as it was sent',
    description:
      'For face checks. Kept until the job is answered, and longer if the operator keeps pictures for the app (`keepImagesDays`).',
    who: 'app',
    parameters: [{ name: 'side', in: 'path', required: true, schema: { enum: ['selfie', 'portrait'] } }],
    answers: { 200: file('The picture', 'image/jpeg', 'image/png', 'image/webp') },
  },
];

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

function upload() {
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
const mapped: Parameter[] = ['reference', ...new Set(checks.flatMap((check) => Object.keys(check.input.shape)))].map((input) =>
  query(`map.${input}`, `Column of \`${input}\`, if the column has another name`),
);

/** In a query, object-valued options are JSON text. */
const uploadOptions: Parameter[] = [
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
const MAPPING = 'Columns whose names differ from the inputs are mapped with `map.<input>=<column>`.';

const batches: Operation[] = [
  {
    method: 'post',
    path: '/api/v1/batches',
    id: 'submitBatch',
    tag: 'batches',
    summary: 'Upload rows to be checked',
    description: MAPPING,
    who: 'app',
    parameters: uploadOptions,
    body: upload(),
    answers: { 202: answer('Accepted', refTo('BatchWithErrors'), location) },
    errors: ['invalid_upload', 'insufficient_funds', 'spending_cap_exceeded', 'provider_not_configured', 'overloaded'],
  },
  {
    method: 'post',
    path: '/api/v1/batches/quote',
    id: 'quoteBatch',
    tag: 'batches',
    summary: 'What an upload would cost; nothing is stored',
    description: MAPPING,
    who: 'app',
    parameters: uploadOptions,
    body: upload(),
    answers: { 200: answer('The quote', refTo('Quote')) },
    errors: ['invalid_upload', 'provider_not_configured', 'overloaded'],
  },
  {
    method: 'get',
    path: '/api/v1/batches',
    id: 'listBatches',
    tag: 'batches',
    summary: 'Batches, newest first',
    who: 'app',
    parameters: [
      several('status', 'Only these', batchStatus.enumValues),
      query('reference', 'Only with this reference'),
      since,
      query('until', 'Before this time', instant),
      limit,
      cursor,
    ],
    answers: { 200: answer('A page', listOf(refTo('Batch'), true)) },
  },
  {
    method: 'get',
    path: '/api/v1/batches/:id',
    id: 'readBatch',
    tag: 'batches',
    summary: 'A batch with its counts and progress',
    who: 'app',
    parameters: [wait, ifNoneMatch],
    answers: { 200: answer('The batch', refTo('BatchWithErrors'), etag), 304: unchanged },
  },
  {
    method: 'get',
    path: '/api/v1/batches/:id/history',
    id: 'readBatchHistory',
    tag: 'batches',
    summary: 'Every change of the batch’s status',
    who: 'app',
    answers: { 200: answer('The changes, oldest first', listOf(refTo('StatusChange'), false)) },
  },
  {
    method: 'get',
    path: '/api/v1/batches/:id/events',
    id: 'watchBatch',
    tag: 'batches',
    summary: 'Statuses and progress as server-sent events',
    description:
      'Events `status` (with an id; the data is a StatusChange) and `progress` (percent, rate, estimate, counts, billed amount).',
    who: 'app',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'The last id seen; only later statuses follow',
        schema: { type: 'string' },
      },
    ],
    answers: {
      200: file('A stream until the batch is over', 'text/event-stream'),
      204: { description: 'The batch is over, and every status was seen' },
    },
    errors: ['overloaded'],
  },
  ...(
    [
      ['start', 'Start a batch that is waiting to be started'],
      ['pause', 'Pause a batch'],
      ['resume', 'Resume a paused batch'],
      ['cancel', 'Cancel a batch; jobs that have not begun are not charged'],
      ['retry', 'Retry the failed jobs of a batch'],
    ] as const
  ).map(
    ([verb, summary]): Operation => ({
      method: 'post',
      path: `/api/v1/batches/:id/${verb}`,
      id: `${verb}Batch`,
      tag: 'batches',
      summary,
      who: 'app',
      answers: { 200: answer('The batch as it is now', refTo('BatchWithErrors')) },
      errors: ['conflict', 'insufficient_funds', 'spending_cap_exceeded', 'provider_not_configured'],
    }),
  ),
];

const results: Operation[] = [
  {
    method: 'get',
    path: '/api/v1/batches/:id/jobs',
    id: 'listBatchJobs',
    tag: 'results',
    summary: 'Jobs of a batch in the order of its rows',
    who: 'app',
    parameters: [
      query('status', 'Only these', { enum: jobStatus.enumValues }),
      query('outcome', 'Only these', { enum: jobOutcome.enumValues }),
      limit,
      cursor,
    ],
    answers: { 200: answer('A page', listOf(refTo('JobWithResult'), true)) },
  },
  {
    method: 'get',
    path: '/api/v1/batches/:id/results',
    id: 'downloadResults',
    tag: 'results',
    summary: 'The rows with their results, as a file',
    who: 'app',
    parameters: [format, several('outcome', 'Only these rows', OUTCOMES), since, bom],
    answers: { 200: { ...file('The file', ...FILES), headers: nextSince } },
    errors: ['overloaded'],
  },
  {
    method: 'get',
    path: '/api/v1/batches/:id/errors',
    id: 'downloadErrors',
    tag: 'results',
    summary: 'The invalid rows in the format of the upload, to be corrected',
    who: 'app',
    parameters: [bom],
    answers: { 200: file('The file', ...FILES) },
    errors: ['overloaded'],
  },
  {
    method: 'post',
    path: '/api/v1/batches/:id/links',
    id: 'makeLink',
    tag: 'results',
    summary: 'A signed link to a file for somebody without a key',
    who: 'app',
    body: jsonBody(linkBody, { format: 'csv', expires_in_seconds: 3600 }),
    answers: { 201: answer('The link', refTo('Link')) },
  },
  {
    method: 'get',
    path: '/api/v1/links/:token',
    id: 'followLink',
    tag: 'results',
    summary: 'The file of a signed link',
    who: 'anyone',
    parameters: [bom],
    answers: { 200: file('The file', ...FILES) },
    errors: ['link_expired', 'link_invalid', 'invalid_request', 'overloaded'],
  },
];

export const workOperations: readonly Operation[] = [...jobs, ...batches, ...results];
