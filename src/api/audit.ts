/** The audit: an app's own, in the mode of the key, and the operator's, of every app. */

import { DEPLOYMENT } from '../access/audit/entry.ts';
import type { AuditScope } from '../access/audit/read.ts';
import { readAudit, streamAudit } from '../access/audit/read.ts';
import { type AuditQuery, adminAuditQuery, auditQuery } from '../contract/audit.ts';
import { parseId } from '../foundation/ids.ts';
import { csvFile } from './csv.ts';
import { callerOf, envelope, type Http, invalid } from './http.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

const answers = { 200: answer('A page, newest first; with `format=csv` all that matches, as a file', pageOf(refTo('AuditEntry'))) };

export const auditRoutes = [
  route({
    method: 'get',
    path: '/api/v1/audit',
    id: 'readAudit',
    audit: { read: 'audit.read' },
    tag: 'audit',
    summary: 'Who read personal data of this app, and who changed what',
    description: 'Entries of the key’s mode, and those that concern both modes.',
    who: 'app',
    scope: 'audit:read',
    query: auditQuery,
    answers,
    handle(c, { query, ...tools }) {
      const { appId, live } = callerOf(c);
      return send(c, tools, { appId, live }, query);
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/admin/audit',
    id: 'readWholeAudit',
    audit: { read: 'audit.read' },
    tag: 'operator',
    summary: 'The audit of every app and of the deployment',
    who: 'admin',
    query: adminAuditQuery,
    answers,
    handle: (c, { query: { app, ...query }, ...tools }) => send(c, tools, { appId: appOf(app), live: null }, query),
  }),
];

async function send(
  c: Http,
  { service, sendFile }: Pick<Tools, 'service' | 'sendFile'>,
  scope: AuditScope,
  query: AuditQuery,
): Promise<Response> {
  if (query.format === 'csv') return csvFile(c, sendFile, 'audit.csv', streamAudit(service, scope, query));
  const found = await readAudit(service, scope, query);
  if (!found) throw refusedCursor();
  return envelope(c, page(found.entries, found.nextCursor));
}

/** Null: every app. */
function appOf(app: string | undefined): string | null {
  if (app === undefined) return null;
  const id = app === 'deployment' ? DEPLOYMENT : parseId('app', app);
  if (id === null) throw invalid([{ path: 'app', message: 'must be app_… or deployment', rule: 'app' }]);
  return id;
}
