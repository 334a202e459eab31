/** CreditRegistry: counts only; no loans and no score. */
import { z } from 'zod';
import { type Report, readRaw } from './report.ts';

const count = z.number().int().min(0);
const raw = z.object({ accounts: count, openAccounts: count, closedAccounts: count, lenders: count, delinquentAccounts: count });

export function readCreditRegistry(record: Record<string, unknown>): Report {
  const counts = readRaw(raw, record);
  return {
    source: 'CREDIT_REGISTRY',
    score: null,
    metrics: {
      totalNoOfLoans: counts.accounts,
      totalNoOfActiveLoans: counts.openAccounts,
      totalNoOfClosedLoans: counts.closedAccounts,
      totalNoOfInstitutions: counts.lenders,
      totalNoOfDelinquentFacilities: counts.delinquentAccounts,
    },
    loans: null,
    enquiries: null,
    enquiriesSummary: null,
    creditors: null,
  };
}
