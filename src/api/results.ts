/** The results of a batch: its jobs page by page, files of results and of rows to correct, and signed links to those files. */
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { Hono } from 'hono';
import type { z } from 'zod';
import type { BatchRow } from '../contract/batches.ts';
import { showJob } from '../contract/jobs.ts';
import type { linkAnswer } from '../contract/results.ts';
import { linkBody, OUTCOMES } from '../contract/results.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { openEntity } from '../jobs/entities.ts';
import type { Service } from '../pipeline/service.ts';
import { errorFormat, streamErrors } from '../results/errors.ts';
import { readJobs } from '../results/jobs.ts';
import { type LinkedFile, openLink, signLink } from '../results/links.ts';
import { nextSince, RESULT_FORMATS, type ResultFormat, streamResults } from '../results/results.ts';
import { XLSX_ROWS_MAX } from '../results/xlsx.ts';
import { jobOutcome, jobStatus } from '../schema/jobs.ts';
import type { Authentication } from './authenticate.ts';
import { envelope, type Http, jsonBody, type Variables } from './http.ts';
import { findBatch, oneOf, pageSize, refusedCursor, someOf, timeOf } from './query.ts';
import { openStreams } from './streams.ts';

const MEDIA: Record<ResultFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Whether CSV begins with a byte-order mark. */
const MARKS = ['0', '1'] as const;

/** The address of a link is a credential: browsers must not pass it on. */
const LINK_HEADERS = { 'Referrer-Policy': 'no-referrer' };

const RETRY_SECONDS = 30;

export function resultRoutes(service: Service, authentication: Authentication) {
  const sendStream = openStreams({
    all: service.config.CONFAM_DOWNLOADS_MAX,
    what: 'downloads',
    retrySeconds: RETRY_SECONDS,
    suspensions: service.suspensions,
  });

  /** `since` only with a key: a link is always for a whole file. */
  async function sendFile(
    c: Http,
    batch: BatchRow,
    { kind, format, outcomes }: LinkedFile,
    since: string | null,
    headers: Record<string, string> = {},
  ) {
    const send = (content: Content, name: string, type: ResultFormat, more: Record<string, string>) => {
      const file = fileOf(c, content, name, type);
      return sendStream(c, batch.appId, file.bytes, { ...file.headers, ...more });
    };
    const hasMark = oneOf(c, 'bom', MARKS) !== '0';
    if (kind === 'errors')
      return send(streamErrors(service, batch, hasMark), `${showId('bat', batch.id)}-errors`, errorFormat(batch), headers);
    const asked = format ?? 'csv';
    if (asked === 'xlsx' && batch.rows >= XLSX_ROWS_MAX) {
      throw new ApiError('invalid_request', `A sheet holds at most ${XLSX_ROWS_MAX} rows; ask for format=csv`, {
        details: [{ path: 'format', message: 'cannot hold so many rows', rule: 'too_many_rows' }],
      });
    }
    const filter = { outcomes, since };
    // Read before the first row, so that nothing falls between two downloads.
    const next = { 'Next-Since': await nextSince(service), ...headers };
    return send(streamResults(service, batch, asked, filter, hasMark), showId('bat', batch.id), asked, next);
  }

  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/batches/:id/jobs', authentication.app, async (c) => {
      const page = await readJobs(service, await findBatch(service, c), {
        limit: pageSize(c),
        cursor: c.req.query('cursor') ?? null,
        status: oneOf(c, 'status', jobStatus.enumValues),
        outcome: oneOf(c, 'outcome', jobOutcome.enumValues),
      });
      if (!page) throw refusedCursor();
      return envelope(c, {
        object: 'list',
        data: page.jobs.map((job) => ({ ...showJob(job), result: openEntity(service.cipher, job) })),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      });
    })
    .get('/api/v1/batches/:id/results', authentication.app, async (c) => {
      const batch = await findBatch(service, c);
      const file: LinkedFile = { kind: 'results', format: oneOf(c, 'format', RESULT_FORMATS), outcomes: someOf(c, 'outcome', OUTCOMES) };
      return sendFile(c, batch, file, timeOf(c, 'since'));
    })
    .get('/api/v1/batches/:id/errors', authentication.app, async (c) =>
      sendFile(c, await findBatch(service, c), { kind: 'errors', format: null, outcomes: null }, null),
    )
    .post('/api/v1/batches/:id/links', authentication.app, async (c) => {
      const batch = await findBatch(service, c);
      const { kind, format = null, outcome = null, expires_in_seconds } = await jsonBody(c, linkBody);
      const { token, expiresAt } = await signLink(service, batch, { kind, format, outcomes: outcome }, expires_in_seconds);
      const path = `/api/v1/links/${token}`;
      const url = new URL(path, c.req.url).href;
      const entity = { object: 'link', url, path, kind, format, outcome, expires_at: expiresAt } as const;
      return envelope<z.infer<typeof linkAnswer>>(c, entity, 201);
    })
    .get('/api/v1/links/:token', async (c) => {
      const { batch, file } = await openLink(service, c.req.param('token'));
      service.suspensions.refuse(batch.appId);
      return sendFile(c, batch, file, null, LINK_HEADERS);
    });
}

type Content = AsyncGenerator<string | Uint8Array>;

/** A file to be saved as `name`, compressed if the client accepts that (a workbook is already compressed). */
function fileOf(c: Http, content: Content, name: string, format: ResultFormat) {
  const zips = format !== 'xlsx' && acceptsGzip(c.req.header('accept-encoding') ?? '');
  const headers = {
    'Content-Type': MEDIA[format],
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
    Vary: 'Accept-Encoding',
    ...(zips && { 'Content-Encoding': 'gzip' }),
  };
  return { headers, bytes: zips ? gzip(content) : bytesOf(content) };
}

async function* bytesOf(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of content) yield typeof part === 'string' ? Buffer.from(part) : part;
}

/** Half of zlib's usual memory: 128 KiB (zconf.h) and short queues. A client that does not read ties that much up. */
const GZIP = { level: constants.Z_BEST_SPEED, windowBits: 14, memLevel: 7, chunkSize: 16_384, highWaterMark: 16_384 };

async function* gzip(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  const zip = createGzip(GZIP);
  // An error on either side reaches whoever reads the other end.
  pipeline(Readable.from(bytesOf(content), { objectMode: false, highWaterMark: GZIP.highWaterMark }), zip, () => {});
  yield* zip;
}

/** RFC 9110, 12.5.3: `gzip` or `*` with a weight above 0. */
function acceptsGzip(header: string): boolean {
  const weights = new Map(
    header.split(',').map((part) => {
      const [coding = '', weight] = part.split(';').map((text) => text.trim().toLowerCase());
      return [coding, weight?.startsWith('q=') ? Number(weight.slice(2)) : 1];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
