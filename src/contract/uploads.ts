/** Uploads: media types, and how the file is read. */

import { z } from 'zod';
import type { BatchFormat } from '../schema/batches.ts';

/**
 * Uploads by media type. Browsers call a CSV file `text/plain` or `application/vnd.ms-excel`, so for a part of a form the file name decides first.
 */
export const UPLOAD_TYPES: ReadonlyMap<string, BatchFormat> = new Map(
  Object.entries<BatchFormat>({
    'text/csv': 'csv',
    'application/csv': 'csv',
    'text/tab-separated-values': 'csv',
    'application/x-ndjson': 'ndjson',
    'application/ndjson': 'ndjson',
    'application/jsonl': 'ndjson',
    'application/json': 'json',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
    'application/zip': 'zip',
    'application/x-zip-compressed': 'zip',
  }),
);

export const GZIP_TYPES = ['application/gzip', 'application/x-gzip'];

export const FORM_TYPE = 'multipart/form-data';

/** How an upload's file is read. These options are not kept, unlike those of the batch. */
export const fileOptions = z.object({
  format: z.string().optional().describe('Format of the file, if neither its name nor its type tells'),
  sheet: z.string().optional().describe('Sheet of the workbook. Default: the first sheet with a table'),
});
