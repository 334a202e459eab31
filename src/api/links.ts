/** Signed links to the files of a batch, for people without a key. */
import type { z } from 'zod';
import type { BatchRow } from '../contract/batches.ts';
import type { linkAnswer } from '../contract/results.ts';
import { fileQuery, linkBody } from '../contract/results.ts';
import { type LinkedFile, openLink, signLink } from '../results/links.ts';
import { findBatch } from './find.ts';
import { envelope, type Http } from './http.ts';
import { answer, file } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { FILES, sendResults } from './result-files.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

async function findLinked(c: Http, { service }: Tools): Promise<{ batch: BatchRow; file: LinkedFile }> {
  const linked = await openLink(service, c.req.param('token') ?? '');
  service.suspensions.refuse(linked.batch.appId);
  return linked;
}

export const linkRoutes = [
  route({
    method: 'post',
    path: '/api/v1/batches/:id/links',
    id: 'makeLink',
    tag: 'results',
    summary: 'A signed link to a file for somebody without a key',
    who: 'app',
    find: findBatch,
    body: { schema: linkBody, example: { format: 'csv', expires_in_seconds: 3600 } },
    answers: { 201: answer('The link', refTo('Link')) },
    async handle(c, { service, found, body: { kind, format = null, outcome = null, expires_in_seconds } }) {
      const { token, expiresAt } = await signLink(service, found, { kind, format, outcomes: outcome }, expires_in_seconds);
      const path = `/api/v1/links/${token}`;
      const url = new URL(path, c.req.url).href;
      const entity = { object: 'link', url, path, kind, format, outcome, expires_at: expiresAt } as const;
      return envelope<z.infer<typeof linkAnswer>>(c, entity, 201);
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/links/:token',
    id: 'followLink',
    tag: 'results',
    summary: 'The file of a signed link',
    who: 'anyone',
    find: findLinked,
    query: fileQuery,
    answers: { 200: file('The file', ...FILES) },
    errors: ['link_expired', 'link_invalid', 'invalid_request', 'overloaded'],
    handle: (c, { found, query: { bom }, ...tools }) =>
      // Without `since`: a link is always for a whole file.
      sendResults(c, tools, found.batch, found.file, { since: null, hasMark: bom !== '0' }),
  }),
];
