/** The app's audit. */
import type { z } from 'zod';
import type { Action, auditAnswer, auditQuery } from '../contract/audit.ts';
import type { ListQuery, Page, Transport } from './transport.ts';

export type AuditEntry = z.infer<typeof auditAnswer>;
export type { Action };

type AuditQuery = ListQuery<Omit<z.input<typeof auditQuery>, 'format'>>;

const AUDIT = 'api/v1/audit';

export const auditCalls = ({ send, open, items }: Transport) => ({
  page: (query: AuditQuery = {}, signal?: AbortSignal) => send<Page<AuditEntry>>('GET', AUDIT, { query, signal }),
  all: (query: AuditQuery = {}, signal?: AbortSignal) => items<AuditEntry>(AUDIT, query, signal),
  /** Everything that matches, as CSV. */
  file: async (query: AuditQuery = {}) => (await open('GET', AUDIT, { query: { ...query, format: 'csv' } })).blob(),
});
