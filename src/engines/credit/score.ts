/** The aggregate score, 300 to 850, of all files together; `docs/credit.md` explains the table. The same files give the same score. */
import { DELINQUENT_DAYS, type Loan, type Report } from './report.ts';

const LOWEST = 300;
const HIGHEST = 850;
/** A factor below this share of its weight is named as a reason. */
const REASON_BELOW = 0.7;

interface Facts {
  loans: Loan[];
  /** Share of loans that are delinquent, by the bureau that says the most. */
  delinquentShare: number;
  enquiries: number;
}

/** `share` is 0 (worst) to 1 (best); the weights add up to 100. */
const FACTORS: { weight: number; reason: string; share(facts: Facts): number }[] = [
  { weight: 40, reason: 'Delinquent loans', share: ({ delinquentShare }) => 1 - delinquentShare },
  {
    weight: 15,
    reason: 'Days overdue on a loan',
    share: ({ loans }) => 1 - Math.max(0, ...loans.map((loan) => loan.daysOverdue)) / DELINQUENT_DAYS,
  },
  {
    weight: 25,
    reason: 'Much of what was borrowed is still owed',
    share: ({ loans }) => 1 - ratio(total(loans, 'outstandingBalance'), total(loans, 'loanAmount')),
  },
  { weight: 10, reason: 'Few loans on file', share: ({ loans }) => loans.length / 4 },
  { weight: 10, reason: 'Many credit enquiries', share: ({ enquiries }) => 1 - enquiries / 8 },
];

/** Null when no bureau has a file. */
export function scoreOf(reports: readonly Report[]): { value: number | null; reasons: string[] } {
  if (reports.length === 0) return { value: null, reasons: ['No credit data available for this borrower'] };
  const facts: Facts = {
    loans: distinctLoans(reports),
    delinquentShare: Math.max(
      ...reports.map(({ metrics }) => ratio(metrics.totalNoOfDelinquentFacilities ?? 0, metrics.totalNoOfLoans ?? 0)),
    ),
    enquiries: Math.max(...reports.map(({ enquiries }) => enquiries.length)),
  };
  const rated = FACTORS.map(({ weight, reason, share }) => ({ weight, reason, share: Math.min(1, Math.max(0, share(facts))) }));
  const earned = rated.reduce((sum, { weight, share }) => sum + weight * share, 0) / 100;
  return {
    value: Math.round(LOWEST + (HIGHEST - LOWEST) * earned),
    reasons: rated.filter(({ share }) => share < REASON_BELOW).map(({ reason }) => reason),
  };
}

/** Two bureaus that know the same account tell of one loan. */
function distinctLoans(reports: readonly Report[]): Loan[] {
  return [...new Map(reports.flatMap(({ loans }) => loans).map((loan) => [`${loan.loanProvider} ${loan.accountNumber}`, loan])).values()];
}

const total = (loans: readonly Loan[], member: 'outstandingBalance' | 'loanAmount') => loans.reduce((sum, loan) => sum + loan[member], 0);
const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
