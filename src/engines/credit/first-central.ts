/** FirstCentral: everything is text; amounts with commas, dates DD/MM/YYYY. */
import { z } from 'zod';
import { amountText, countText, metricsOf, pointsText, type Report, readRaw, slashedDate } from './report.ts';

const raw = z.object({
  scoring: z.object({
    totalConsumerScore: countText,
    description: z.string(),
    repaymentHistoryScore: pointsText,
    totalAmountOwedScore: pointsText,
    typesOfCreditScore: pointsText,
    lengthOfCreditHistoryScore: pointsText,
    noOfAcctScore: pointsText,
    totalAccounts: countText,
    totalaccountinGoodcondition: countText,
    totalaccountinBadcondition: countText,
    // Stays text in the answer; only the form is checked.
    totalOutstandingDebt: z.string().refine((text) => amountText.safeParse(text).success),
    totalAmountOverdue: z.string().refine((text) => amountText.safeParse(text).success),
    firstCentralEnquiryResultID: z.string(),
    scoreDate: slashedDate,
  }),
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
      repaymentFrequency: z.string(),
      repaymentBehavior: z.string(),
      paymentProfile: z.string(),
      dateAccountOpened: slashedDate,
      lastUpdatedDate: slashedDate,
    }),
  ),
  enquiryHistory: z.array(
    z.object({ subscriberName: z.string(), enquiryReason: z.string(), dateRequested: slashedDate, companyTelephone: z.string() }),
  ),
  enquirySummary: z.object({ last3MonthCount: countText, last12MonthCount: countText, last36MonthCount: countText }),
  subscribers: z.array(z.object({ subscriberID: z.string(), subscriberName: z.string(), telephone: z.string(), address: z.string() })),
});

export function readFirstCentral(record: Record<string, unknown>): Report {
  const { scoring, creditAgreements, enquiryHistory, enquirySummary, subscribers } = readRaw(raw, record);
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
    repaymentFrequency: agreement.repaymentFrequency,
    repaymentBehavior: agreement.repaymentBehavior,
    paymentProfile: agreement.paymentProfile,
    dateAccountOpened: agreement.dateAccountOpened,
    lastUpdatedAt: agreement.lastUpdatedDate,
  }));
  return {
    source: 'FIRST_CENTRAL',
    score: { value: Number(scoring.totalConsumerScore), rating: scoring.description },
    metrics: metricsOf(loans),
    loans,
    enquiries: enquiryHistory.map((enquiry) => ({
      loanProvider: enquiry.subscriberName,
      reason: enquiry.enquiryReason,
      date: enquiry.dateRequested,
      contactPhone: enquiry.companyTelephone,
    })),
    enquiriesSummary: {
      Last3MonthCount: enquirySummary.last3MonthCount,
      Last12MonthCount: enquirySummary.last12MonthCount,
      Last36MonthCount: enquirySummary.last36MonthCount,
    },
    creditors: subscribers.map(({ subscriberID, subscriberName, telephone, address }) => ({
      Name: subscriberName,
      Phone: telephone,
      Address: address,
      Subscriber_ID: subscriberID,
    })),
    firstCentral: scoring,
  };
}
