/** Uploads: media types, and how the file is to be read. */

import { z } from 'zod';
import type { BatchFormat } from '../schema/batches.ts';

/** Uploads by media type. Browsers call a CSV file `text/plain` or `application/vnd.ms-excel`, so a part of a form goes by its name first. */
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

/** How the file of an upload is to be read: options beside those of the batch, which outlive it. */
export const fileOptions = z.object({
  format: z.string().optional().describe('Form of the file, where neither its name nor its type says it'),
  sheet: z.string().optional().describe('Sheet of the workbook; the first one with a table if absent'),
});
