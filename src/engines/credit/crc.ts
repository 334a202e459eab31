/** CRC Credit Bureau: a FICO score, facilities and enquiries; amounts as text with commas, ISO dates. */
import { z } from 'zod';
import { amountText, metricsOf, type Report, readRaw } from './report.ts';

const raw = z.object({
  ficoScore: z.object({ score: z.number(), rating: z.string() }).nullable(),
  facilities: z.array(
    z.object({
      subscriberName: z.string(),
      accountNumber: z.string(),
      sanctionedAmount: amountText,
      currentBalance: amountText,
      amountOverdue: amountText,
      instalmentAmount: amountText,
      maxNumberOfDays: z.number(),
      accountStatus: z.enum(['Open', 'Closed']),
      loanType: z.string(),
      tenorMonths: z.number(),
      dateReported: z.iso.date(),
      dateDisbursed: z.iso.date(),
    }),
  ),
  enquiries: z.array(z.object({ institution: z.string(), reason: z.string(), date: z.iso.date(), phone: z.string() })),
});

export function readCrc(record: Record<string, unknown>): Report {
  const { ficoScore, facilities, enquiries } = readRaw(raw, record);
  const loans = facilities.map((facility) => ({
    loanProvider: facility.subscriberName,
    accountNumber: facility.accountNumber,
    loanAmount: facility.sanctionedAmount,
    outstandingBalance: facility.currentBalance,
    overdueAmount: facility.amountOverdue,
    monthlyInstallment: facility.instalmentAmount,
    daysOverdue: facility.maxNumberOfDays,
    isClosed: facility.accountStatus === 'Closed',
    type: facility.loanType,
    durationMonths: facility.tenorMonths,
    dateAccountOpened: facility.dateDisbursed,
    lastUpdatedAt: facility.dateReported,
  }));
  return {
    source: 'CRC',
    score: ficoScore && { value: ficoScore.score, rating: ficoScore.rating },
    metrics: metricsOf(loans),
    loans,
    enquiries: enquiries.map(({ institution, reason, date, phone }) => ({
      loanProvider: institution,
      reason,
      date,
      contactPhone: phone,
    })),
  };
}
