/** ETags of resources that clients ask for again and again. */
import { createHash } from 'node:crypto';
import { envelope, type Http } from './http.ts';
import { header, type Parameter } from './openapi/operation.ts';

/**
 * A resource with its ETag, or 304 if the client has it already. The tag is weak: neither the request id nor an estimate that changes with the clock is part
 * of the state.
 */
export function tagged(c: Http, tag: string, entity: unknown): Response {
  return isAsked(c, tag) ? c.body(null, 304, { ETag: tag }) : envelope(c, entity, 200, { ETag: tag });
}

export const tagOf = (state: unknown): string =>
  `W/"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)}"`;

/** Does If-None-Match contain `tag`? Null without that header. */
export function isAsked(c: Http, tag: string): boolean | null {
  const header = c.req.header('if-none-match');
  if (header === undefined) return null;
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return header.split(',').some((one) => bare(one) === bare(tag) || one.trim() === '*');
}

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of your copy',
  schema: { type: 'string' },
};

export const etag = { ETag: header('Changes with the state') };

export const unchanged = { description: 'Unchanged', headers: etag };
