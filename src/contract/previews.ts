/** Previews of uploads: the options, and what is said about the beginning of a file before any of it is submitted. */
import { z } from 'zod';
import { batchFormats, dateFormats } from '../schema/batches.ts';
import { batchOptions } from './batches.ts';
import { count, text } from './fields.ts';
import { savedMappingAnswer } from './mappings.ts';

/** A preview takes the options of a batch, so that the same request can be sent again as a submission. `checks` may be left out. */
export const previewOptions = batchOptions.extend({
  checks: batchOptions.shape.checks.optional(),
  date_format: z.enum(dateFormats, 'must be dmy, mdy or ymd').optional().describe('Default: what the dates of the sample show'),
});

export type PreviewOptions = z.infer<typeof previewOptions>;

const confidence = z.number().min(0).max(1).describe('0 to 1');

/** How a column was found for an input. `POST /batches` takes the names and synonyms by itself; the others must be sent with it. */
export const mappedBy = ['requested', 'saved', 'name', 'synonym', 'likeness', 'values'] as const;
export type MappedBy = (typeof mappedBy)[number];

const proposal = z.object({
  field: text.describe('Input of a check, `<check>.<input>` or `reference`'),
  column: text.nullable().describe('null: no column fits, or several do'),
  by: z.enum(mappedBy).nullable(),
  confidence,
  required: z.array(text).describe('The checks that cannot run without it'),
  reason: text.describe('A sentence for people'),
});

export const previewAnswer = z.object({
  object: z.literal('preview'),
  format: z.enum(batchFormats),
  dialect: z
    .object({
      delimiter: z.enum([',', ';', '\t', '|']).nullable().describe('null: not a CSV'),
      line_end: z.enum(['\n', '\r']).nullable().describe('`\\n` covers CRLF'),
      quote: z.literal('"').nullable(),
      encoding: z
        .enum(['utf-8', 'utf-16', 'windows-1252'])
        .nullable()
        .describe('null: a workbook, or an archive whose manifest is Unicode'),
      header_row: count.nullable().describe('Line or row of the file that is the header; null for JSON rows'),
      left_out: z.array(text).describe('Columns of an earlier results or corrections file; they are not read'),
    })
    .describe('How the file is written'),
  sheet: text.nullable().describe('The sheet of a workbook that is read'),
  sheets: z.array(text).describe('The sheets that `sheet` may name'),
  is_whole: z.boolean().describe('Whether the sample is the whole file'),
  sampled_rows: count.describe('Rows that columns, dates and problems were judged by; at most 1,000'),
  fingerprint: text.describe('map_…, of the column names in any order: the id under which a mapping is saved'),
  columns: z.array(
    z.object({
      name: text,
      position: count.describe('From 0'),
      filled_percent: z.number().describe('Of the sampled rows'),
      samples: z.array(text).describe('The first 3 different values, cut at 200 characters'),
    }),
  ),
  rows: z.array(z.array(text)).describe('The first 20 rows, cell by cell in the order of `columns`, cut at 200 characters'),
  checks: z.array(text).describe('The checks that were asked for'),
  suggested_checks: z
    .array(z.object({ check: text, fields: z.array(text) }))
    .describe(
      'Checks that this app may use and that accept at least one row of the sample: those that require the number of a registry (NIN, BVN, RC …) first, then those that use most columns',
    ),
  mapping: z.array(proposal).describe('One entry for each input of the checks asked for; without checks, for each input that has a column'),
  date_format: z
    .object({ value: z.enum(dateFormats), confidence, reason: text })
    .nullable()
    .describe('How `01/02/1990` is to be read; null: no mapped column holds dates'),
  warnings: z
    .array(z.object({ code: z.enum(['header_is_data', 'one_column', 'windows_1252', 'unread_column']), message: text }))
    .describe(
      '`header_is_data`: what is read as the names of columns looks like a row of data, which is then lost; `one_column`: the whole header was read as one column; `windows_1252`: the text is not Unicode and was read as Windows-1252; `unread_column`: a column that may be an optional input is not read, or only if you name it',
    ),
  problems: z
    .array(
      z.object({
        row: count,
        line: count.nullable().describe('Of a CSV file, from 1; null: another file, or a broken row, whose message says it'),
        column: text.nullable(),
        rule: text,
        message: text,
      }),
    )
    .describe(
      'What is wrong with rows of the sample under the proposed mapping, the first 100. Empty without `checks` or a required column',
    ),
  invalid_rows: count.describe('Rows of the sample with a problem'),
  saved_mapping: savedMappingAnswer.nullable().describe('What was last used with these column names'),
});

export type Preview = z.infer<typeof previewAnswer>;
