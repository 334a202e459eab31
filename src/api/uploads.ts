/**
 * Reads the body of a request as an upload: receives it (`receive-upload.ts`), opens it (`open-upload.ts`), and leaves the rows of a large one to a thread
 * (`upload-threads.ts`).
 */

import type { PreviewUpload } from '../batches/preview.ts';
import type { Upload } from '../batches/upload.ts';
import { FORM_TYPE, GZIP_TYPES, UPLOAD_TYPES } from '../contract/uploads.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { ROW_LIMITS } from '../rows/row.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { type Http, mediaType, refuseCharset, UTF_8 } from './http.ts';
import { BEGINNING_BYTES, forPreview, forSubmission, type Opened, openUpload, type Sent } from './open-upload.ts';
import { openReceiving } from './receive-upload.ts';
import { optionsOfQuery } from './upload-options.ts';
import { openUploadThreads, type UploadSession } from './upload-threads.ts';

/**
 * Reads the body of a request as an upload, passes it to `use`, and always releases it afterwards (`receive-upload.ts` limits how many at a time). Throws
 * `unsupported_media_type`, `payload_too_large`, `overloaded`, `invalid_request` for an option or a header, and `UploadError` for the file. Some of these are
 * thrown while its rows are read, so `use` commits nothing before it has read them all.
 */
type Uploads = <T>(c: Http, use: (upload: Upload) => Promise<T>) => Promise<T>;

/** The same for a preview, which reads the beginning of a text, and the first rows of a workbook or an archive. */
type Previews = <T>(c: Http, use: (upload: PreviewUpload) => Promise<T>) => Promise<T>;

export interface OpenUploads {
  receiveUpload: Uploads;
  receivePreview: Previews;
  close(): Promise<void>;
}

export function openUploads(service: Service): OpenUploads {
  const { config } = service;
  const bounds = { rows: { ...ROW_LIMITS, rowsMax: config.CONFAM_UPLOAD_ROWS_MAX }, bytesMax: config.CONFAM_UPLOAD_BYTES_MAX };
  const receive = openReceiving(service);
  const threads = openUploadThreads(service, bounds);
  return {
    receiveUpload: (c, use) => {
      const sent = sentBy(c);
      return receive(c, async (arriving) => {
        let session: UploadSession | null = null;
        /** Once the body is whole. */
        const thread = (): UploadSession | null => {
          const stored = arriving.stored();
          session ??= stored && threads.open(sent, stored);
          return session;
        };
        try {
          return await using(await openUpload(sent, arriving, bounds, forSubmission, () => thread()?.opened() ?? null), (upload) =>
            use({ ...upload, thread }),
          );
        } finally {
          await (session as UploadSession | null)?.close();
        }
      });
    },
    receivePreview: (c, use) => {
      const sent = sentBy(c);
      // Whoever sends no more than a preview reads has the answer after the last byte: a browser that still sends when the connection ends never sees it.
      const isShort = Number(c.req.header('content-length') ?? Number.POSITIVE_INFINITY) <= BEGINNING_BYTES;
      return receive(c, async (arriving) => {
        try {
          return await using(await openUpload(sent, arriving, bounds, forPreview), use);
        } finally {
          if (isShort) await arriving.over;
        }
      });
    },
    close: threads.close,
  };
}

async function using<Options, T>(upload: Opened<Options>, use: (upload: Opened<Options>) => Promise<T>): Promise<T> {
  try {
    return await use(upload);
  } finally {
    await upload.source.close();
  }
}

function sentBy(c: Http): Sent {
  const type = mediaType(c);
  if (!isKnownType(type))
    throw unsupported(`Content-Type must be one of ${[...UPLOAD_TYPES.keys(), ...GZIP_TYPES, FORM_TYPE].join(', ')}${adviceFor(type)}`);
  const encodings = ENCODINGS[UPLOAD_TYPES.get(type) ?? 'zip'];
  if (encodings !== null) refuseCharset(c, encodings);
  const encoding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupported('Content-Encoding must be gzip or identity');
  return { type, contentType: c.req.header('content-type')!, isEncoded: encoding !== 'identity', asked: optionsOfQuery(c) };
}

const UNICODE = [...UTF_8, 'utf-16', 'utf-16le', 'utf-16be'];

/** The text encodings that we read; which of them a text is in is detected from the text itself. Null: the format is not text. */
const ENCODINGS: Record<BatchFormat, readonly string[] | null> = {
  csv: [...UNICODE, 'windows-1252', 'cp1252', 'iso-8859-1', 'latin1'],
  ndjson: UNICODE,
  json: UNICODE,
  xlsx: null,
  zip: null,
};

/** Advice for the media types of common spreadsheets that we do not read. */
const adviceFor = (type: string): string =>
  /opendocument|ms-excel/.test(type) ? '; save the spreadsheet as XLSX or CSV and send it again' : '';

const isKnownType = (type: string): boolean => UPLOAD_TYPES.has(type) || GZIP_TYPES.includes(type) || type === FORM_TYPE;

const unsupported = (message: string): ApiError => new ApiError('unsupported_media_type', message);
