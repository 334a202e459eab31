/** A bureau's file in one form for all bureaus. The adapters build it from each bureau's raw record; `merge.ts` and `score.ts` read it. */
import { z } from 'zod';

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
  repaymentFrequency: string;
  repaymentBehavior: string;
  paymentProfile: string;
  dateAccountOpened: string;
  lastUpdatedAt: string;
}

export interface Enquiry {
  loanProvider: string;
  reason: string;
  date: string;
  contactPhone: string;
}

/** Published as text, like all counts. */
export interface EnquiriesSummary {
  Last3MonthCount: string;
  Last12MonthCount: string;
  Last36MonthCount: string;
}

export interface Creditor {
  Name: string;
  Phone: string;
  Address: string;
  Subscriber_ID: string;
}

/** The lists are null for a bureau that gives only counts: an empty list would mean that there is nothing. */
export interface Report {
  source: Source;
  /** The bureau's own score; null where it gives none. */
  score: { value: number; rating: string } | null;
  /** As the bureau reports them. A bureau that does not report a count leaves it out. */
  metrics: Partial<Record<Metric, number>>;
  loans: Loan[] | null;
  enquiries: Enquiry[] | null;
  enquiriesSummary: EnquiriesSummary | null;
  creditors: Creditor[] | null;
  /** Facts that only CRC gives. */
  crc?: z.infer<typeof crcScore>;
  /** Facts that only FirstCentral gives. */
  firstCentral?: z.infer<typeof firstCentralScore>;
}

const date = z.string().describe('YYYY-MM-DD');
const points = z.string().describe('Points out of the maximum, such as 170/192');

export const crcScore = z.object({
  ficoScore: z.object({ score: z.number(), rating: z.string(), reasons: z.array(z.string()) }).nullable(),
  hasLoans: z.string().describe('YES or NO'),
  lastReportedDate: date,
  crcReportOrderNumber: z.string(),
});

export const firstCentralScore = z.object({
  totalConsumerScore: z.string().describe('As text: 300 plus the points below'),
  description: z.string().describe('Such as MEDIUM RISK'),
  repaymentHistoryScore: points,
  totalAmountOwedScore: points,
  typesOfCreditScore: points,
  lengthOfCreditHistoryScore: points,
  noOfAcctScore: points,
  totalAccounts: z.string(),
  totalaccountinGoodcondition: z.string(),
  totalaccountinBadcondition: z.string(),
  totalOutstandingDebt: z.string().describe('NGN as text, such as 280,567.00'),
  totalAmountOverdue: z.string().describe('NGN as text, such as 280,567.00'),
  firstCentralEnquiryResultID: z.string(),
  scoreDate: date,
});

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

export const countText = z.string().regex(/^\d{1,6}$/);

/** "170/192". */
export const pointsText = z.string().regex(/^\d{1,3}\/\d{1,3}$/);

/** "31/12/2025" becomes 2025-12-31. */
export const slashedDate = z
  .string()
  .regex(/^\d{2}\/\d{2}\/\d{4}$/)
  .transform((text) => text.split('/').reverse().join('-'));

/** The record does not have the shape that the bureau documents. */
export class UnreadableReport extends Error {}

/** Throws `UnreadableReport`. */
export function readRaw<Schema extends z.ZodType>(schema: Schema, record: unknown): z.output<Schema> {
  const parsed = schema.safeParse(record);
  if (!parsed.success) throw new UnreadableReport();
  return parsed.data;
}
