/** Batches: upload and control. What reads them is in `watch.ts` and `results.ts`. */
import { Hono } from 'hono';
import { cancelBatch, startBatch, submitBatch } from '../batch.ts';
import { type BatchRow, batchOptions, showBatch } from '../contract.ts';
import { ApiError } from '../errors.ts';
import { showId } from '../ids.ts';
import { readErrors } from '../results/jobs.ts';
import { readCsv } from '../rows/csv.ts';
import { readJson } from '../rows/json.ts';
import { readNdjson } from '../rows/ndjson.ts';
import { ROW_LIMITS } from '../rows/row.ts';
import type { BatchFormat } from '../schema.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { bodyChunks, callerOf, checked, envelope, type Http, mediaType, parseJson, type Variables } from './http.ts';
import { findBatch } from './query.ts';
import { limitUploads } from './upload.ts';

const formats: Record<string, BatchFormat> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json': 'json',
};

export function batchRoutes(service: Service, authentication: Authentication) {
  const uploading = limitUploads(service.config.CONFAM_UPLOADS_MAX);

  const show = async (batch: BatchRow) => ({ ...showBatch(batch), errors: await readErrors(service, batch, 100) });

  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/batches', authentication.app, async (c) => {
      const format = formats[mediaType(c)];
      if (!format) throw new ApiError('unsupported_media_type', `Content-Type must be one of ${Object.keys(formats).join(', ')}`);
      const limits = { ...ROW_LIMITS, rowsMax: service.config.CONFAM_UPLOAD_ROWS_MAX };
      const bytes = bodyChunks(c, service.config.CONFAM_UPLOAD_BYTES_MAX);
      const asked = optionsOfQuery(c);
      const submitted = await uploading(async () => {
        if (format === 'json') {
          const source = await readJson(bytes, limits, { needed: asked.checks === undefined ? ['checks'] : [] });
          return submitBatch(service, callerOf(c), { format, source, options: checked(batchOptions, { ...source.options, ...asked }) });
        }
        // Before the body is read: a wrong option should not cost the client an upload.
        const options = checked(batchOptions, asked);
        const source = format === 'csv' ? await readCsv(bytes, limits) : await readNdjson(bytes, limits);
        return submitBatch(service, callerOf(c), { format, source, options });
      });
      const { batch, errors } = submitted;
      return envelope(c, { ...showBatch(batch), errors }, 202, {
        Location: `/api/v1/batches/${showId('bat', batch.id)}`,
        'Retry-After': '1',
      });
    })
    .post('/api/v1/batches/:id/start', authentication.app, async (c) => {
      const { id, appId } = await findBatch(service, c);
      return envelope(c, await show((await startBatch(service, appId, id))!));
    })
    .post('/api/v1/batches/:id/cancel', authentication.app, async (c) => {
      const { id, appId } = await findBatch(service, c);
      return envelope(c, await show((await cancelBatch(service, appId, id))!));
    });
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
