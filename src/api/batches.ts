/** Batches: upload, progress, control, results. */
import { Hono } from 'hono';
import { cancelBatch, readBatch, type Submitted, startBatch, submitBatch } from '../batch.ts';
import type { Tx } from '../context.ts';
import { type BatchRow, batchOptions, showBatch, showJob } from '../contract.ts';
import { ApiError } from '../errors.ts';
import { parseId, showId } from '../ids.ts';
import { openEntity, type ResultFormat, readErrors, readJobs, resultName, streamResults } from '../results.ts';
import { readCsv } from '../rows/csv.ts';
import { readJson } from '../rows/json.ts';
import { readNdjson } from '../rows/ndjson.ts';
import { ROW_LIMITS } from '../rows/row.ts';
import type { BatchFormat } from '../schema.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { bodyChunks, callerOf, checked, envelope, type Http, mediaType, parseJson, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { limitUploads } from './upload.ts';

const formats: Record<string, BatchFormat> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json': 'json',
};

const PAGE_DEFAULT = 100;
const PAGE_MAX = 1000;

export function batchRoutes(service: Service, authentication: Authentication) {
  const uploading = limitUploads(service.config.CONFAM_UPLOADS_MAX);

  const find = async (c: Http): Promise<BatchRow> => {
    const id = parseId('bat', c.req.param('id') ?? '');
    const batch = id === null ? null : await readBatch(service.sql, callerOf(c).appId, id);
    if (!batch) throw new ApiError('resource_not_found', 'There is no such batch');
    return batch;
  };
  const show = async (batch: BatchRow) => ({ ...showBatch(batch), errors: await readErrors(service, batch, 100) });

  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/batches', authentication.app, async (c) => {
      const format = formats[mediaType(c)];
      if (!format) throw new ApiError('unsupported_media_type', `Content-Type must be one of ${Object.keys(formats).join(', ')}`);
      const limits = { ...ROW_LIMITS, rowsMax: service.config.CONFAM_UPLOAD_ROWS_MAX };
      const bytes = bodyChunks(c, service.config.CONFAM_UPLOAD_BYTES_MAX);
      const asked = optionsOfQuery(c);
      const accepted = ({ batch, errors }: Submitted) =>
        envelope(c, { ...showBatch(batch), errors }, 202, { Location: `/api/v1/batches/${showId('bat', batch.id)}`, 'Retry-After': '1' });
      const keep = (tx: Tx, submitted: Submitted) => keepAnswer(c, tx, accepted(submitted));
      const submitted = await uploading(async () => {
        if (format === 'json') {
          const source = await readJson(bytes, limits, { needed: asked.checks === undefined ? ['checks'] : [] });
          return submitBatch(
            service,
            callerOf(c),
            { format, source, options: checked(batchOptions, { ...source.options, ...asked }) },
            keep,
          );
        }
        // Before the body is read: a wrong option should not cost the client an upload.
        const options = checked(batchOptions, asked);
        const source = format === 'csv' ? await readCsv(bytes, limits) : await readNdjson(bytes, limits);
        return submitBatch(service, callerOf(c), { format, source, options }, keep);
      });
      return accepted(submitted);
    })
    .get('/api/v1/batches/:id', authentication.app, async (c) => envelope(c, await show(await find(c))))
    .post('/api/v1/batches/:id/start', authentication.app, async (c) => {
      const { id, appId } = await find(c);
      return envelope(c, await show((await startBatch(service, appId, id))!));
    })
    .post('/api/v1/batches/:id/cancel', authentication.app, async (c) => {
      const { id, appId } = await find(c);
      return envelope(c, await show((await cancelBatch(service, appId, id))!));
    })
    .get('/api/v1/batches/:id/jobs', authentication.app, async (c) => {
      const batch = await find(c);
      const limit = pageSize(c.req.query('limit'));
      const page = await readJobs(service, batch, {
        limit,
        cursor: c.req.query('cursor') ?? null,
        status: oneOf(c, 'status', ['queued', 'leased', 'completed', 'failed', 'canceled']),
        outcome: oneOf(c, 'outcome', ['found', 'not_found']),
      });
      if (!page)
        throw new ApiError('invalid_request', 'The cursor is not one that we gave out', {
          details: [{ path: 'cursor', message: 'is malformed', rule: 'cursor' }],
        });
      return envelope(c, {
        object: 'list',
        data: page.jobs.map((job) => ({ ...showJob(job), result: openEntity(service, job) })),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      });
    })
    .get('/api/v1/batches/:id/results', authentication.app, async (c) => {
      const batch = await find(c);
      const format = (oneOf(c, 'format', ['csv', 'jsonl']) ?? 'csv') as ResultFormat;
      const text = streamResults(service, batch, format);
      return new Response(ReadableStream.from(encode(text)), {
        headers: {
          'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
          'Content-Disposition': `attachment; filename="${resultName(batch, format)}"`,
        },
      });
    });
}

async function* encode(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const page of text) yield Buffer.from(page);
}

const OPTIONS = new Set(['checks', 'on_invalid', 'start', 'reference', 'callback_url', 'cache', 'metadata', 'consent']);
const isOption = (name: string): boolean => OPTIONS.has(name) || name.startsWith('map.');

/** Options of a raw upload: `checks=…`, `map.nin=…`. */
function optionsOfQuery(c: Http): Record<string, unknown> {
  refuseBadEscapes(c);
  const options: Record<string, unknown> = {};
  const mapping: Record<string, string> = {};
  for (const [name, value] of Object.entries(c.req.query()).filter(([name]) => isOption(name))) {
    if (name.startsWith('map.')) mapping[name.slice(4)] = value;
    else options[name] = name === 'metadata' || name === 'consent' ? parseJson(name, value) : value;
  }
  return Object.keys(mapping).length > 0 ? { ...options, mapping } : options;
}

/** What is not percent-encoded UTF-8 would be taken, and stored, escapes and all. */
function refuseBadEscapes(c: Http): void {
  for (const parameter of new URL(c.req.url).search.slice(1).split('&')) {
    const name = parameter.split('=', 1)[0]!;
    if (!isOption(name)) continue;
    try {
      decodeURIComponent(parameter);
    } catch {
      const message = 'is not percent-encoded UTF-8';
      throw new ApiError('invalid_request', `${name} ${message}`, { details: [{ path: name, message, rule: 'bad_escape' }] });
    }
  }
}

function pageSize(text: string | undefined): number {
  if (text === undefined) return PAGE_DEFAULT;
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= PAGE_MAX) return size;
  throw new ApiError('invalid_request', `limit must be 1 to ${PAGE_MAX}`, {
    details: [{ path: 'limit', message: `must be 1 to ${PAGE_MAX}`, rule: 'range' }],
  });
}

function oneOf(c: Http, name: string, allowed: string[]): string | null {
  const value = c.req.query(name);
  if (value === undefined || value === '') return null;
  if (allowed.includes(value)) return value;
  throw new ApiError('invalid_request', `${name} must be one of ${allowed.join(', ')}`, {
    details: [{ path: name, message: `must be one of ${allowed.join(', ')}`, rule: 'enum' }],
  });
}
