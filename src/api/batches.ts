/** Batches: upload, progress, control, results. */
import { Hono } from 'hono';
import { readBatch } from '../batch.ts';
import { type BatchRow, showBatch, showJob } from '../contract.ts';
import { cancelBatch, pauseBatch, resumeBatch, retryBatch, startBatch } from '../control.ts';
import { ApiError } from '../errors.ts';
import { parseId, showId } from '../ids.ts';
import { quoteBatch } from '../quote.ts';
import { openEntity, type ResultFormat, readErrors, readJobs, resultName, streamResults } from '../results.ts';
import type { Service } from '../service.ts';
import { submitBatch } from '../submit.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, envelope, type Http, type Variables } from './http.ts';
import { openUploads } from './uploads.ts';

const verbs = { start: startBatch, pause: pauseBatch, resume: resumeBatch, cancel: cancelBatch, retry: retryBatch };

const PAGE_DEFAULT = 100;
const PAGE_MAX = 1000;

export function batchRoutes(service: Service, authentication: Authentication) {
  const receive = openUploads(service);

  const find = async (c: Http): Promise<BatchRow> => {
    const id = parseId('bat', c.req.param('id') ?? '');
    const batch = id === null ? null : await readBatch(service.sql, callerOf(c).appId, id);
    if (!batch) throw new ApiError('resource_not_found', 'There is no such batch');
    return batch;
  };
  const show = async (batch: BatchRow) => ({ ...showBatch(batch), errors: await readErrors(service, batch, 100) });

  const routes = new Hono<{ Variables: Variables }>();
  for (const [verb, act] of Object.entries(verbs)) {
    routes.post(`/api/v1/batches/:id/${verb}`, authentication.app, async (c) => {
      const { id, appId } = await find(c);
      return envelope(c, await show((await act(service, appId, id))!));
    });
  }
  return routes
    .post('/api/v1/batches', authentication.app, async (c) => {
      const { batch, errors } = await receive(c, (upload) => submitBatch(service, callerOf(c), upload));
      return envelope(c, { ...showBatch(batch), errors }, 202, {
        Location: `/api/v1/batches/${showId('bat', batch.id)}`,
        'Retry-After': '1',
      });
    })
    .post('/api/v1/batches/quote', authentication.app, async (c) =>
      envelope(c, await receive(c, (upload) => quoteBatch(service, callerOf(c), upload))),
    )
    .get('/api/v1/batches/:id', authentication.app, async (c) => envelope(c, await show(await find(c))))
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
