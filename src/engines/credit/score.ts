/** The aggregate score, 300 to 850, over all files. `docs/credit.md` explains the table. The same files always give the same score. */
import { DELINQUENT_DAYS, type Loan, type Report } from './report.ts';

const LOWEST = 300;
const HIGHEST = 850;
/** A factor below this share of its weight is listed as a reason. */
const REASON_BELOW = 0.7;

/** Facts over all files. Null if no bureau reports the fact. */
interface Facts {
  /** Empty if bureaus that list loans know of none. */
  loans: Loan[] | null;
  loanCount: number | null;
  /** The highest share of delinquent loans that any bureau reports. */
  delinquentShare: number | null;
  enquiries: number | null;
}

/** `share` runs from 0 (worst) to 1 (best); null if nothing is known. The weights add up to 100. */
const FACTORS: { weight: number; reason: string; share(facts: Facts): number | null }[] = [
  { weight: 40, reason: 'Delinquent loans', share: ({ delinquentShare }) => (delinquentShare === null ? null : 1 - delinquentShare) },
  {
    weight: 15,
    reason: 'Days overdue on a loan',
    share: ({ loans }) => (loans?.length ? 1 - Math.max(...loans.map((loan) => loan.daysOverdue)) / DELINQUENT_DAYS : null),
  },
  {
    weight: 25,
    reason: 'A large part of the borrowed amount is still owed',
    share: ({ loans }) => {
      const borrowed = total(loans ?? [], 'loanAmount');
      return borrowed > 0 ? 1 - total(loans ?? [], 'outstandingBalance') / borrowed : null;
    },
  },
  { weight: 10, reason: 'Few loans on file', share: ({ loanCount }) => (loanCount === null ? null : loanCount / 4) },
  { weight: 10, reason: 'Many credit enquiries', share: ({ enquiries }) => (enquiries === null ? null : 1 - enquiries / 8) },
];

/** Null if no bureau has a file with usable data. A fact that no bureau reports neither raises nor lowers the score. */
export function scoreOf(reports: readonly Report[]): { value: number | null; reasons: string[] } {
  const facts = factsOf(reports);
  const rated = FACTORS.flatMap(({ weight, reason, share }) => {
    const earned = share(facts);
    return earned === null ? [] : [{ weight, reason, share: Math.min(1, Math.max(0, earned)) }];
  });
  if (rated.length === 0) return { value: null, reasons: ['No credit data available for this borrower'] };
  const possible = rated.reduce((sum, { weight }) => sum + weight, 0);
  const earned = rated.reduce((sum, { weight, share }) => sum + weight * share, 0);
  return {
    value: Math.round(LOWEST + (HIGHEST - LOWEST) * (earned / possible)),
    reasons: rated.filter(({ share }) => share < REASON_BELOW).map(({ reason }) => reason),
  };
}

function factsOf(reports: readonly Report[]): Facts {
  const lists = reports.flatMap(({ loans }) => (loans ? [loans] : []));
  const loans = lists.length === 0 ? null : distinct(lists.flat());
  return {
    loans,
    loanCount: most([...(loans ? [loans.length] : []), ...reports.flatMap(({ metrics }) => metrics.totalNoOfLoans ?? [])]),
    delinquentShare: most(
      reports.flatMap(({ metrics: { totalNoOfDelinquentFacilities: delinquent, totalNoOfLoans: all } }) =>
        delinquent === undefined || !all ? [] : delinquent / all,
      ),
    ),
    enquiries: most(reports.flatMap(({ enquiries }) => enquiries?.length ?? [])),
  };
}

/** Two bureaus that report the same account know the same loan. */
const distinct = (loans: readonly Loan[]): Loan[] => [
  ...new Map(loans.map((loan) => [`${loan.loanProvider} ${loan.accountNumber}`, loan])).values(),
];

const most = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));
const total = (loans: readonly Loan[], member: 'outstandingBalance' | 'loanAmount') => loans.reduce((sum, loan) => sum + loan[member], 0);
