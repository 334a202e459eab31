/** Signed links to the files of a batch, for people without a key. */
import type { z } from 'zod';
import { showBatch } from '../contract/batches.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import {
  DOWNLOAD_SECONDS,
  fileQuery,
  type linkAnswer,
  linkBody,
  type linkSummaryAnswer,
  linksQuery,
  type madeLinkAnswer,
} from '../contract/results.ts';
import type { Config } from '../foundation/config.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { errorFormat } from '../results/errors.ts';
import { type OpenedLink, openLink, readLinks, revokeLink, type StoredLink, signLink } from '../results/links.ts';
import { mayExport, waitsForApproval } from './asking.ts';
import { aboutRead, authorOf, purposeHeader } from './audited.ts';
import { findBatch, findKeptBatch } from './find.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { answer, file } from './openapi/operation.ts';
import { objectOf, pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { limitRate } from './rate-limit.ts';
import { FILES, sendResults } from './result-files.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

/** Requests a minute by one link: each leaves an entry in the audit of its app. */
const LINK_REQUESTS_PER_MINUTE = 60;

async function findLinked(c: Http, { service, rateLimits }: Tools): Promise<OpenedLink> {
  const linked = await openLink(service, c.req.param('token') ?? '');
  const { appId, live, id } = linked.batch;
  aboutRead(c, {
    appId,
    live,
    object: showId('bat', id),
    detail: { kind: linked.file.kind },
    link: linked.link,
  });
  service.suspensions.refuse(appId);
  // A link of an early release has no id.
  limitRate(c, rateLimits, parseId('lnk', linked.link) ?? id, LINK_REQUESTS_PER_MINUTE);
  return linked;
}

/** For people elsewhere: below CONFAM_PUBLIC_URL, and only without it where this request went, which may be an address behind a proxy. */
const addressOf = ({ CONFAM_PUBLIC_URL: base }: Config, requested: string, path: string): string =>
  base === undefined ? new URL(path, requested).href : `${base.replace(/\/$/, '')}${path}`;

const showLink = ({ id, createdAt, expiresAt, revokedAt }: StoredLink): z.infer<typeof madeLinkAnswer> => ({
  id: showId('lnk', id),
  object: 'link',
  created_at: showInstant(createdAt),
  expires_at: showInstant(expiresAt),
  revoked_at: showInstantOrNull(revokedAt),
});

export const linkRoutes = [
  route({
    method: 'post',
    path: '/api/v1/batches/:id/links',
    id: 'makeLink',
    audit: { change: 'link.create' },
    tag: 'results',
    summary: 'A signed link to a file for somebody without a key',
    who: 'app',
    scope: 'results:read',
    reveals: true,
    find: findKeptBatch,
    parameters: [purposeHeader],
    body: { schema: linkBody, example: { format: 'csv', expires_in_seconds: 3600 } },
    description:
      'Where exports need an approval, links for up to the approved time can be made for an hour. A link for at most a minute counts as a download.',
    answers: { 201: answer('The link', refTo('Link')), 202: waitsForApproval },
    errors: ['conflict'],
    async handle(c, { service, found, body: { kind, format = null, outcome = null, expires_in_seconds } }) {
      if (kind === 'errors') errorFormat(found, format);
      const isDownload = expires_in_seconds <= DOWNLOAD_SECONDS;
      const terms = isDownload ? { kind } : { kind, link_seconds: expires_in_seconds };
      const waits = await mayExport(c, { service }, found, { target: showId('bat', found.id), terms });
      if (waits) return waits;
      const { keyId = null, settings } = callerOf(c);
      const maker = { keyId, by: authorOf(c), underApproval: settings.approveExport ?? false };
      const { id, token, expiresAt } = await signLink(service, found, {
        file: { kind, format, outcomes: outcome },
        seconds: expires_in_seconds,
        maker,
      });
      const path = `/api/v1/links/${token}`;
      const at = (path: string) => addressOf(service.config, c.req.url, path);
      const entity = {
        id: showId('lnk', id),
        object: 'link',
        url: at(path),
        path,
        page_url: at(`/console/link#${token}`),
        kind,
        format,
        outcome,
        expires_at: showInstant(expiresAt),
      } as const;
      return envelope<z.infer<typeof linkAnswer>>(c, entity, 201);
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/batches/:id/links',
    id: 'listLinks',
    audit: { none: 'shows nobody' },
    tag: 'results',
    summary: 'The links to a batch’s files, newest first; their addresses are not kept',
    who: 'app',
    scope: 'results:read',
    find: findBatch,
    query: linksQuery,
    answers: { 200: answer('A page', pageOf(refTo('MadeLink'))) },
    async handle(c, { service, found, query: { limit, cursor, active } }) {
      const isActive = active === undefined ? null : active === 'true';
      const links = await readLinks(service, found.id, { isActive, before: idCursor('lnk', cursor), limit: limit + 1 });
      return envelope(c, pageById(links.map(showLink), limit));
    },
  }),
  route({
    method: 'post',
    path: '/api/v1/links/:id/revoke',
    id: 'revokeLink',
    reveals: true,
    audit: { change: 'link.revoke' },
    tag: 'results',
    summary: 'End a link now; links also end with the right of whoever made them',
    who: 'app',
    scope: 'results:read',
    answers: {
      200: answer('Revoked', objectOf({ id: { type: 'string' }, object: { const: 'link' }, revoked: { const: true } })),
    },
    async handle(c, { service, params }) {
      const id = parseId('lnk', params.id);
      if (id === null || !(await revokeLink(service, id, callerOf(c), authorOf(c))))
        throw new ApiError('resource_not_found', 'There is no such link, or it was already revoked');
      return envelope(c, { id: params.id, object: 'link', revoked: true });
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/links/:token/summary',
    id: 'summarizeLink',
    audit: { read: 'link.read' },
    tag: 'results',
    summary: 'What the file of a signed link is, before it is downloaded',
    who: 'anyone',
    find: findLinked,
    answers: { 200: answer('The summary', refTo('LinkSummary')) },
    errors: ['link_expired', 'link_invalid', 'rate_limited'],
    async handle(c, { found: { link, appName, batch, file, expiresAt } }) {
      const { appId, live, id } = batch;
      aboutRead(c, { appId, live, object: showId('bat', id), detail: { kind: file.kind, summary: true }, link });
      const { reference, status, checks, counts, created_at } = showBatch(batch);
      return envelope<z.infer<typeof linkSummaryAnswer>>(c, {
        object: 'link_summary',
        app: { name: appName },
        live,
        batch: { reference, status, checks, counts, created_at },
        kind: file.kind,
        format: file.format,
        outcome: file.outcomes === null ? null : [...file.outcomes],
        expires_at: showInstant(expiresAt),
      });
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/links/:token',
    id: 'followLink',
    audit: { read: 'link.read' },
    tag: 'results',
    summary: 'The file of a signed link',
    who: 'anyone',
    find: findLinked,
    query: fileQuery,
    answers: { 200: file('The file', ...FILES) },
    errors: ['link_expired', 'link_invalid', 'rate_limited', 'invalid_request', 'overloaded'],
    handle: (c, { found, query: { bom }, ...tools }) =>
      // Without `since`: a link is always for a whole file.
      sendResults(c, { ...tools, service: tools.service.forApp(found.batch.appId, 'bulk') }, found.batch, found.file, {
        since: null,
        hasMark: bom !== '0',
      }),
  }),
];
