/** CRC Credit Bureau: a FICO score, facilities, enquiries and lenders; amounts as text with commas, ISO dates. */
import { z } from 'zod';
import { amountText, countText, metricsOf, type Report, readRaw } from './report.ts';

const raw = z.object({
  ficoScore: z.object({ score: z.number(), rating: z.string(), reasons: z.array(z.string()) }).nullable(),
  hasLoans: z.enum(['YES', 'NO']),
  lastReportedDate: z.iso.date(),
  crcReportOrderNumber: z.string(),
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
      repaymentFrequency: z.string(),
      repaymentBehaviour: z.string(),
      paymentProfile: z.string(),
      dateReported: z.iso.date(),
      dateDisbursed: z.iso.date(),
    }),
  ),
  enquiries: z.array(z.object({ institution: z.string(), reason: z.string(), date: z.iso.date(), phone: z.string() })),
  enquirySummary: z.object({ last3Months: countText, last12Months: countText, last36Months: countText }),
  subscribers: z.array(z.object({ id: z.string(), name: z.string(), phone: z.string(), address: z.string() })),
});

export function readCrc(record: Record<string, unknown>): Report {
  const { facilities, enquiries, enquirySummary, subscribers, ...crc } = readRaw(raw, record);
  const { ficoScore } = crc;
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
    repaymentFrequency: facility.repaymentFrequency,
    repaymentBehavior: facility.repaymentBehaviour,
    paymentProfile: facility.paymentProfile,
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
    enquiriesSummary: {
      Last3MonthCount: enquirySummary.last3Months,
      Last12MonthCount: enquirySummary.last12Months,
      Last36MonthCount: enquirySummary.last36Months,
    },
    creditors: subscribers.map(({ id, name, phone, address }) => ({ Name: name, Phone: phone, Address: address, Subscriber_ID: id })),
    crc,
  };
}
