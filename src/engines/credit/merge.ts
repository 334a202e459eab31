/** The published shape of a credit answer (every metric an array of `{source, value}`), and how the bureaus' reports are merged into it. */
import { z } from 'zod';
import { crcScore, DELINQUENT_DAYS, firstCentralScore, type Loan, metricNames, type Report, type Source, sources } from './report.ts';
import { scoreOf } from './score.ts';

const perBureau = <Value extends z.ZodType>(value: Value) => z.array(z.object({ source: z.enum(sources), value }));
const amount = z.number().describe('NGN');
const count = z.string().describe('A number as text');
const date = z.string().describe('YYYY-MM-DD');
const bureauStatus = z
  .enum(['success', 'no_record', 'unavailable'])
  .describe('unavailable: the bureau did not answer, so the result is partial');

const loan = z.object({
  loanProvider: z.string(),
  accountNumber: z.string(),
  loanAmount: amount,
  outstandingBalance: amount,
  overdueAmount: amount,
  monthlyInstallment: amount,
  status: z.enum(['open', 'closed']),
  performanceStatus: z.enum(['performing', 'overdue', 'delinquent']).describe('delinquent: 90 days overdue or more'),
  type: z.string(),
  loanDuration: z.number().describe('Months'),
  repaymentFrequency: z.string().describe('Such as Monthly'),
  repaymentBehavior: z.string().describe('In the words of the bureau'),
  paymentProfile: z.string().describe('One digit for each month, latest first: multiples of 30 days overdue (9: nine or more)'),
  dateAccountOpened: date,
  lastUpdatedAt: date,
});

const metrics = Object.fromEntries(metricNames.map((name) => [name, perBureau(z.number())])) as Record<
  (typeof metricNames)[number],
  ReturnType<typeof perBureau<z.ZodNumber>>
>;

export const creditScore = z.object({
  bureauStatus: z.object({ crc: bureauStatus, firstCentral: bureauStatus, creditRegistry: bureauStatus }),
  aggregateScore: z.number().int().min(300).max(850).nullable().describe('300 to 850 over all bureaus; null: no bureau has a file'),
  reasons: z.array(z.string()).describe('Reasons that lower the aggregate score'),
  bureauScores: perBureau(z.object({ score: z.number(), rating: z.string() })).describe('Scores that the bureaus give themselves'),
  crc: crcScore.nullable().describe('The score as CRC gives it; null: it has no file or did not answer'),
  firstCentral: firstCentralScore.nullable().describe('The score as FirstCentral gives it; null: it has no file or did not answer'),
  ...metrics,
  creditors: perBureau(z.array(z.object({ Name: z.string(), Phone: z.string(), Address: z.string(), Subscriber_ID: z.string() }))),
  creditEnquiries: perBureau(z.array(z.object({ loanProvider: z.string(), reason: z.string(), date, contactPhone: z.string() }))),
  creditEnquiriesSummary: perBureau(z.object({ Last3MonthCount: count, Last12MonthCount: count, Last36MonthCount: count })),
  loanPerformance: perBureau(z.array(loan)).describe('Open loans'),
  loanHistory: perBureau(z.array(loan)).describe('All loans'),
});

/** Each bureau's answer: its report, no file, or no answer. */
export type BureauAnswers = Record<Source, Report | 'no_record' | 'unavailable'>;

export function mergeReports(answers: BureauAnswers): z.infer<typeof creditScore> {
  const reports = sources.flatMap((source) => (typeof answers[source] === 'string' ? [] : [answers[source]]));
  const status = (source: Source) => (typeof answers[source] === 'string' ? answers[source] : 'success');
  const each = <Value>(pick: (report: Report) => Value | null | undefined) =>
    reports.flatMap((report) => {
      const value = pick(report);
      return value === null || value === undefined ? [] : [{ source: report.source, value }];
    });
  const { value, reasons } = scoreOf(reports);
  const merged = Object.fromEntries(metricNames.map((name) => [name, each((report) => report.metrics[name])]));
  return {
    bureauStatus: { crc: status('CRC'), firstCentral: status('FIRST_CENTRAL'), creditRegistry: status('CREDIT_REGISTRY') },
    aggregateScore: value,
    reasons,
    bureauScores: each(({ score }) => score && { score: score.value, rating: score.rating }),
    crc: reports.find(({ crc }) => crc)?.crc ?? null,
    firstCentral: reports.find(({ firstCentral }) => firstCentral)?.firstCentral ?? null,
    ...(merged as Record<(typeof metricNames)[number], { source: Source; value: number }[]>),
    creditors: each(({ creditors }) => creditors),
    creditEnquiries: each(({ enquiries }) => enquiries),
    creditEnquiriesSummary: each(({ enquiriesSummary }) => enquiriesSummary),
    loanPerformance: each(({ loans }) => loans?.filter(({ isClosed }) => !isClosed).map(published)),
    loanHistory: each(({ loans }) => loans?.map(published)),
  };
}

function published({ isClosed, daysOverdue, durationMonths, ...rest }: Loan): z.infer<typeof loan> {
  return {
    ...rest,
    status: isClosed ? 'closed' : 'open',
    performanceStatus: daysOverdue >= DELINQUENT_DAYS ? 'delinquent' : daysOverdue > 0 ? 'overdue' : 'performing',
    loanDuration: durationMonths,
  };
}
