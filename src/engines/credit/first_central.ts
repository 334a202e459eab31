/** FirstCentral: everything is text, amounts with commas, dates DD/MM/YYYY. */
import { z } from 'zod';
import { amountText, metricsOf, type Report, readRaw, slashedDate } from './report.ts';

const raw = z.object({
  totalConsumerScore: amountText,
  description: z.string(),
  creditAgreements: z.array(
    z.object({
      subscriberName: z.string(),
      accountNo: z.string(),
      openingBalanceAmt: amountText,
      currentBalanceAmt: amountText,
      amountOverdue: amountText,
      instalmentAmount: amountText,
      daysInArrears: amountText,
      accountStatus: z.enum(['OPEN', 'CLOSED']),
      loanType: z.string(),
      loanDuration: amountText,
      dateAccountOpened: slashedDate,
      lastUpdatedDate: slashedDate,
    }),
  ),
  enquiryHistory: z.array(
    z.object({ subscriberName: z.string(), enquiryReason: z.string(), dateRequested: slashedDate, companyTelephone: z.string() }),
  ),
});

export function readFirstCentral(record: Record<string, unknown>): Report {
  const { totalConsumerScore, description, creditAgreements, enquiryHistory } = readRaw(raw, record);
  const loans = creditAgreements.map((agreement) => ({
    loanProvider: agreement.subscriberName,
    accountNumber: agreement.accountNo,
    loanAmount: agreement.openingBalanceAmt,
    outstandingBalance: agreement.currentBalanceAmt,
    overdueAmount: agreement.amountOverdue,
    monthlyInstallment: agreement.instalmentAmount,
    daysOverdue: agreement.daysInArrears,
    isClosed: agreement.accountStatus === 'CLOSED',
    type: agreement.loanType,
    durationMonths: agreement.loanDuration,
    dateAccountOpened: agreement.dateAccountOpened,
    lastUpdatedAt: agreement.lastUpdatedDate,
  }));
  return {
    source: 'FIRST_CENTRAL',
    score: { value: totalConsumerScore, rating: description },
    metrics: metricsOf(loans),
    loans,
    enquiries: enquiryHistory.map((enquiry) => ({
      loanProvider: enquiry.subscriberName,
      reason: enquiry.enquiryReason,
      date: enquiry.dateRequested,
      contactPhone: enquiry.companyTelephone,
    })),
  };
}
