/** What a bureau's file says, in one form for all bureaus: the adapters make it of each bureau's raw record, `merge.ts` and `score.ts` read it. */
import { z } from 'zod';
import { ProviderFailure } from '../../providers/provider.ts';

export const sources = ['CRC', 'FIRST_CENTRAL', 'CREDIT_REGISTRY'] as const;
export type Source = (typeof sources)[number];

export const metricNames = [
  'totalNoOfLoans',
  'totalNoOfActiveLoans',
  'totalNoOfClosedLoans',
  'totalNoOfPerformingLoans',
  'totalNoOfInstitutions',
  'totalNoOfDelinquentFacilities',
  'totalNoOfOverdueAccounts',
  'maxNoOfDays',
  'totalBorrowed',
  'totalOutstanding',
  'totalOverdue',
  'highestLoanAmount',
  'totalMonthlyInstallment',
] as const;
type Metric = (typeof metricNames)[number];

/** Amounts in NGX, dates YYYY-MM-DD. */
export interface Loan {
  loanProvider: string;
  accountNumber: string;
  loanAmount: number;
  outstandingBalance: number;
  overdueAmount: number;
  monthlyInstallment: number;
  daysOverdue: number;
  isClosed: boolean;
  type: string;
  durationMonths: number;
  dateAccountOpened: string;
  lastUpdatedAt: string;
}

export interface Enquiry {
  loanProvider: string;
  reason: string;
  date: string;
  contactPhone: string;
}

export interface Report {
  source: Source;
  /** The bureau's own score; null where it gives none. */
  score: { value: number; rating: string } | null;
  /** What the bureau says; a bureau that does not count something leaves it out. */
  metrics: Partial<Record<Metric, number>>;
  loans: Loan[];
  enquiries: Enquiry[];
}

/** From this many days a loan is delinquent (CBN prudential guidelines: "substandard"). */
export const DELINQUENT_DAYS = 90;

export function metricsOf(loans: readonly Loan[]): Record<Metric, number> {
  const sum = (pick: (loan: Loan) => number) => Math.round(loans.reduce((total, loan) => total + pick(loan), 0) * 100) / 100;
  const count = (is: (loan: Loan) => boolean) => loans.filter(is).length;
  return {
    totalNoOfLoans: loans.length,
    totalNoOfActiveLoans: count((loan) => !loan.isClosed),
    totalNoOfClosedLoans: count((loan) => loan.isClosed),
    totalNoOfPerformingLoans: count((loan) => !loan.isClosed && loan.daysOverdue < DELINQUENT_DAYS),
    totalNoOfInstitutions: new Set(loans.map((loan) => loan.loanProvider)).size,
    totalNoOfDelinquentFacilities: count((loan) => loan.daysOverdue >= DELINQUENT_DAYS),
    totalNoOfOverdueAccounts: count((loan) => loan.overdueAmount > 0),
    maxNoOfDays: Math.max(0, ...loans.map((loan) => loan.daysOverdue)),
    totalBorrowed: sum((loan) => loan.loanAmount),
    totalOutstanding: sum((loan) => loan.outstandingBalance),
    totalOverdue: sum((loan) => loan.overdueAmount),
    highestLoanAmount: Math.max(0, ...loans.map((loan) => loan.loanAmount)),
    totalMonthlyInstallment: sum((loan) => loan.monthlyInstallment),
  };
}

/** "280,567.00". */
export const amountText = z
  .string()
  .regex(/^\d{1,3}(,?\d{3})*(\.\d+)?$/)
  .transform((text) => Number(text.replaceAll(',', '')));

/** "31/12/2025" becomes 2025-12-31. */
export const slashedDate = z
  .string()
  .regex(/^\d{2}\/\d{2}\/\d{4}$/)
  .transform((text) => text.split('/').reverse().join('-'));

/** A record that is not in the bureau's shape is an answer that nobody can read, as from any vendor. */
export function readRaw<Schema extends z.ZodType>(schema: Schema, record: unknown): z.output<Schema> {
  const parsed = schema.safeParse(record);
  if (!parsed.success) throw new ProviderFailure('down', { retryable: true });
  return parsed.data;
}
