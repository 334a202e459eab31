/** Reads the audit of a running API as the operator, and proves that it is whole. */
import { expect } from 'vitest';
import { verifyAudit } from '../../src/access/audit/verify.ts';
import type { Action } from '../../src/contract/audit.ts';
import { sealAudit } from '../../src/pipeline/sweep.ts';
import type { Entity, TestApi } from './api.ts';

export interface AuditEntry {
  app: string | null;
  seq: number;
  live: boolean | null;
  actor: { kind: string; id: string };
  address: string | null;
  action: Action;
  target: string | null;
  subject: string | null;
  purpose: string | null;
  request_id: string | null;
  outcome: string;
  code: string | null;
  detail: Entity | null;
}

export interface AuditPage {
  data: AuditEntry[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Entries of an app, or with null of the deployment, newest first. */
export const auditEntries = async (api: TestApi, app: string | null, query = ''): Promise<AuditEntry[]> =>
  (await api.admin.get<AuditPage>(`/api/v1/admin/audit?app=${app ?? 'deployment'}&${query}`)).body.entity.data;

/** Seals the audit and recomputes every hash. */
export async function expectWholeAudit(api: TestApi): Promise<void> {
  await sealAudit(api.service);
  expect((await verifyAudit(api.service)).problems).toEqual([]);
}
