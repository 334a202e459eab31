/** The app's audit. */
import type { z } from 'zod';
import type { Action, auditAnswer } from '../contract/audit.ts';
import type { Page, Query, Transport } from './transport.ts';

export type AuditEntry = z.infer<typeof auditAnswer>;
export type { Action };

const AUDIT = 'api/v1/audit';

export const auditCalls = ({ send, open, items }: Transport) => ({
  page: (query: Query, signal?: AbortSignal) => send<Page<AuditEntry>>('GET', AUDIT, { query, signal }),
  all: (query: Query = {}, signal?: AbortSignal) => items<AuditEntry>(AUDIT, query, signal),
  /** Everything that matches, as CSV. */
  file: async (query: Query) => (await open('GET', AUDIT, { query: { ...query, format: 'csv' } })).blob(),
});
