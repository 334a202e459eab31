/** Answers with pages and files of the documentation. */
import { createHash } from 'node:crypto';
import { isAsked } from '../etag.ts';
import type { Http } from '../http.ts';

/** Scripts and styles come from files only, the icon is a data URI. The search is the only form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const policyHeaders = { 'Content-Security-Policy': POLICY };
export const ASK_AGAIN = 'no-cache';
export const FOR_GOOD = 'public, max-age=31536000, immutable';
export const HTML = 'text/html; charset=utf-8';

export function send(c: Http, content: string | Uint8Array<ArrayBuffer>, type: string, caching: string): Response {
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const headers = { ...policyHeaders, ETag: tag, 'Cache-Control': caching };
  return isAsked(c, tag) ? c.body(null, 304, headers) : c.body(content, 200, { ...headers, 'Content-Type': type });
}
