/** The results of a batch: its jobs page by page, files of results and of rows to correct. `links.ts` has signed links to those files. */

import type { z } from 'zod';
import { readSubmitters } from '../access/submitters.ts';
import type { BatchRow } from '../contract/batches.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { showJob } from '../contract/jobs.ts';
import {
  batchJobsQuery,
  errorsQuery,
  type foundRowAnswer,
  type invalidRowAnswer,
  invalidRowsQuery,
  resultsQuery,
  rowsQuery,
} from '../contract/results.ts';
import { showId } from '../foundation/ids.ts';
import { findRows } from '../results/find-rows.ts';
import { readInvalidRows } from '../results/invalid-rows.ts';
import { readJobs } from '../results/jobs.ts';
import type { RowProblem } from '../schema/batches.ts';
import { mayExport, waitsForApproval } from './asking.ts';
import { aboutRead } from './audited.ts';
import { findKeptBatch } from './find.ts';
import { callerOf, envelope } from './http.ts';
import { answer, file, header } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { FILES, sendResults } from './result-files.ts';
import { route } from './route.ts';
import { showJobs } from './shown-job.ts';

const common = { tag: 'results', who: 'app', scope: 'results:read', method: 'get' } as const;
/** A person needs the scope `reveal` too. */
const reveals = { ...common, reveals: true } as const;

const nextSince = {
  'Next-Since': header('Send it as `since` in the next request to get only what is new', { type: 'string', format: 'date-time' }),
};

const jobList = pageOf(refTo('JobWithResult'));
const jobPage = {
  ...jobList,
  properties: {
    ...(jobList.properties as object),
    searched_to_row: { type: 'integer', description: 'With `reference`: the last row searched' },
  },
};

const foundRows = pageOf(refTo('FoundRow'));
const rowsPage = {
  ...foundRows,
  properties: {
    ...(foundRows.properties as object),
    searched_to: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Every batch that was submitted later than this has been searched',
    },
  },
};

/** With the columns in which the fields were looked for. */
const showProblems = ({ mapping }: BatchRow, problems: readonly RowProblem[]): z.infer<typeof invalidRowAnswer>['problems'] =>
  problems.map(({ field, rule, message }) => ({ field, column: field === null ? null : (mapping[field] ?? null), rule, message }));

export const resultRoutes = [
  route({
    ...common,
    path: '/api/v1/rows',
    id: 'findRows',
    audit: { read: 'references.read' },
    summary: 'The rows that have a reference, in all batches of the mode, newest batch first; without results',
    query: rowsQuery,
    answers: { 200: answer('A page', rowsPage) },
    async handle(c, { service, query: { reference, cursor = null, limit } }) {
      const read = await findRows(service, callerOf(c), { reference, cursor, limit });
      if (!read) throw refusedCursor();
      const submitterOf = await readSubmitters(
        service,
        callerOf(c),
        read.rows.flatMap(({ jobs }) => jobs),
      );
      const shown = read.rows.map(
        ({ batch, row, problems, jobs }): z.infer<typeof foundRowAnswer> => ({
          object: 'row',
          batch: showId('bat', batch.id),
          batch_reference: batch.reference,
          created_at: showInstant(batch.createdAt),
          row,
          problems: problems && showProblems(batch, problems),
          jobs: jobs.map((job) => ({ ...showJob(job), created_by: submitterOf(job) })),
        }),
      );
      if (shown.length === 0) aboutRead(c, null);
      return envelope(c, { ...page(shown, read.nextCursor), searched_to: showInstantOrNull(read.searchedTo?.createdAt ?? null) });
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id/jobs',
    id: 'listBatchJobs',
    audit: { read: 'results.read' },
    summary: 'Jobs of a batch in the order of its rows; masked for people',
    find: findKeptBatch,
    query: batchJobsQuery,
    answers: { 200: answer('A page', jobPage) },
    async handle(c, { service, found, query: { cursor = null, from_row: fromRow, reference, ...rest } }) {
      const read = await readJobs(service, found, { ...rest, cursor, fromRow, reference: reference || null });
      if (!read) throw refusedCursor();
      return envelope(c, {
        ...page(await showJobs(c, service, read.jobs), read.nextCursor),
        ...(read.lookedTo !== undefined && { searched_to_row: read.lookedTo }),
      });
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id/invalid-rows',
    id: 'listInvalidRows',
    audit: { read: 'errors.read' },
    summary: 'The invalid rows of a batch with what is wrong with each, in the order of its rows',
    find: findKeptBatch,
    query: invalidRowsQuery,
    answers: { 200: answer('A page', pageOf(refTo('InvalidRow'))) },
    async handle(c, { service, found, query: { cursor = null, from_row, reference, limit } }) {
      const read = await readInvalidRows(service, found, { cursor, fromRow: from_row ?? 1, reference: reference || null, limit });
      if (!read) throw refusedCursor();
      const shown = read.rows.map(
        ({ row, reference, problems }): z.infer<typeof invalidRowAnswer> => ({
          object: 'invalid_row',
          row,
          reference,
          problems: showProblems(found, problems),
        }),
      );
      return envelope(c, page(shown, read.nextCursor));
    },
  }),
  route({
    ...reveals,
    path: '/api/v1/batches/:id/results',
    isBulk: true,
    id: 'downloadResults',
    audit: { read: 'results.read' },
    summary: 'The rows with their results, as a file',
    find: findKeptBatch,
    query: resultsQuery,
    answers: { 200: { ...file('The file', ...FILES), headers: nextSince }, 202: waitsForApproval },
    errors: ['overloaded'],
    async handle(c, { found, query: { format, outcome, since, bom }, ...tools }) {
      const waits = await mayExport(c, tools, found, {
        target: showId('bat', found.id),
        terms: { kind: 'results', format: format ?? 'csv' },
      });
      if (waits) return waits;
      aboutRead(c, { detail: { format: format ?? 'csv', outcome, since } });
      return sendResults(c, tools, found, { kind: 'results', format, outcomes: outcome }, { since, hasMark: bom !== '0' });
    },
  }),
  route({
    ...reveals,
    path: '/api/v1/batches/:id/errors',
    isBulk: true,
    id: 'downloadErrors',
    audit: { read: 'errors.read' },
    summary: 'The invalid rows, by default in the format of the upload, to be corrected',
    find: findKeptBatch,
    query: errorsQuery,
    answers: { 200: file('The file', ...FILES), 202: waitsForApproval },
    errors: ['overloaded'],
    async handle(c, { found, query: { format, bom }, ...tools }) {
      const waits = await mayExport(c, tools, found, {
        target: showId('bat', found.id),
        terms: { kind: 'errors', ...(format && { format }) },
      });
      if (waits) return waits;
      if (format) aboutRead(c, { detail: { format } });
      return sendResults(
        c,
        tools,
        found,
        { kind: 'errors', format: format ?? null, outcomes: null },
        { since: null, hasMark: bom !== '0' },
      );
    },
  }),
];
